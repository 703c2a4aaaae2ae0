"""
The bounds of EVICT-03: how seldom a random choice of victims is accused.

The bounds stand as literals in `conformance/test_evict.py`; here they are computed exactly.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence


def groups_hit(sizes: Sequence[int], drawn: int) -> tuple[Fraction, ...]:
    """
    Return the probability of hitting exactly j groups, for every j from 0 to all of them.

    P(j) is the coefficient of y^j z^drawn in the product of 1 + y((1+z)^size - 1),
    divided by the number of all draws without replacement.
    """
    ways = [[0] * (drawn + 1) for _ in range(len(sizes) + 1)]
    ways[0][0] = 1
    for size in sizes:
        for hit in range(len(sizes), 0, -1):
            for taken in range(drawn, 0, -1):
                ways[hit][taken] += sum(
                    ways[hit - 1][taken - here] * comb(size, here)
                    for here in range(1, min(size, taken) + 1)
                )
    total = comb(sum(sizes), drawn)
    return tuple(Fraction(row[drawn], total) for row in ways)


def marked_drawn(present: int, marked: int, drawn: int) -> tuple[Fraction, ...]:
    """Return the probability of drawing exactly j marked ones, for every j from 0 to `drawn`."""
    total = comb(present, drawn)
    return tuple(
        Fraction(comb(marked, j) * comb(present - marked, drawn - j), total)
        for j in range(drawn + 1)
    )


def test_the_probabilities_add_up() -> None:
    """Both distributions are complete."""
    assert sum(groups_hit([10] * 10, 15)) == 1
    assert sum(marked_drawn(100, 15, 15)) == 1


def test_a_small_case_is_as_by_hand() -> None:
    """Two drawn from two groups of two hit one group twice in six draws."""
    assert groups_hit([2, 2], 2) == (Fraction(0), Fraction(2, 6), Fraction(4, 6))


def test_three_applications_or_fewer_are_hit_once_in_14_million() -> None:
    """Fifteen of ten times ten."""
    odds = float(sum(groups_hit([10] * 10, 15)[:4]))

    assert odds == pytest.approx(7.3e-8, rel=0.01)


def test_ten_or_more_are_shared_once_in_two_and_a_half_million() -> None:
    """Two draws of fifteen from a hundred."""
    odds = float(sum(marked_drawn(100, 15, 15)[10:]))

    assert odds == pytest.approx(4.0e-7, rel=0.01)


def test_eleven_or_more_singles_are_hit_once_in_four_million() -> None:
    """Fifteen of a hundred, of which eighteen are marked."""
    odds = float(sum(marked_drawn(100, 18, 15)[11:]))

    assert odds == pytest.approx(2.26e-7, rel=0.01)


def test_all_bounds_together_accuse_less_than_once_in_a_million() -> None:
    """Two draws for the applications, one pair for the order, one draw for the singles."""
    odds = (
        2 * sum(groups_hit([10] * 10, 15)[:4])
        + sum(marked_drawn(100, 15, 15)[10:])
        + sum(marked_drawn(100, 18, 15)[11:])
    )

    assert float(odds) < 1e-6
