"""
The only module that reads clocks: the registry's time, as fast as it is told to pass.

At speed N one real second is N registry seconds.
Monotonic time decides everything; the wall clock only stamps,
so a step of it moves stamps and nothing else.
Nodes that were told the same epoch agree about both.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from eureka.core.instant import Instant

if TYPE_CHECKING:
    from collections.abc import Callable


monotonic = time.monotonic
"""Real seconds since some moment, for what is measured and not decided by registry time."""

processor = time.process_time
"""Processor seconds this process has used, all its threads."""


class Clock:
    """
    Reads both times, scaled by `speed` from `epoch` (Unix seconds, real time) on.

    `wall` and `uptime` are the machine's clocks.
    """

    def __init__(
        self,
        *,
        speed: float = 1.0,
        epoch: float | None = None,
        wall: Callable[[], float] = time.time,
        uptime: Callable[[], float] = time.monotonic,
    ) -> None:
        self.speed = speed
        self._wall = wall
        self._uptime = uptime
        self._epoch = wall() if epoch is None else epoch
        self._origin = uptime()

    def now(self) -> Instant:
        """Return the present moment of the registry."""
        wall = self._epoch + (self._wall() - self._epoch) * self.speed
        return Instant(self.monotonic(), int(wall * 1000))

    def monotonic(self) -> float:
        """Return the registry seconds since this process started."""
        return (self._uptime() - self._origin) * self.speed

    def real(self, seconds: float) -> float:
        """Return how many real seconds that many registry seconds last."""
        return seconds / self.speed
