"""
Whether self-preservation must keep what a cut-off node can no longer see renewed.

A node that loses the renewals of others protects itself from the end of the first complete window
at or below its threshold (PRESERVE-13), and until then it may rightly evict.
So a wait of up to two windows stands between the cut and protection, and only a lease that lasts
longer than that wait is owed to survive. All of it is computed from the settings and from who was
alive; nothing here looks at what the node did.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka_tck.promises.rules import SLACK, WINDOW

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka_tck.history.spans import FaultSpan
    from eureka_tck.promises.lives import Life
    from eureka_tck.promises.rules import Rules


@dataclass(frozen=True, slots=True)
class Protection:
    """
    What a node must do when a fault takes renewals from it.

    `full` and `rest` are renewals a minute before and during the fault, `threshold` the figure at
    or below which it protects itself. `latest_start` is the longest time from the cut to
    protection (infinite: it need not come), `earliest_end` the shortest from the heal to its end.
    """

    threshold: int
    full: float
    rest: float
    latest_start: float
    earliest_end: float

    @property
    def is_owed(self) -> bool:
        """Whether the node has to protect itself at all."""
        return math.isfinite(self.latest_start)


def protection(node: str, span: FaultSpan, alive: Iterable[Life], rules: Rules) -> Protection:
    """
    Return what the settings owe at the node during the fault, for the lives going on at its begin.

    `alive` are those that renew. The threshold is taken from them alone: what else is registered
    only raises it, which protects earlier and longer.
    """
    alive = tuple(alive)
    cut = [life for life in alive if is_cut_off(node, life.home, span)]
    full = sum(WINDOW / life.interval for life in alive)
    lost = sum(WINDOW / life.interval for life in cut)
    rest = full - lost
    threshold = rules.threshold(len(alive))
    if not rules.self_preservation or not cut or rest > threshold:
        return Protection(threshold, full, rest, math.inf, 0.0)
    return Protection(
        threshold,
        full,
        rest,
        latest_start=_latest_start(full, rest, threshold),
        earliest_end=_earliest_end(full, rest, threshold, backlog=len(cut)),
    )


def is_cut_off(node: str, home: str, span: FaultSpan) -> bool:
    """Whether the fault keeps the node from learning what the home node is told."""
    return node != home and f"{home}>{node}" in span.links


def _latest_start(full: float, rest: float, threshold: int) -> float:
    """
    Return the longest wait from the cut to the end of the first window at or below the threshold.

    A cut p seconds into a window leaves it full·p/60 + rest·(60 − p)/60 renewals. Up to some p
    that window is already low enough; a cut later than that is seen one window later.
    """
    if full <= threshold:
        return WINDOW
    low_enough_until = WINDOW * (threshold - rest) / (full - rest)
    return max(WINDOW, 2 * WINDOW - low_enough_until) + SLACK


def _earliest_end(full: float, rest: float, threshold: int, backlog: int) -> float:
    """
    Return the shortest time from the heal to the end of the first window above the threshold.

    The heal may send `backlog` renewals at once that waited in the peers' queues.
    """
    if full + backlog <= threshold:
        return math.inf
    blind_at_most = WINDOW * (full + backlog - threshold) / (full - rest)
    return max(0.0, WINDOW - blind_at_most)
