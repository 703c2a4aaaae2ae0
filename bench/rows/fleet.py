"""
What the fleet of the load part costs: beside wrk, at rest, and in memory.

The fleet and wrk renew at the same nginx, as many requests as one core of the generator sends; what
is compared are the requests in a processor second of the generator.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from bench import servers
from bench.row import Row
from bench.series import Pair
from bench.storming import Storming
from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.subject import Subject
    from bench.workbench import Workbench

CONNECTIONS: Final = 64
WRK_SIZE: Final = 1000  # paths that wrk goes through
MOST_A_SECOND: Final = 90_000  # a storm of more than 100,000 calls a second is refused
ARRIVAL_BUDGET: Final = 120.0  # s until a fleet is registered
LARGE: Final = 100_000
INTERVAL: Final = 30.0  # s between two renewals of an instance
ARRIVE_OVER: Final = 40.0  # s in which the large fleet registers: 2,500 a second
MILLION: Final = 1_000_000
SLOWLY: Final = 600.0  # s between two renewals where only memory counts


def nginx(bench: Workbench) -> Subject:
    """Return an nginx that takes registrations too."""
    return bench.kept(
        "nginx-fleet", lambda: bench.start("nginx-fleet", servers.nginx(registers=True))
    )


def against_wrk(bench: Workbench, *, share: float, bulk: bool) -> Iterator[Pair]:
    """
    Yield requests per processor second of the generator: the fleet's, wrk's.

    The fleet intends to send `share` of what wrk has just sent in a second: enough to be busy.
    """
    subject = nginx(bench)
    while True:
        report = bench.generator.renew(subject.root, WRK_SIZE, seconds=bench.part_seconds)
        if report.refused:
            raise CannotRun(f"nginx refused {report.refused} requests of wrk.")
        theirs = report.requests / report.used
        size = min(round(report.requests / report.seconds * share), MOST_A_SECOND)
        with Storming(
            bench,
            subject,
            bulk=bulk,
            instances=size,
            renewal_interval=1.0,
            connections=CONNECTIONS,
            audits=0,
        ) as storm:
            storm.whole(size, ARRIVAL_BUDGET)
            before = storm.rest(1.0)
            after = storm.rest(bench.part_seconds)
        if after.failures:
            raise CannotRun(f"{after.failures} requests failed: {after.problems[0]}")
        yield Pair((after.requests - before.requests) / (after.used - before.used), theirs)


def at_rest(bench: Workbench) -> Iterator[Pair]:
    """Yield the share of a core that 100,000 instances need that renew every 30 s."""
    subject = bench.start("python-fleet", servers.python())
    while True:
        with Storming(
            bench,
            subject,
            instances=LARGE,
            renewal_interval=INTERVAL,
            connections=CONNECTIONS,
            arrive_over=ARRIVE_OVER,
            jitter=0.05,
        ) as storm:
            storm.whole(LARGE, ARRIVAL_BUDGET + ARRIVE_OVER)
            before = storm.rest(1.0)
            after = storm.rest(2.0 if bench.quick else INTERVAL)
            if after.failures or after.missed:
                raise CannotRun(f"{after.failures} failed, {after.missed} missed of 100,000.")
        renewals = (after.acknowledged - before.acknowledged) * INTERVAL / LARGE
        if not renewals:
            raise CannotRun("not one renewal was acknowledged while it was measured.")
        # Of an interval in which each instance renews once, by what was really acknowledged.
        yield Pair((after.used - before.used) / renewals, 1.0)


def memory(bench: Workbench) -> Iterator[Pair]:
    """Yield the resident bytes an instance of a million of them, with all of the process."""
    subject = nginx(bench)
    size = LARGE if bench.quick else MILLION
    while True:
        with Storming(
            bench,
            subject,
            bulk=True,
            instances=size,
            renewal_interval=SLOWLY,
            duration=3 * SLOWLY,
            connections=CONNECTIONS,
            audits=0,
            arrive_over=ARRIVE_OVER,
        ) as storm:
            storm.whole(size, 3 * ARRIVAL_BUDGET)
            yield Pair(storm.memory() / size, 1.0)


EVENTS: Final = Row(
    name="fleet-events",
    what="requests per CPU second of the fleet user, an event fired for each",
    against="wrk",
    unit="/s",
    direction="at least",
    goal=0.55,
    second=0.65,
    rounds=5,
    tools=("wrk", "taskset", "nginx"),
    measure=partial(against_wrk, share=0.65, bulk=False),
)

BULK: Final = replace(
    EVENTS,
    name="fleet-bulk",
    what="requests per CPU second of the fleet user, statistics in bulk",
    goal=0.7,
    second=0.8,
    measure=partial(against_wrk, share=0.8, bulk=True),
)

AT_REST: Final = Row(
    name="fleet-100000",
    what="CPU seconds a second of the fleet user with 100,000 instances at 30 s",
    against="one core",
    unit="",
    direction="at most",
    goal=0.5,
    second=0.25,
    rounds=1,
    tools=("taskset",),
    measure=at_rest,
)

MEMORY: Final = Row(
    name="fleet-memory",
    what="resident bytes an instance of the fleet user with 1,000,000 of them",
    against="one byte",
    unit="B",
    direction="at most",
    goal=1000,
    second=1000,
    rounds=1,
    tools=("taskset", "nginx"),
    measure=memory,
)
