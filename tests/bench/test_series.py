"""What rounds say together."""

from __future__ import annotations

import pytest

from bench.series import STEADY, Direction, Pair, Series, Verdict, steadiest


def series(*ratios: float) -> Series:
    """Return rounds of these ratios."""
    return Series(tuple(Pair(ratio * 10, 10) for ratio in ratios))


def test_the_ratio_is_the_median_so_one_disturbed_round_moves_it_little() -> None:
    """Of five, one ten times as high."""
    assert series(3, 3.1, 2.9, 30, 3).ratio == 3


def test_the_spread_is_the_width_of_the_middle_half() -> None:
    """Of 1, 2, 3, 4 and 5 the middle half reaches from 2 to 4, two thirds of 3."""
    assert series(1, 2, 3, 4, 5).spread == pytest.approx(2 / 3)
    assert series(3).spread == 0


@pytest.mark.parametrize(
    ("ratios", "direction", "verdict"),
    [
        ((3.0, 3.0, 3.0), "at least", "met"),
        ((2.9, 2.9, 2.9), "at least", "not met"),
        ((3.0, 3.0, 3.0), "at most", "met"),
        ((3.1, 3.1, 3.1), "at most", "not met"),
        ((3.0, 6.0, 12.0), "at least", "unsteady"),
        ((0.0,), "at most", "met"),
    ],
)
def test_only_steady_rounds_meet_a_goal(
    ratios: tuple[float, ...], direction: Direction, verdict: Verdict
) -> None:
    """Against a goal of 3; rounds that disagree have met nothing, however good they look."""
    assert series(*ratios).verdict(3.0, direction) == verdict


def test_the_steadiest_attempt_counts() -> None:
    """However its ratio compares with that of the others."""
    wild, calm = series(1, 5, 9), series(2, 2.1, 2.2)

    assert wild.spread > STEADY > calm.spread
    assert steadiest([wild, calm]) is calm
