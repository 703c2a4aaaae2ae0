"""A wait for a moment of the registry that may be moved forward while it lasts."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from eureka.server.clock import Clock

_SHORTEST: Final = 0.001  # real seconds; the loop's timers are no finer


class Alarm:
    """Wakes the one task that waits for it; moments are monotonic seconds of the registry."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rung = asyncio.Event()
        self._due: float | None = None

    async def wait(self, due: float | None) -> None:
        """Wait until that moment, or until it rings; with None until it rings."""
        self._due = due
        self._rung.clear()
        rest = None if due is None else self._clock.real(due - self._clock.monotonic())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(None if rest is None else max(rest, _SHORTEST)):
                await self._rung.wait()
        self._due = None

    def set(self, due: float | None) -> None:
        """End a wait for a later moment, so that its task looks anew; None is never."""
        if due is not None and (self._due is None or due < self._due):
            self.ring()

    def ring(self) -> None:
        """End the wait."""
        self._rung.set()
