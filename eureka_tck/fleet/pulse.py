"""
When a busy fleet looks at its answers: not for each, but for those of half a millisecond.

To be woken costs a process as much as a request does, so a fleet that looked at once would use a
whole core at any pace. What it says of latencies above `BRISK` is right to twice `GATHER`: as much
may pass before a turn is sent, and before its answer is found. Pure.
"""

from __future__ import annotations

from typing import Final

BRISK: Final = 10_000
"""Requests a second; with fewer than five in a `GATHER` there is little to be gained."""
GATHER: Final = 0.0005
"""Seconds between two looks, at least."""


class Pulse:
    """The pace at which a fleet looks; instants are monotonic seconds."""

    __slots__ = ("_brisk", "_counted", "_looked", "_since")

    def __init__(self) -> None:
        self._brisk = False
        self._counted, self._since = 0, 0.0
        self._looked = 0.0

    def count(self, requests: int, now: float) -> None:
        """Take how many requests were answered so far: their pace decides."""
        self._brisk = requests - self._counted > BRISK * (now - self._since)
        self._counted, self._since = requests, now

    def rest(self, now: float) -> float:
        """Return how long to rest before the look that is next, in s."""
        rest = max(0.0, self._looked + GATHER - now) if self._brisk else 0.0
        self._looked = now + rest
        return rest
