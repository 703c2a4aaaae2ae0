"""
The pauses of the loop: how long something kept everyone else waiting.

A timer that should go off every few milliseconds goes off late by as much as the loop was kept.
Of that, the processor time this process used meanwhile is our own doing
(a thread beside the loop keeps it too, while it holds the interpreter);
the rest is the machine's, which had other things to do.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from eureka.server.clock import monotonic, processor

if TYPE_CHECKING:
    from collections.abc import Callable

PERIOD: Final = 0.02  # real seconds between two looks; 50 of them a second cost 0.1 % of a core
STALL: Final = 0.05  # real seconds; a longer pause is counted
RECENT: Final = 60.0  # real seconds that `recent` looks back, at least; at most twice that


class Watchdog:
    """
    Measures the loop it runs in, from `start` to `stop`. All figures are real seconds.

    `worst`: the longest pause ever, `busy` the longest that was our own doing;
    `stalls`: how many pauses were longer than `STALL`.
    """

    def __init__(
        self,
        *,
        uptime: Callable[[], float] = monotonic,
        used: Callable[[], float] = processor,
    ) -> None:
        self.worst = 0.0
        self.busy = 0.0
        self.stalls = 0
        self._uptime = uptime
        self._used = used
        self._lately = 0.0  # in the present window, and in the one before
        self._before = 0.0
        self._window_ends = 0.0
        self._due = 0.0
        self._used_at_look = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def tasks(self) -> int:
        """How many tasks live in the loop now."""
        return len(asyncio.all_tasks(self._loop)) if self._loop is not None else 0

    @property
    def recent(self) -> float:
        """The longest pause of the last minute or two."""
        return max(self._lately, self._before)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start to measure."""
        self._loop = loop
        self._window_ends = self._uptime() + RECENT
        self._wait(loop)

    def stop(self) -> None:
        """Stop measuring; what was seen stays."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._loop = None

    def look(self) -> None:
        """Take note of how late this look is."""
        now = self._uptime()
        pause = max(now - self._due, 0.0)
        busy = min(pause, max(self._used() - self._used_at_look, 0.0))
        if now >= self._window_ends:
            self._before, self._lately = self._lately, 0.0
            self._window_ends = now + RECENT
        self._lately = max(self._lately, pause)
        self.worst = max(self.worst, pause)
        self.busy = max(self.busy, busy)
        self.stalls += pause > STALL

    def _wait(self, loop: asyncio.AbstractEventLoop) -> None:
        self._due = self._uptime() + PERIOD
        self._used_at_look = self._used()
        self._timer = loop.call_later(PERIOD, self._go_on, loop)

    def _go_on(self, loop: asyncio.AbstractEventLoop) -> None:
        self.look()
        self._wait(loop)
