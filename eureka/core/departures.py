"""
Who left, and why: what keeps a cancelled instance from coming back out of another node's memory.

A cancellation is knowledge: whoever still holds that record, and has not heard of it since, holds a
ghost. An eviction is only silence: another node that heard of the instance later knows better.
Both are remembered for a while, and not without limit.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

import msgspec

from eureka.core.revision import Stamp

if TYPE_CHECKING:
    from eureka.core.instance import Key

REMEMBERED_FOR: Final = 3600.0
"""s; a ghost lives two lease durations (180 s by default), longer only under self-preservation."""

REMEMBERED: Final = 10_000
"""Of each kind; as many as wait for a peer at most. The oldest are forgotten."""


class Cancelled(msgspec.Struct, frozen=True, gc=False):
    """A record was cancelled: its T, the stamp of the call, and when that was (monotonic s)."""

    dirty_ms: int
    stamp: Stamp
    at: float


class Departures:
    """The instances that left a node recently."""

    def __init__(self) -> None:
        # The oldest of a plain dict is found by passing over all that was deleted before it.
        self._cancelled: OrderedDict[Key, Cancelled] = OrderedDict()
        self._evicted: OrderedDict[Key, float] = OrderedDict()

    def cancelled(self, key: Key, departure: Cancelled) -> None:
        """Remember a cancellation."""
        self._cancelled.pop(key, None)
        self._evicted.pop(key, None)
        self._cancelled[key] = departure
        self._forget(now=departure.at)

    def evicted(self, key: Key, *, now: float) -> None:
        """Remember an eviction."""
        self._evicted.pop(key, None)
        self._evicted[key] = now
        self._forget(now=now)

    def find_cancelled(self, key: Key) -> Cancelled | None:
        """Return how the instance was cancelled, if it was and has not come back."""
        return self._cancelled.get(key)

    def evicted_at(self, key: Key) -> float | None:
        """Return when the instance was evicted, if it was and has not come back."""
        return self._evicted.get(key)

    def all_cancelled(self) -> list[tuple[Key, Cancelled]]:
        """Return all cancellations that are remembered."""
        return list(self._cancelled.items())

    def came_back(self, key: Key) -> tuple[Cancelled | None, float | None]:
        """Forget how the instance left, and return it."""
        return self._cancelled.pop(key, None), self._evicted.pop(key, None)

    def _forget(self, *, now: float) -> None:
        while self._cancelled:
            key, departure = next(iter(self._cancelled.items()))
            if len(self._cancelled) <= REMEMBERED and now - departure.at <= REMEMBERED_FOR:
                break
            del self._cancelled[key]
        while self._evicted:
            key, at = next(iter(self._evicted.items()))
            if len(self._evicted) <= REMEMBERED and now - at <= REMEMBERED_FOR:
                break
            del self._evicted[key]
