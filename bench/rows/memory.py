"""Resident memory: of a server that has just started, and of one that 10,000 have come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bench import servers
from bench.fleet import Caller, register_all
from bench.row import Row
from bench.series import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.subject import Subject
    from bench.workbench import Workbench

SIZE: Final = 10_000
_MIB: Final = 1024 * 1024


def empty(bench: Workbench) -> Iterator[Pair]:
    """Yield the MiB of two servers that have just started."""
    while True:
        ours = bench.start("python-empty", servers.python())
        theirs = bench.start("java-empty", servers.reference())
        yield _sizes(ours, theirs)
        ours.stop()
        theirs.stop()


def full(bench: Workbench) -> Iterator[Pair]:
    """Yield the MiB of two that 10,000 registered with, renewed at, and read once."""
    while True:
        ours = bench.start("python-full", servers.python())
        theirs = bench.start("java-full", servers.reference())
        for subject in (ours, theirs):
            register_all(subject, SIZE)
            caller = Caller(subject)
            for number in range(SIZE):
                caller.renew(number)
            caller.read_all()
            caller.close()
        yield _sizes(ours, theirs)
        ours.stop()
        theirs.stop()


def _sizes(ours: Subject, theirs: Subject) -> Pair:
    return Pair(ours.memory() / _MIB, theirs.memory() / _MIB)


EMPTY: Final = Row(
    name="memory-empty",
    what="resident memory, empty",
    against="Java reference",
    unit="MiB",
    direction="at most",
    goal=0.25,
    second=0.25,
    rounds=3,
    tools=("taskset", "java", "mvn"),
    measure=empty,
)

FULL: Final = Row(
    name="memory-full",
    what="resident memory, 10,000 instances",
    against="Java reference",
    unit="MiB",
    direction="at most",
    goal=0.25,
    second=0.25,
    rounds=2,
    tools=("taskset", "java", "mvn"),
    measure=full,
)
