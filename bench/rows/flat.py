"""Whether a renewal costs more the more instances there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bench import servers
from bench.fleet import register_all
from bench.row import Row
from bench.rows.renewals import SIZE as SMALL
from bench.rows.renewals import python
from bench.series import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.subject import Subject
    from bench.workbench import Workbench

LARGE: Final = 100_000


def measure(bench: Workbench) -> Iterator[Pair]:
    """Yield processor microseconds of a renewal: at 100,000, at 1,000."""

    def make() -> Subject:
        subject = bench.start("python-100000", servers.python())
        register_all(subject, LARGE)
        bench.warm(subject, LARGE, requests=LARGE)
        return subject

    large, small = bench.kept("python-100000", make), python(bench)
    while True:
        yield Pair(
            1_000_000 / bench.renewals_per_second(large, LARGE),
            1_000_000 / bench.renewals_per_second(small, SMALL),
        )


ROW: Final = Row(
    name="flat",
    what="cost of a renewal at 100,000 instances",
    against="at 1,000",
    unit="µs",
    direction="at most",
    goal=1.1,
    second=1.1,
    rounds=9,
    tools=("wrk", "taskset"),
    measure=measure,
)
