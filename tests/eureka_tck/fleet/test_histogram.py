"""Histograms keep any latency within a sixty-fourth of itself, and add up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eureka_tck.fleet.histogram import add, bucket, count, percentile_ms


@given(st.floats(0, 3600))
def test_a_bucket_is_close_below_its_value(seconds: float) -> None:
    """It loses a microsecond or a sixty-fourth."""
    micros = seconds * 1e6

    assert micros - micros / 64 - 1 <= bucket(seconds) <= micros


def test_a_clock_that_went_back_counts_as_nothing() -> None:
    """No latency is below zero."""
    assert bucket(-0.1) == 0


@given(st.lists(st.floats(-1, 3600)) | st.lists(st.floats(0, 0.02)))
def test_counted_in_bulk_is_counted_one_by_one(seconds: list[float]) -> None:
    """The buckets of many latencies are those of each."""
    whole: dict[int, int] = {}
    for one in seconds:
        add(whole, {bucket(one): 1})
    bulk: dict[int, int] = {}

    count(bulk, seconds)

    assert bulk == whole


def test_counted_apart_is_counted_together() -> None:
    """Adding two histograms is counting into one."""
    whole = {1000: 2}

    add(whole, {1000: 1, 5000: 4})

    assert whole == {1000: 3, 5000: 4}


@pytest.mark.parametrize(("share", "ms"), [(0.5, 1.0), (0.99, 1.0), (0.991, 50.0), (1.0, 50.0)])
def test_a_percentile_is_the_smallest_value_that_covers_its_share(share: float, ms: float) -> None:
    """Of 99 answers in 1 ms and one in 50 ms, p99 is 1 ms and the maximum 50 ms."""
    assert percentile_ms({50_000: 1, 1000: 99}, share) == ms


def test_nothing_has_no_percentile() -> None:
    """It is absent rather than zero."""
    assert percentile_ms({}, 0.5) is None
