"""The value that a recording of leases is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.observe.leases import DEEDS, Leases, Life
from eureka_tck.observe.runs import Run
from eureka_tck.observe.tape import Tape
from eureka_tck.verdict import Inconclusive

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DEED = next(iter(DEEDS))


def leases(lives: Mapping[str, Life], starts: Iterable[int] = range(0, 60_000, 1000)) -> Leases:
    """Return a recording with runs at these instants."""
    return Leases(
        tape=Tape("", 0, (), ()),
        from_ms=0,
        lives=lives,
        runs=tuple(Run(start, start, (str(start),)) for start in starts),
        stamps={},
        largest_gap=0,
        listed=frozenset({"renewed-in-time"}),
        recounted=0,
        leases_at_recount=0,
    )


def test_a_life_is_bounded_by_what_is_known_of_its_beginning() -> None:
    """It lasted at most from the first instant, at least from the second one."""
    life = Life(1000, 1500, 21_700)

    assert (life.longest, life.shortest) == (20.7, 20.2)


def test_a_life_without_an_end_is_endless() -> None:
    """What was never evicted lasted longer than any bound."""
    assert Life(0, 0, None).longest == float("inf")


def test_a_lease_is_judged_by_runs_that_were_punctual() -> None:
    """With runs every second a lease may end a second and a half late."""
    recorded = leases({DEED: Life(6000, 6100, 26_500)})

    assert recorded.life(DEED).ended_ms == 26_500
    assert recorded.slack(DEED) == 1.5


@pytest.mark.parametrize(
    ("ended_ms", "ruling"), [(27_055, 20), (66_900, 60), (46_100, 40.1), (None, float("inf"))]
)
def test_the_ruling_duration_is_the_one_the_lease_lasted(
    ended_ms: int | None, ruling: float
) -> None:
    """A lease that ran out within the slack of a duration is ruled by it; others by none."""
    recorded = leases({DEED: Life(6000, 6100, ended_ms)}, range(0, 90_000, 1000))

    assert recorded.ruling(DEED, of=(20, 60)) == ruling


def test_a_late_run_at_the_end_widens_the_bound() -> None:
    """A run two seconds late leaves a lease twice that, and the interval."""
    starts = [*range(0, 25_000, 1000), *range(27_000, 60_000, 1000)]

    assert leases({DEED: Life(6000, 6100, 27_000)}, starts).slack(DEED) == 5.5


def test_a_very_late_run_at_the_end_is_inconclusive() -> None:
    """A run six seconds late could make a wrong length pass for a right one."""
    starts = [*range(0, 20_000, 1000), *range(26_000, 60_000, 1000)]

    with pytest.raises(Inconclusive, match=r"an eviction run was 6\.0 s late") as raised:
        leases({DEED: Life(6000, 6100, 26_000)}, starts).life(DEED)

    assert raised.value.late


def test_what_was_never_registered_does_not_live_on() -> None:
    """What a registry refused was never evicted either: only the list tells the two apart."""
    recorded = leases({})

    assert recorded.lives_on("renewed in time")
    assert not recorded.lives_on("given 3000000 s")


def test_without_runs_nothing_is_learned_of_leases() -> None:
    """A lease that did not end says nothing where no eviction was seen to run."""
    with pytest.raises(Inconclusive, match="only 0 eviction runs"):
        leases({DEED: Life(6000, 6100, None)}, ()).life(DEED)


def test_a_deed_done_too_late_is_inconclusive() -> None:
    """What is done when the lease may have run out says nothing about it."""
    with pytest.raises(Inconclusive, match=r"up to 21\.0 s after them") as raised:
        leases({DEED: Life(20_500, 21_000, None)}).life(DEED)

    assert raised.value.late
