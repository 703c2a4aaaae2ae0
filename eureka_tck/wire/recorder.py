"""The list of exchanges that a test leaves behind as its evidence."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.wire.exchange import Exchange

KEPT: Final = 500
"""Exchanges kept by default: at most 2 × 4 KB each, so 4 MB; the oldest go first."""


class Recorder:
    """
    Keeps the last exchanges; `now` says the registry second at which each began.

    `seen` counts all of them, `slowest` is the longest that one was waited for which was answered,
    in real seconds.
    """

    def __init__(self, *, now: Callable[[], float] | None = None, kept: int = KEPT) -> None:
        self._exchanges: deque[Exchange] = deque(maxlen=kept)
        self._now = now
        self.seen = 0
        self.slowest = 0.0

    @property
    def exchanges(self) -> list[Exchange]:
        """The exchanges kept, oldest first."""
        return list(self._exchanges)

    def now(self) -> float | None:
        """Return the registry second it is, or None without a cluster."""
        return None if self._now is None else self._now()

    def record(self, exchange: Exchange) -> None:
        """Add an exchange; the oldest is forgotten when there are too many."""
        self._exchanges.append(exchange)
        self.seen += 1
        if exchange.status is not None:
            self.slowest = max(self.slowest, exchange.seconds)

    def forget(self) -> None:
        """Drop all that is kept: what comes next is the evidence."""
        self._exchanges.clear()
