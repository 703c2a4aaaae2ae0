"""
The reads of the protocol: lists, by way of the cache, and single instances, as they are now.

A list names its regions; names that are not configured mean nothing, and such a list passes by
the read-only layer: it is the plain one, and was not read under this name before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka.core.errors import UnknownInstance, UnknownName
from eureka.core.instance import Key
from eureka.server.cache import CacheKey, Kind, Payload, ResponseCache
from eureka.server.exchange import JSON, XML, Request, Response
from eureka.server.limit import NoLimit
from eureka.server.lists import Lists
from eureka.server.preparation import Later, Preparation
from eureka.wire.negotiation import Format, accepted_formats, accepts_gzip

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka.core.instance import Record
    from eureka.core.node import Node
    from eureka.server.clock import Clock
    from eureka.server.limit import LimitedKind, Limiter
    from eureka.server.settings import Settings
    from eureka.wire.paths import Resource

CLOSED: Final = 403
TOO_OFTEN: Final = 503

_LISTS: Final[dict[Resource, Kind]] = {
    "apps": "apps",
    "delta": "delta",
    "app": "app",
    "vip": "vip",
    "svip": "svip",
}
_LIMITED: Final[dict[Kind, LimitedKind]] = {"apps": "full", "delta": "delta", "app": "application"}
_REGIONAL: Final = ("apps", "delta")
_ZIPPED: Final = ("apps", "delta")
_LABELS: Final[dict[Format, tuple[bytes, bytes]]] = {"json": JSON, "xml": XML}
_GZIP: Final = (b"content-encoding", b"gzip")


class Reading:
    """Answers reads on one node."""

    def __init__(self, node: Node, settings: Settings, clock: Clock) -> None:
        self.limiter: Limiter = NoLimit()
        self.lists = Lists(node.registry)
        self.cache = ResponseCache(
            self.lists.generate,
            read_only=settings.read_only_cache,
            expiry=settings.cache_expiry,
            versions=self.lists.versions,
        )
        self.preparation = Preparation(node.registry, self.lists, self.cache, clock)
        self._registry = node.registry
        self._clock = clock
        self._disable_delta = settings.disable_delta

    @property
    def handlers(self) -> dict[tuple[Resource, str], Callable[[Request], Response]]:
        """What answers which call."""
        return {
            **{(resource, "GET"): self._list for resource in _LISTS},
            ("by-id", "GET"): self._by_id,
            ("instance", "GET"): self._instance,
        }

    def written(self, request: Request, record: Record, status: int = 200) -> Response:
        """Return one instance in the format the caller prefers."""
        form = accepted_formats(request.accept)[0]
        body = self.lists.writer(form).instance(record)
        return Response(status, body, (_LABELS[form],))

    def _list(self, request: Request) -> Response:
        now = self._clock.now()
        kind = _LISTS[request.target.resource]
        limited = _LIMITED.get(kind)
        if (
            limited is not None
            and request.prepared is None
            and request.method == "GET"
            and not self.limiter.allows(limited, request.identity, now)
        ):
            return Response(TOO_OFTEN)
        self._registry.check_lists_open(now=now)
        if kind == "delta" and self._disable_delta:
            return Response(CLOSED)
        named = request.query().get("regions") if kind in _REGIONAL else None
        regions = self.lists.regions(named)
        form = accepted_formats(request.accept)[0]
        key = CacheKey(kind, request.target.name, request.compact, form, regions)
        fresh = named is not None and not regions
        zipped = kind in _ZIPPED and accepts_gzip(request.accept_encoding)
        payload = request.prepared
        if payload is None:
            if self.preparation.is_needed(key, zipped=zipped, fresh=fresh):
                raise Later(key, zipped=zipped, fresh=fresh)
            payload = self.cache.get(key, now=now.monotonic, fresh=fresh)
        if payload is None:
            if kind == "app":
                raise UnknownName("application", key.name)
            payload = Payload(self.lists.no_addresses(key), now.monotonic)
        if zipped:
            return Response(200, payload.zipped, (_LABELS[form], _GZIP))
        first, *more = payload.pieces
        return Response(200, first, (_LABELS[form],), tuple(more))

    def _instance(self, request: Request) -> Response:
        key = Key(request.target.name, request.target.id)
        try:
            record = self._registry.read(key, now=self._clock.now()).record()
        except UnknownInstance:
            found = self.lists.elsewhere(lambda one: one.key == key)
            if found is None:
                raise
            record = found
        return self.written(request, record)

    def _by_id(self, request: Request) -> Response:
        wanted = request.target.id
        lease = self._registry.find_by_id(wanted, now=self._clock.now())
        record = lease.record() if lease else self.lists.elsewhere(lambda one: one.key.id == wanted)
        if record is None:
            raise UnknownName("instance", wanted)
        return self.written(request, record)
