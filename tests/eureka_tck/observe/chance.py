"""
How likely a random choice of victims looks as it does: exact probabilities, no sampling.

They stand behind the literals of EVICT-03: a bound is chosen so that a registry that draws its
victims uniformly from all expired leases is accused less than once in a million gates.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def groups_hit(sizes: Sequence[int], drawn: int) -> tuple[Fraction, ...]:
    """
    Return the probability of hitting exactly j groups, for every j from 0 to all of them.

    `drawn` leases are drawn without replacement from groups of the given sizes:
    P(j) is the coefficient of y^j z^drawn in the product of 1 + y((1+z)^size - 1),
    divided by the number of all draws.
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


def at_most(distribution: Sequence[Fraction], bound: int) -> float:
    """Return the probability of at most `bound`."""
    return float(sum(distribution[: bound + 1], Fraction(0)))


def at_least(distribution: Sequence[Fraction], bound: int) -> float:
    """Return the probability of at least `bound`."""
    return float(sum(distribution[bound:], Fraction(0)))
