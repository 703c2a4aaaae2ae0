"""
The largest fleet that keeps its budgets: doubling until one is broken, then halving the gap.

Pure: a trial is a function. The answer is confirmed by a trial of its own; where that one breaks,
the next smaller size that kept them is tried instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.fleet.storm import MOST_INSTANCES

if TYPE_CHECKING:
    from collections.abc import Callable

CLOSE_ENOUGH: Final = 0.125
"""The gap between the largest that kept and the smallest that broke, as a share of the latter."""
BUSY: Final = 0.9
"""Share of a core above which a node's processor has run out."""
GENERATOR: Final = "the generator"
OTHERS: Final = "the machine, which others used too"
COST: Final = {
    "memory_growth_mib": "memory",
    "replication_p99_ms": "replication",
    "errors": "answers (connections or the registry itself)",
}


@dataclass(frozen=True, slots=True)
class Trial:
    """One storm of a size: its outcome, and what was used. `memory` is in bytes."""

    instances: int
    step: str
    outcome: str
    renewals: float = 0.0
    p99_ms: float | None = None
    busiest: float = 0.0
    memory: int = 0
    generator: float = 0.0
    failed: tuple[str, ...] = ()

    @property
    def ran_out(self) -> str:
        """Say what ran out first; nothing where all was kept."""
        if self.outcome == "met":
            return ""
        if self.outcome == "inconclusive":
            return OTHERS if "others" in self.failed else GENERATOR
        if self.busiest >= BUSY:
            return "processor of a node"
        known = [COST[name] for name in self.failed if name in COST]
        return known[0] if known else ", ".join(self.failed)

    @property
    def told(self) -> str:
        """Return the rest of a line of progress."""
        return f"; ran out first: {self.ran_out}" if self.ran_out else ""


@dataclass(frozen=True, slots=True)
class Capacity:
    """All trials in their order, and the largest size that was confirmed; 0: none."""

    trials: tuple[Trial, ...]
    largest: int

    @property
    def limit(self) -> str:
        """What stopped the search."""
        stopped = [trial for trial in self.trials if trial.outcome != "met"]
        smallest = min(stopped, key=lambda trial: trial.instances, default=None)
        return "" if smallest is None else smallest.ran_out

    @property
    def is_the_generators(self) -> bool:
        """Whether generator or machine were the limit, so that the registry may carry more."""
        return self.limit in (GENERATOR, OTHERS)

    @property
    def sentence(self) -> str:
        """Say the result."""
        if not self.largest:
            return f"No fleet that was tried kept the budgets; ran out first: {self.limit}."
        if not self.limit:
            return f"{self.largest:,} instances kept the budgets; more were not asked for."
        least = "at least " if self.is_the_generators else ""
        return (
            f"The largest fleet that kept the budgets is {least}{self.largest:,} instances; "
            f"beyond it ran out first: {self.limit}."
        )

    @property
    def exit_code(self) -> int:
        """0 found, 1 none kept the budgets, 2 the generator was the limit."""
        if self.is_the_generators:
            return 2
        return 0 if self.largest else 1


def search(
    attempt: Callable[[int, str], Trial], first: int, most: int = MOST_INSTANCES
) -> Capacity:
    """Search from `first` instances on; every trial is one storm, and at most `most` is tried."""
    trials: list[Trial] = []

    def keeps(size: int, step: str) -> bool:
        trials.append(attempt(size, step))
        return trials[-1].outcome == "met"

    good, bad, size = 0, 0, first
    while size <= most:
        if not keeps(size, "doubling"):
            bad = size
            break
        good, size = size, size * 2
    while bad and bad - good > max(1, CLOSE_ENOUGH * bad):
        middle = (good + bad) // 2
        if keeps(middle, "bisection"):
            good = middle
        else:
            bad = middle
            if not good and bad * 64 < first:  # nothing near what was asked for
                break
    kept = sorted((trial.instances for trial in trials if trial.outcome == "met"), reverse=True)
    for size in kept:
        if keeps(size, "confirmation"):
            return Capacity(tuple(trials), size)
    return Capacity(tuple(trials), 0)
