"""
The only module that reads clocks: the registry's time, as fast as it is told to pass.

At speed N one real second is N registry seconds.
Monotonic time decides everything; the wall clock only stamps,
so a step of it moves stamps and nothing else.
Nodes that were told the same epoch agree about both.
"""

from __future__ import annotations

import time

from eureka.core.instant import Instant


class Clock:
    """Reads both times, scaled by `speed` from `epoch` (Unix seconds, real time) on."""

    def __init__(self, *, speed: float = 1.0, epoch: float | None = None) -> None:
        self.speed = speed
        self._epoch = time.time() if epoch is None else epoch
        self._origin = time.monotonic()

    def now(self) -> Instant:
        """Return the present moment of the registry."""
        wall = self._epoch + (time.time() - self._epoch) * self.speed
        return Instant(self.monotonic(), int(wall * 1000))

    def monotonic(self) -> float:
        """Return the registry seconds since this process started."""
        return (time.monotonic() - self._origin) * self.speed

    def real(self, seconds: float) -> float:
        """Return how many real seconds that many registry seconds last."""
        return seconds / self.speed
