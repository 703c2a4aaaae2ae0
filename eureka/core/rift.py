"""
When a node compares all it holds with one peer: only when there is a cause, and not often.

A cause is a delivery that failed, tasks that were dropped, an instance that came back after it was
evicted here, a record of the peer that was newer, the start of this node, or a peer that it is told
of later.
Where nothing went wrong nothing is asked: quiet nodes stay quiet.
A question may have been lost with the batches that failed while it was out: once one is answered
again, it is asked anew instead of waited for, but no two in a row.
Where a comparison finds again what the last one found, merging does not end it,
and the next ones come ever more seldom.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka.core.merge import DIALECT

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from eureka.core.instance import Key

SETTLING: Final = 1.0
"""s from a cause to the comparison: two batching delays, for what is under way to arrive first."""

PACE: Final = 15.0
"""s between two comparisons with one peer, unless the last one found something."""

LONGEST_PAUSE: Final = 30.0
"""s between two attempts at a peer that does not answer and is sent nothing else."""

LONGEST_DOUBT: Final = 60.0
"""s between two comparisons that find the same again and again."""

ENDLESS: Final = 4
"""Comparisons in a row that found the same; two are usual where an instance is just changing."""


class Rift:
    """What may be different at one peer; `due_at` is when to compare without any other cause."""

    def __init__(self, due_at: float | None = None) -> None:
        self.akin = False
        """Whether the peer is of our own kind, and so understands the marks of tasks."""
        self.capable = False
        """Whether the peer compares just as this node does; others are never asked."""
        self.compared = 0
        self.repeats = 0
        """How many comparisons in a row found a record that the one before had found."""
        self._found: AbstractSet[Key] = frozenset()
        self._troubles = 0
        self._dropped = 0
        self._due_at = due_at
        self._not_before = 0.0
        self._doubts_until = 0.0
        self._pause = PACE
        self._running = False
        self.is_overtaken = False
        """Whether the comparison under way shall be given up, since what it asked may be lost."""
        self._may_overtake = True

    def heard(self, dialect: str) -> None:
        """Tell what the peer announced; empty for one of another kind."""
        self.akin = bool(dialect)
        self.capable = dialect == DIALECT

    def cause(self, *, now: float) -> None:
        """Tell that something may be different there."""
        if self._due_at is None:
            self._due_at = max(now + SETTLING, self._not_before)

    def answered(self, *, dialect: str, troubles: int, now: float) -> None:
        """Tell that the peer took a batch; `troubles` counts what went wrong with it so far."""
        self.heard(dialect)
        self._pause = PACE
        if troubles != self._troubles:
            self._troubles = troubles
            if self._running and self._may_overtake:
                self.is_overtaken = True
            if self._due_at is not None:
                self._due_at = min(self._due_at, max(now + SETTLING, self._doubts_until))
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

    def ended(self, *, changed: AbstractSet[Key], now: float) -> None:
        """
        Take note that it ended, and whose records it changed:
        where it changed something the next one proves the end.
        """
        self.compared += 1
        self._running = self.is_overtaken = False
        self._may_overtake = True
        self._pause = PACE
        if changed and not self._found.isdisjoint(changed):
            self.repeats += 1
        elif not changed:
            self.repeats = 0
        self._found = changed
        self._not_before = now + (self._doubt() if changed else PACE)
        self._doubts_until = self._not_before if self.repeats else 0.0
        if self._due_at is not None or changed:
            self._due_at = self._not_before

    def failed(self, *, now: float) -> None:
        """Take note that the peer did not answer, or was not waited for."""
        self._running = False
        if self.is_overtaken:
            self.is_overtaken = self._may_overtake = False
            self._not_before = self._due_at = now + SETTLING
            return
        self._may_overtake = True
        self._not_before = self._due_at = now + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def _doubt(self) -> float:
        """Return the seconds to the next comparison: the first repetition may well be chance."""
        doublings = min(max(self.repeats - 1, 0), 10)
        return min(SETTLING * (1 << doublings), LONGEST_DOUBT)
