"""Shapes of charts: scales, labels and lines from figures alone."""

from __future__ import annotations

import pytest

from eureka_tck.report.drawing import (
    MOST_POINTS,
    NARROW,
    WIDE,
    apart,
    decades,
    logarithmic,
    ms,
    power_of_ten,
    thinned,
    ticks,
)


def test_a_share_of_the_axis_stays_within_the_frame() -> None:
    """What lies before or behind is drawn at its ends."""
    for frame in (WIDE, NARROW):
        assert (frame.x(-1), frame.x(2)) == (frame.left, frame.width - frame.right)


def test_many_points_are_thinned_without_losing_an_extreme() -> None:
    """The one spike among thousands is still drawn, and all in their order."""
    points = [(float(n), 9000.0 if n == 7777 else 1.0) for n in range(20_000)]

    kept = thinned(points)

    assert len(kept) <= MOST_POINTS + 2
    assert (7777.0, 9000.0) in kept
    assert list(kept) == sorted(kept)


def test_few_points_are_all_drawn() -> None:
    """Nothing is left out that can be seen."""
    assert thinned([(0.0, 1.0), (1.0, 2.0)]) == [(0.0, 1.0), (1.0, 2.0)]


def test_a_logarithmic_scale_has_a_place_for_everything() -> None:
    """Ten times more is as far everywhere; zero and what is beyond lie on the edges."""
    low, high = decades([0.4, 900.0])
    y = logarithmic(low, high, 10, 80)

    assert (low, high) == (-1, 3)
    assert y(1) - y(10) == pytest.approx(y(10) - y(100))
    assert (y(0), y(1e9)) == (90, 10)


def test_values_that_are_all_the_same_have_a_decade_of_their_own() -> None:
    """No scale is without height."""
    assert decades([1.0]) == (0, 1)


def test_labels_keep_a_line_between_them() -> None:
    """In the order of their places."""
    assert apart([5.0, 5.0, 40.0]) == [5.0, 18.0, 40.0]


def test_an_axis_of_a_day_has_few_ticks() -> None:
    """And one of seconds begins at 0, too."""
    assert len(ticks(86_400, 10)) <= 10
    assert ticks(4.0, 10) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("value", "said"), [(4.71, "4.7 ms"), (412.4, "412 ms"), (1518.0, "1.52 s")]
)
def test_a_latency_is_said_with_its_unit(value: float, said: str) -> None:
    """In seconds from a second on."""
    assert ms(value) == said


def test_a_power_of_ten_is_said_with_its_unit() -> None:
    """As a reader calls it."""
    assert [power_of_ten(n) for n in (-1, 0, 2, 3, 4)] == [
        "0.1 ms",
        "1 ms",
        "100 ms",
        "1 s",
        "10 s",
    ]
