"""
When a node compares all it holds with one peer: only when there is a cause, and not often.

A cause is a delivery that failed, tasks that were dropped, an instance that came back after it was
evicted here, a record of the peer that was newer, or the start of this node.
Where nothing went wrong nothing is asked: quiet nodes stay quiet.
"""

from __future__ import annotations

from typing import Final

SETTLING: Final = 1.0
"""s from a cause to the comparison: two batching delays, for what is under way to arrive first."""

PACE: Final = 15.0
"""s between two comparisons with one peer, unless the last one found something."""

LONGEST_PAUSE: Final = 30.0
"""s between two attempts at a peer that does not answer and is sent nothing else."""


class Rift:
    """What may be different at one peer."""

    def __init__(self) -> None:
        self.capable = False
        """Whether the peer said that it can compare; others are never asked."""
        self.compared = 0
        self._troubles = 0
        self._dropped = 0
        self._due_at: float | None = None
        self._not_before = 0.0
        self._pause = PACE
        self._running = False

    def cause(self, *, now: float) -> None:
        """Tell that something may be different there."""
        if self._due_at is None:
            self._due_at = max(now + SETTLING, self._not_before)

    def answered(self, *, capable: bool, troubles: int, now: float) -> None:
        """Tell that the peer took a batch; `troubles` counts what went wrong with it so far."""
        self.capable = capable
        self._pause = PACE
        if troubles != self._troubles:
            self._troubles = troubles
            if self._due_at is not None:
                self._due_at = min(self._due_at, now + SETTLING)
            self.cause(now=now)

    def lost(self, *, dropped: int, now: float) -> None:
        """Tell how many tasks were given up: the peer may be back with nothing to be sent to it."""
        if dropped != self._dropped:
            self._dropped = dropped
            self.cause(now=now)

    def wakes_at(self) -> float | None:
        """Return when to compare; None while there is no cause."""
        return self._due_at if self.capable and not self._running else None

    def begin(self) -> None:
        """Take note that a comparison began; causes from now on are for the next one."""
        self._running = True
        self._due_at = None

    def ended(self, *, changed: int, now: float) -> None:
        """Take note that it ended; where it changed something the next one proves the end."""
        self.compared += 1
        self._running = False
        self._pause = PACE
        self._not_before = now + (SETTLING if changed else PACE)
        if self._due_at is not None or changed:
            self._due_at = self._not_before

    def failed(self, *, now: float) -> None:
        """Take note that the peer did not answer."""
        self._running = False
        self._not_before = self._due_at = now + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
