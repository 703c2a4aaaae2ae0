"""Measurements of two things in turn, and what they say together. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median, quantiles
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

STEADY: Final = 0.15
"""
Largest spread of a row that is believed: half of the ratios lie that near to each other.
On two virtual cores that others use too, 0.03 to 0.1 was usual.
"""

Direction = Literal["at least", "at most"]
Verdict = Literal["met", "not met", "unsteady"]


@dataclass(frozen=True, slots=True)
class Pair:
    """One round: what ours measured and what the other measured right after, in the same unit."""

    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        """Ours as a share of theirs."""
        return self.ours / self.theirs


@dataclass(frozen=True, slots=True)
class Series:
    """The rounds of a row."""

    pairs: tuple[Pair, ...]

    @property
    def ratio(self) -> float:
        """The median of the ratios: one disturbed round moves it little."""
        return median(pair.ratio for pair in self.pairs)

    @property
    def spread(self) -> float:
        """The width of the middle half of the ratios, as a share of their median; 0 of one."""
        ratios = [pair.ratio for pair in self.pairs]
        if len(ratios) < 2:  # noqa: PLR2004 - one value has no spread
            return 0.0
        low, _, high = quantiles(ratios, n=4, method="inclusive")
        return (high - low) / self.ratio if self.ratio else 0.0

    @property
    def ours(self) -> float:
        """The median of ours."""
        return median(pair.ours for pair in self.pairs)

    @property
    def theirs(self) -> float:
        """The median of theirs."""
        return median(pair.theirs for pair in self.pairs)

    @property
    def is_steady(self) -> bool:
        """Whether the rounds agree well enough to be believed."""
        return self.spread <= STEADY

    def reaches(self, goal: float, direction: Direction) -> bool:
        """Tell whether the ratio is where it must be."""
        return self.ratio >= goal if direction == "at least" else self.ratio <= goal

    def verdict(self, goal: float, direction: Direction) -> Verdict:
        """Return the verdict: an unsteady row has met nothing."""
        if not self.is_steady:
            return "unsteady"
        return "met" if self.reaches(goal, direction) else "not met"


def steadiest(all_series: Sequence[Series]) -> Series:
    """Return the series whose rounds agree best."""
    return min(all_series, key=lambda series: series.spread)
