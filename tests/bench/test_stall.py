"""How far a fleet is off an open-loop reference is counted in buckets, of the same sends."""

from __future__ import annotations

import pytest

from bench.rows.stall import _off
from eureka_tck.errors import CannotRun
from eureka_tck.fleet.histogram import count
from eureka_tck.fleet.tally import Tally

SEEN = [0.001] * 900 + [0.65] * 80 + [1.9] * 20
"""Latencies of a thousand sends, in s: p95 is 0.65 s, p99 1.9 s."""


def told(latencies: list[float], *, intended: int = 0, missed: int = 0) -> Tally:
    """Return what a fleet tells that saw these."""
    tally = Tally(intended=intended or len(latencies), sent=len(latencies), missed=missed)
    count(tally.intended_us.setdefault("PUT renew", {}), latencies)
    return tally


def test_a_fleet_that_saw_the_same_is_not_off() -> None:
    """Equal latencies are in equal buckets."""
    assert _off(told(SEEN), SEEN) == 0.0


def test_the_worse_of_two_percentiles_counts() -> None:
    """A bucket begins every 16,384 µs there: 1.95 s is in the fourth after that of 1.9 s."""
    late = [*SEEN[:-20], *[1.95] * 20]

    assert _off(told(late), SEEN) == 4.0


@pytest.mark.parametrize(
    ("tally", "seen", "said"),
    [
        (told(SEEN, intended=1003, missed=1), SEEN, "2 of 1,003 sends are neither sent nor"),
        (told([*SEEN, 0.001, 0.001]), SEEN, "intended 1,002 sends, and the reference 1,000"),
        (told([0.001] * 1000), [0.001] * 1000, "a p95 of 1 ms says that nothing stalled"),
    ],
    ids=["untold", "another number", "no stall"],
)
def test_what_cannot_be_compared_is_no_figure(tally: Tally, seen: list[float], said: str) -> None:
    """It is an error that says why."""
    with pytest.raises(CannotRun, match=said):
        _off(tally, seen)
