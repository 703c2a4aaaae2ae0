"""
The registries of other regions: fetched every now and then, the last copy kept.

The first fetch asks for everything, later ones for changes;
where the hash that came with those does not fit, everything is asked for again.
"""

from __future__ import annotations

import asyncio
import ssl
import zlib
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from eureka.core.errors import InvalidRequest
from eureka.core.outbox import DELIVERED
from eureka.core.region import RegionCopy
from eureka.server.beside import beside
from eureka.server.client import BROKEN, TOO_SLOW, RegistryClient, TooLarge
from eureka.server.tls import region_context
from eureka.wire.list_reading import read_applications

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from eureka.core.instance import Instance
    from eureka.core.region import Update
    from eureka.server.client import Reply
    from eureka.server.clock import Clock
    from eureka.server.log import Log
    from eureka.server.settings import RegionSettings

_LARGEST: Final = 1024 * 1024 * 1024  # bytes of a list, decompressed; a million instances
_ATTEMPT: Final = 20  # read time-outs until a list that trickles is given up
_PART: Final = 256 * 1024  # bytes decompressed in one go
_SLICE: Final = 2_000  # records freed in one go: 1 ms
_GZIPPED: Final = b"\x1f\x8b"
_NOT_A_LIST: Final = "an answer that cannot be read"


class _Refused(Exception):  # noqa: N818 - reads as the statement it is
    """A registry that answers, but not with a list."""


class Regions:
    """Copies of the configured regions' registries; entering the block starts to fetch them."""

    def __init__(
        self, settings: RegionSettings, clock: Clock, log: Log, *, retention: float
    ) -> None:
        # Without a region nothing falls back, and a change makes only its own lists wrong.
        self.fallback = bool(settings.urls) and not settings.no_fallback
        self._settings = settings
        self._clock = clock
        self._log = log
        self._retention = retention
        self._copies = {name: RegionCopy(settings.applications(name)) for name in settings.urls}
        self._tasks: list[asyncio.Task[None]] = []

    def names(self) -> frozenset[str]:
        """Return the names of the configured regions."""
        return frozenset(self._copies)

    def ready(self, name: str) -> bool:
        """Tell whether there is a copy of that region, however old."""
        return self._copies[name].ready

    def instances(self, name: str) -> tuple[Instance, ...]:
        """Return the instances of a region, those of its whitelist."""
        return self._copies[name].instances

    def recent(self, name: str) -> tuple[Instance, ...]:
        """Return what changed in a region within the delta's retention."""
        return self._copies[name].recent

    def version(self, name: str) -> int:
        """Return a number that rises with every change."""
        return self._copies[name].version

    async def __aenter__(self) -> Self:
        self._tasks = [
            asyncio.create_task(self._keep(name, url), name=f"region {name}")
            for name, url in self._settings.urls.items()
        ]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _keep(self, name: str, url: str) -> None:
        """Keep one copy up to date, for good."""
        context = region_context(self._settings.authorities) if url.startswith("https:") else None
        client = RegistryClient(url, idle=2 * self._settings.fetch_interval, tls=context)
        copy = self._copies[name]
        failing = False
        loop = asyncio.get_running_loop()
        interval = self._clock.real(self._settings.fetch_interval)
        try:
            while True:
                due = loop.time() + interval
                try:
                    await self._fetch(client, copy)
                except Exception as error:  # noqa: BLE001 - whatever it is, the copy is kept
                    if not failing:
                        failing = True
                        told = _told(error)
                        self._log.warning("region-fails", region=name, url=client.shown, error=told)
                        if not isinstance(error, _EXPECTED):
                            self._log.failure("region-failed", error, region=name)
                else:
                    if failing:
                        failing = False
                        self._log.info("region-answers-again", region=name, url=client.shown)
                copy.forget(before=self._clock.monotonic() - self._retention)
                await asyncio.sleep(max(due - loop.time(), 0.0))
        finally:
            await client.close()

    async def _fetch(self, client: RegistryClient, copy: RegionCopy) -> None:
        if copy.ready and not self._settings.no_delta:
            reply = await self._get(client, "apps/delta")
            if reply is not None:
                update, fits = await beside(partial(self._changes, copy, reply), name="region")
                if fits:
                    await self._adopt(copy, update)
                    return
        reply = await self._get(client, "apps/", needed=True)
        update = await beside(partial(self._everything, copy, reply), name="region")
        await self._adopt(copy, update)

    async def _adopt(self, copy: RegionCopy, update: Update) -> None:
        """Adopt an update, and free what it replaces in slices: all at once it takes 50 ms."""
        replaced = copy.adopt(update, now=self._clock.monotonic())
        while replaced:
            for _ in range(min(len(replaced), _SLICE)):
                replaced.popitem()
            await asyncio.sleep(0)

    async def _get(
        self, client: RegistryClient, path: str, *, needed: bool = False
    ) -> Reply | None:
        """Return the answer that is a list; None if it is refused and not needed."""
        connect = self._clock.real(self._settings.connect_timeout)
        read = self._clock.real(self._settings.read_timeout)
        headers = [(b"DiscoveryIdentity-Name", b"DefaultServer")]
        if self._settings.gzip:
            headers.append((b"Accept-Encoding", b"gzip"))
        async with asyncio.timeout(connect + _ATTEMPT * read):
            reply = await client.fetch(path, connect=connect, read=read, headers=headers)
        if reply.status == DELIVERED:
            return reply
        if needed:
            raise _Refused(f"HTTP status {reply.status}")
        return None

    def _changes(self, copy: RegionCopy, reply: Reply) -> tuple[Update, bool]:
        listed = read_applications(_plain(reply.parts), arrived_ms=self._clock.now().epoch_ms)
        update = copy.with_changes(listed.instances)
        return update, not listed.unreadable and update.hash == listed.hash

    def _everything(self, copy: RegionCopy, reply: Reply | None) -> Update:
        parts = [] if reply is None else _plain(reply.parts)
        listed = read_applications(parts, arrived_ms=self._clock.now().epoch_ms)
        return copy.with_all(listed.instances)


_EXPECTED: Final = (
    *(*TOO_SLOW, *BROKEN),
    *(InvalidRequest, TooLarge, _Refused, zlib.error, msgspec.DecodeError),
)


def _plain(parts: list[bytes]) -> list[bytes]:
    """Return a body as it was before it was compressed, in parts."""
    if not b"".join(parts[:2]).startswith(_GZIPPED):
        return parts
    inflater = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    plain: list[bytes] = []
    size = 0
    for part in parts:
        rest = part
        while rest:
            plain.append(inflater.decompress(rest, _PART))
            size += len(plain[-1])
            rest = inflater.unconsumed_tail
            if size > _LARGEST:
                raise TooLarge
    plain.append(inflater.flush())
    if not inflater.eof:
        raise InvalidRequest("it ends too early")
    return plain


def _told(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason or error}"
    if isinstance(error, (InvalidRequest, msgspec.DecodeError, zlib.error)):
        return f"{_NOT_A_LIST}: {error}"
    return str(error) or type(error).__name__
