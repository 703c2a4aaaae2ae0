"""How many a run may take, which, and when it is due."""

from __future__ import annotations

from random import Random

import pytest

from eureka.core.eviction import EvictionRhythm, choose_victims, eviction_limit
from eureka.core.policy import Policy


@pytest.mark.parametrize(
    ("size", "limit"), [(0, 0), (1, 1), (2, 1), (6, 1), (7, 2), (10, 2), (20, 3), (100, 15)]
)
def test_limit_of_one_run(size: int, limit: int) -> None:
    """A run leaves 85 % in place, rounded down."""
    assert eviction_limit(size, Policy()) == limit


@pytest.mark.parametrize(("percent", "limit"), [(1.0, 0), (0.0, 10), (0.5, 5)])
def test_limit_follows_the_percentage(percent: float, limit: int) -> None:
    """1.0 takes none, 0 takes all."""
    assert eviction_limit(10, Policy(renewal_percent_threshold=percent)) == limit


def test_hundred_dead_leases_go_in_this_rhythm() -> None:
    """Run after run the registry shrinks as it was seen to on the reference."""
    size, taken = 100, []
    while size:
        victims = choose_victims(range(size), eviction_limit(size, Policy()), rng=Random(1))
        taken.append(len(victims))
        size -= len(victims)

    assert taken == [15, 13, 11, 10, 8, 7, 6, 5, 4, 4, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1]


def test_fewer_overdue_than_the_limit_all_go() -> None:
    """The limit is a limit, not a quota."""
    assert choose_victims([1, 2], 5, rng=Random(1)) == [1, 2]


def test_victims_are_spread_over_the_applications() -> None:
    """Over many draws every lease is as likely to go as any other."""
    rng = Random(7)
    hits = [0] * 40
    for _ in range(4000):
        for victim in choose_victims(range(40), 6, rng=rng):
            hits[victim] += 1

    assert min(hits) > 500  # 600 expected, standard deviation 22
    assert max(hits) < 700


def test_a_run_is_due_one_interval_after_the_start_of_the_previous() -> None:
    """The plan counts from the actual start, so lateness adds up."""
    rhythm = EvictionRhythm(10, now=0)
    assert rhythm.due_at == 10

    assert rhythm.start(now=10) == 0
    assert rhythm.due_at == 20

    assert rhythm.start(now=34) == 14
    assert rhythm.due_at == 44


def test_the_compensation_covers_one_run() -> None:
    """The run after a late one is on time again and forgives nothing."""
    rhythm = EvictionRhythm(10, now=0)
    rhythm.start(now=34)

    assert rhythm.start(now=44) == 0
