"""Renewals in a processor second, of a fleet of 1,000, as fast as they go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bench import servers
from bench.fleet import register_all
from bench.row import Row
from bench.series import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.subject import Subject
    from bench.workbench import Workbench

SIZE: Final = 1000


def python(bench: Workbench) -> Subject:
    """Return the Python registry that knows the fleet, warm."""

    def make() -> Subject:
        subject = bench.start("python", servers.python())
        register_all(subject, SIZE)
        bench.warm(subject, SIZE, requests=20_000)
        return subject

    return bench.kept("python", make)


def java(bench: Workbench) -> Subject:
    """Return the Java reference that knows the fleet, warm."""

    def make() -> Subject:
        subject = bench.start("java", servers.reference())
        register_all(subject, SIZE)
        bench.warm(subject, SIZE)
        return subject

    return bench.kept("java", make)


def against_java(bench: Workbench) -> Iterator[Pair]:
    """Yield renewals per processor second: ours, the reference's."""
    ours, theirs = python(bench), java(bench)
    while True:
        yield Pair(
            bench.renewals_per_second(ours, SIZE),
            bench.renewals_per_second(theirs, SIZE),
        )


def against_nginx(bench: Workbench) -> Iterator[Pair]:
    """Yield renewals per processor second: ours, and what nginx answers 200 to."""
    ours = python(bench)
    theirs = bench.kept("nginx", lambda: bench.start("nginx", servers.nginx()))
    while True:
        yield Pair(
            bench.renewals_per_second(ours, SIZE),
            bench.renewals_per_second(theirs, SIZE),
        )


AGAINST_JAVA: Final = Row(
    name="renewals",
    what="renewals per CPU second, Python registry",
    against="Java reference, warm",
    unit="/s",
    direction="at least",
    goal=3.0,
    second=4.0,
    rounds=7,
    tools=("wrk", "taskset", "java", "mvn"),
    measure=against_java,
)

AGAINST_NGINX: Final = Row(
    name="nginx",
    what="the same",
    against="nginx answering 200",
    unit="/s",
    direction="at least",
    goal=0.4,
    second=0.5,
    rounds=7,
    tools=("wrk", "taskset", "nginx"),
    measure=against_nginx,
)
