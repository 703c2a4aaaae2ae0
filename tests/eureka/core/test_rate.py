"""The token bucket."""

from __future__ import annotations

import pytest

from eureka.core.rate import Bucket


def test_a_burst_passes_at_once_and_no_more() -> None:
    """Five tokens are five reads."""
    bucket = Bucket(5, 2)

    assert [bucket.take(now=10.0) for _ in range(7)] == [True] * 5 + [False] * 2


def test_afterwards_the_average_rate_holds() -> None:
    """Eight seconds of ten reads a second let two a second pass, after the burst."""
    bucket = Bucket(5, 2)

    passed = sum(bucket.take(now=10.0 + n / 10) for n in range(80))

    assert passed == 5 + 15


def test_idle_time_fills_it_up_to_the_burst() -> None:
    """An hour without reads is worth one burst."""
    bucket = Bucket(3, 100)
    for _ in range(3):
        bucket.take(now=0.0)

    assert [bucket.take(now=3600.0) for _ in range(4)] == [True, True, True, False]


def test_parts_of_tokens_add_up() -> None:
    """Refused reads in between lose nothing."""
    bucket = Bucket(1, 1)
    bucket.take(now=0.0)

    assert [bucket.take(now=moment) for moment in (0.25, 0.5, 0.75, 1.0)] == [False] * 3 + [True]


def test_time_that_goes_back_costs_nothing() -> None:
    """Tokens are never taken away by a clock."""
    bucket = Bucket(2, 1)
    bucket.take(now=10.0)

    assert bucket.take(now=5.0)


@pytest.mark.parametrize(("burst", "rate"), [(0, 5), (5, 0), (-1, 5), (5, -1)])
def test_nothing_lifts_the_limit_as_a_zero_does(burst: int, rate: int) -> None:
    """Everything passes then."""
    bucket = Bucket(burst, rate)

    assert all(bucket.take(now=0.0) for _ in range(100))
