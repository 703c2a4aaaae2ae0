"""
When leases could be evicted at a node: while it told that expiry is enabled and was not broken.

A stretch between two readings of the counters counts as closed if either of them says so, and so
does all that nobody read: a registry is thus never blamed for keeping what it had to keep.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from eureka_tck.history.event import Counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka_tck.promises.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Expiry:
    """The stretches in which eviction was open at a node, and its interval in seconds."""

    open: tuple[tuple[float, float], ...]
    interval: float

    def after_runs(self, lease_end: float, runs: int) -> float:
        """Return when that many runs have happened for certain after the instant, or infinity."""
        for began, ended in self.open:
            since = max(began, lease_end)
            if ended <= since:
                continue
            fit = math.inf if math.isinf(ended) else (ended - since) // self.interval
            if runs <= fit:
                return since + runs * self.interval
            runs -= int(fit)
        return math.inf


def expiry_of(evidence: Evidence, node: str) -> Expiry:
    """Return when eviction was open at the node, to the end of the run."""
    rules = evidence.rules[node]
    if rules.self_preservation:
        open_ones = _told_open(
            [e for e in evidence.history.events if isinstance(e, Counted) and e.node == node]
        )
    else:
        open_ones = [(0.0, math.inf)]
    for span in evidence.spans:
        if node in span.nodes:
            open_ones = _without(open_ones, span.began, span.ended)
    return Expiry(tuple(open_ones), rules.eviction_interval)


def _told_open(counted: Sequence[Counted]) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for before, after in pairwise(counted):
        if not (before.expiration_enabled and after.expiration_enabled):
            continue
        if found and found[-1][1] == before.at:
            found[-1] = (found[-1][0], after.at)
        else:
            found.append((before.at, after.at))
    return found


def _without(
    stretches: Sequence[tuple[float, float]], began: float, ended: float
) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for since, until in stretches:
        if until <= began or since >= ended:
            found.append((since, until))
            continue
        if since < began:
            found.append((since, began))
        if until > ended:
            found.append((ended, until))
    return found
