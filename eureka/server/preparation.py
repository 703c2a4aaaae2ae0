"""
Large lists, made in a thread beside the loop: a hundred thousand instances take a second at first.

What a list shows is noted on the loop, in one go, so it is what the registry was at one moment;
only writing and zipping happen in the thread. Whoever asks meanwhile shares a list that was noted
after he asked, never an earlier one: he must find his own changes in it.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final

from eureka.server.beside import beside
from eureka.server.cache import Payload
from eureka.server.zipping import Zipper, zipped_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eureka.core.registry import Registry
    from eureka.server.cache import CacheKey, ResponseCache
    from eureka.server.clock import Clock
    from eureka.server.lists import Lists

    Zip = Callable[[list[bytes]], bytes]

LARGE: Final = 2_500
"""Instances; a list of so many takes 30 ms when none of them was written before."""

_PIECE: Final = 256 * 1024  # bytes sent at once, at least


class Later(Exception):  # noqa: N818 - it reads as the statement it is
    """A list is too large to be made while everybody waits: prepare it, then ask again."""

    def __init__(self, key: CacheKey, *, zipped: bool, fresh: bool) -> None:
        super().__init__(key)
        self.key = key
        self.zipped = zipped
        self.fresh = fresh


class _Flight:
    """A list that is being made: the changes it knows of, and what will be there."""

    def __init__(self, version: int, task: asyncio.Task[Payload]) -> None:
        self.version = version
        self.task = task


class Preparation:
    """Makes the large lists of one node."""

    def __init__(
        self, registry: Registry, lists: Lists, cache: ResponseCache, clock: Clock
    ) -> None:
        self._registry = registry
        self._lists = lists
        self._cache = cache
        self._clock = clock
        self._flights: dict[tuple[CacheKey, bool], _Flight] = {}
        self._zippers: dict[CacheKey, Zipper] = {}
        self._writing = asyncio.Lock()  # what writes keeps what it wrote: one list at a time

    def is_needed(self, key: CacheKey, *, zipped: bool, fresh: bool) -> bool:
        """Tell whether a list is large and not there in the form that is wanted."""
        if not self.is_large(key):
            return False
        payload = self._cache.ready(key, now=self._clock.monotonic(), fresh=fresh)
        return payload is None or not payload.has(zipped=zipped)

    def is_large(self, key: CacheKey) -> bool:
        """Tell whether a list must not be made on the loop."""
        return self._lists.size(key) >= LARGE

    async def payload(self, later: Later) -> Payload | None:
        """
        Return a list that shows all that had changed when this was called;
        None if nobody has its name any more.
        """
        key, zipped = later.key, later.zipped
        wanted = self._registry.changes.version
        while True:
            ready = self._cache.ready(key, now=self._clock.monotonic(), fresh=later.fresh)
            if ready is not None:
                if not ready.has(zipped=zipped):
                    await self._beside(partial(ready.make, zipped=zipped))
                return ready
            flight = self._flights.get((key, zipped))
            if flight is None:
                flight = self._start(key, zipped=zipped)
            if flight is None:
                return None
            if flight.version >= wanted:
                payload = await asyncio.shield(flight.task)
                if not later.fresh:
                    self._cache.show(key, payload)
                return payload
            await asyncio.wait({flight.task})

    async def refresh(self) -> None:
        """Bring what the read-only layer shows of large lists up to date."""
        now = self._clock.monotonic()
        for key, shown in self._cache.shown():
            if not self.is_large(key) or self._cache.ready(key, now=now, fresh=True) is shown:
                continue
            for zipped in (True, False):
                if shown.has(zipped=zipped):
                    payload = await self.payload(Later(key, zipped=zipped, fresh=True))
                    if payload is not None:  # else the small lists' refresh takes it away
                        self._cache.show(key, payload)
                    break

    def _start(self, key: CacheKey, *, zipped: bool) -> _Flight | None:
        seen = self._state()
        made_at = self._clock.monotonic()
        picture = self._lists.picture(key)
        if picture is None:
            return None
        versions = self._cache.versions(key)
        write = partial(_payload, picture, made_at, versions, self._zip(key) if zipped else None)
        making = self._make(key, write, seen, zipped=zipped)
        flight = _Flight(seen[0], asyncio.create_task(making, name="list"))
        self._flights[key, zipped] = flight
        return flight

    async def _make(
        self,
        key: CacheKey,
        write: Callable[[], Payload],
        seen: tuple[int, int],
        *,
        zipped: bool,
    ) -> Payload:
        try:
            with self._lists.written_elsewhere():
                payload = await self._beside(write)
        finally:
            del self._flights[key, zipped]
        if self._state() == seen:
            self._cache.keep(key, payload)
        self._cache.misses += 1
        return payload

    def _zip(self, key: CacheKey) -> Zip:
        """Return what zips a list: of the registry's full one most is as it was the last time."""
        if key.kind != "apps" or self._lists.shows_regions(key):
            return zipped_from
        return self._zippers.setdefault(key, Zipper()).zipped

    def _state(self) -> tuple[int, int]:
        """Return what differs after a change, and after one was forgotten."""
        changes = self._registry.changes
        return changes.version, len(changes)

    async def _beside(self, work: Callable[[], Payload]) -> Payload:
        async with self._writing:
            return await beside(work, name="list")


def _payload(
    write: Callable[[], list[bytes]], made_at: float, versions: tuple[int, ...], zip_: Zip | None
) -> Payload:
    """Write a list and zip it, part by part: no step keeps the interpreter for long."""
    parts = write()
    if zip_ is not None:
        return Payload.of_zipped(zip_(parts), made_at, versions)
    return Payload(tuple(_pieces(parts)), made_at, versions)


def _pieces(parts: list[bytes]) -> Iterator[bytes]:
    """Yield parts joined to pieces of some size: each is sent on its own."""
    waiting: list[bytes] = []
    size = 0
    for part in parts:
        waiting.append(part)
        size += len(part)
        if size >= _PIECE:
            yield waiting[0] if len(waiting) == 1 else b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)
