"""
Eviction runs, told from the stamps that the registry puts on what it evicts.

Pure: a mapping of instance ids to stamps goes in, runs come out.
Stamps are the registry's own epoch milliseconds, so neither our lateness nor our polling shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Run:
    """One eviction run: `start_ms` is its first stamp, `victims` in the order of their stamps."""

    start_ms: int
    end_ms: int
    victims: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.victims)


def runs_of(stamps: Mapping[str, int], interval_ms: int) -> tuple[Run, ...]:
    """
    Group evictions into runs, oldest first.

    A run is everything within half an interval of its first stamp: the reference spread up to
    114 ms within a run, a busy machine spreads more, while starts are an interval apart.
    """
    groups: list[list[tuple[int, str]]] = []
    for stamp, victim in sorted((stamp, victim) for victim, stamp in stamps.items()):
        if groups and stamp - groups[-1][0][0] < interval_ms / 2:
            groups[-1].append((stamp, victim))
        else:
            groups.append([(stamp, victim)])
    return tuple(
        Run(group[0][0], group[-1][0], tuple(victim for _, victim in group)) for group in groups
    )


def gaps_of(runs: Iterable[Run]) -> tuple[float, ...]:
    """Return the seconds between the starts of runs that follow each other."""
    starts = [run.start_ms for run in runs]
    return tuple((later - earlier) / 1000 for earlier, later in pairwise(starts))


def usual_gap(runs: Iterable[Run]) -> float | None:
    """Return the median of the gaps in seconds, None for fewer than two runs."""
    gaps = gaps_of(runs)
    return median(gaps) if gaps else None


def worst_lateness(runs: Iterable[Run], interval_ms: int, since_ms: int, until_ms: int) -> float:
    """
    Return by how many seconds a run was late at worst, of those that started in that span.

    The run before the span counts as its beginning: the first gap reaches into the span.
    """
    late = 0.0
    earlier: int | None = None
    for run in runs:
        if earlier is not None and run.start_ms >= since_ms and earlier <= until_ms:
            late = max(late, (run.start_ms - earlier - interval_ms) / 1000)
        earlier = run.start_ms
    return late
