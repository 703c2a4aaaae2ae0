"""
When each instance means to renew: the open model.

A send time is decided by the schedule alone, never by when the last answer came.
What is sent late is sent late and counted; what cannot be sent before the instance's next turn
is counted as missed.
Latency is measured from the *intended* time, so that a registry that stalls cannot hide behind
a client that waits for it (coordinated omission).

Pure: seconds come in, the caller waits.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random


@dataclass(frozen=True, slots=True)
class Turn:
    """One intended renewal: `member` is the instance's number, `at` the intended send time in s."""

    member: int
    at: float


class Schedule:
    """
    The turns of a fleet, in order of their intended times.

    Every member has a phase within the interval and keeps to it: turn n is at phase + n × interval,
    moved by up to `jitter` × interval for that turn only, so that errors never add up.
    """

    def __init__(
        self, phases: Sequence[float], interval: float, *, jitter: float, rng: Random
    ) -> None:
        self._interval = interval
        self._jitter = jitter * interval
        self._rng = rng
        self._heap = [(self._moved(phase), member, phase) for member, phase in enumerate(phases)]
        heapq.heapify(self._heap)

    def next_at(self) -> float:
        """Return the intended time of the next turn, in s."""
        return self._heap[0][0]

    def due(self, now: float) -> list[Turn]:
        """Return the turns intended at or before `now`, in order, and plan each member's next."""
        turns = []
        while self._heap[0][0] <= now:
            at, member, base = self._heap[0]
            turns.append(Turn(member, at))
            base += self._interval
            heapq.heapreplace(self._heap, (self._moved(base), member, base))
        return turns

    def _moved(self, base: float) -> float:
        return base + self._rng.uniform(-self._jitter, self._jitter) if self._jitter else base


def even_phases(members: int, interval: float, start: float) -> list[float]:
    """Return phases spread evenly over one interval from `start`, in s."""
    return [start + interval * member / members for member in range(members)]
