"""
The calls of the protocol: each is parse, one call of the core, render.
Synchronous, so that no other call
comes between; a branch about the protocol here is a bug in placement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from isal import igzip

from eureka.core.errors import InvalidRequest, RequestError, UnknownName
from eureka.core.event import Changed, DeltaForgot
from eureka.core.instance import Key
from eureka.core.status import Action, Status
from eureka.server.cache import CacheKey, Kind, Payload, ResponseCache
from eureka.server.exchange import JSON, TEXT, Request, Response
from eureka.server.limit import NoLimit
from eureka.server.remote import NoRemote
from eureka.wire.batch import read_batch, write_answers
from eureka.wire.fields import commanded_status, known_status, query_timestamp
from eureka.wire.negotiation import accepted_formats, accepts_gzip, content_format
from eureka.wire.paths import METHODS, Resource
from eureka.wire.reading import read_registration
from eureka.wire.writing import JsonWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from eureka.core.event import Event
    from eureka.core.lease import Lease
    from eureka.core.node import Answer, Node
    from eureka.server.clock import Clock
    from eureka.server.limit import Limiter
    from eureka.server.remote import Remote
    from eureka.server.settings import Settings

MISDIRECTED: Final = 421
"""The answer to a batch that a node sent to itself: the URL is another name for the sender."""

OK: Final = Response(200)
STORED: Final = Response(204)
_GZIP: Final = (b"content-encoding", b"gzip")
_FASTEST = 1  # level of isal; level 2 takes twice as long for 4 % less

_LISTS: Final[dict[Resource, Kind]] = {
    "apps": "apps",
    "delta": "delta",
    "app": "app",
    "vip": "vip",
    "svip": "svip",
}
_ZIPPED: Final = ("apps", "delta")
_COMMANDS = frozenset(Status) - {Status.UNKNOWN}  # an override UNKNOWN would lock its client out
_REMOVALS = frozenset(Status)


class Service:
    """Answers requests on one node."""

    def __init__(self, node: Node, settings: Settings, clock: Clock) -> None:
        self.node = node
        self.settings = settings
        self.clock = clock
        self.writer = JsonWriter()
        self.node_id = ""  # what this node calls itself in its batches
        self.told: Callable[[], None] = _nobody  # called when there may be something to replicate
        self.remote: Remote = NoRemote()
        self.limiter: Limiter = NoLimit()
        self.cache = ResponseCache(
            self._generate, read_only=settings.read_only_cache, expiry=settings.cache_expiry
        )
        self._handlers: dict[tuple[Resource, str], Callable[[Request, bytes], Response]] = {
            ("apps", "GET"): self._list,
            ("delta", "GET"): self._list,
            ("app", "GET"): self._list,
            ("vip", "GET"): self._list,
            ("svip", "GET"): self._list,
            ("by-id", "GET"): self._by_id,
            ("instance", "GET"): self._instance,
            ("app", "POST"): self._register,
            ("instance", "PUT"): self._renew,
            ("instance", "DELETE"): self._cancel,
            ("status", "PUT"): self._set_status,
            ("status", "DELETE"): self._remove_status,
            ("metadata", "PUT"): self._set_metadata,
            ("batch", "POST"): self._batch,
        }

    def wants_body(self, request: Request) -> bool:
        """Tell whether the call is described by its body."""
        return request.method == "POST"

    def answer(self, request: Request, body: bytes = b"") -> Response:
        """Answer one request."""
        method = "GET" if request.method == "HEAD" else request.method
        handler = self._handlers.get((request.target.resource, method))
        if not accepted_formats(request.accept):
            return Response(406, b"This registry answers in JSON or XML.", (TEXT,))
        if handler is None:
            allowed = (b"allow", ",".join(METHODS[request.target.resource]).encode())
            return Response(200 if method == "OPTIONS" else 405, headers=(allowed,))
        try:
            return handler(request, body)
        except InvalidRequest as refusal:
            return Response(400, str(refusal).encode(errors="replace"), (TEXT,))
        except RequestError as refusal:
            # Without a body: older Java clients never register again after a 404 that has one.
            return Response(refusal.status)

    def happened(self, events: Iterable[Event]) -> None:
        """Take note of what the core did: lists that became wrong are dropped."""
        for event in events:
            if isinstance(event, Changed):
                self.cache.changed(event)
                if event.after.action is Action.DELETED:
                    self.writer.forget(event.after.key)
            elif isinstance(event, DeltaForgot):
                self.cache.forgot()

    # Reading

    def _list(self, request: Request, _body: bytes) -> Response:
        now = self.clock.now()
        self.node.registry.check_lists_open(now=now)
        kind = _LISTS[request.target.resource]
        if kind == "delta" and self.settings.disable_delta:
            return Response(403)
        key = CacheKey(kind, request.target.name, request.compact)
        # Nobody knows other regions here yet:
        # a list that names some is the plain one, not kept apart.
        fresh = "regions" in request.query()
        payload = self.cache.get(key, now=now.monotonic, fresh=fresh)
        if payload is None:
            if kind == "app":
                raise UnknownName("application", key.name)
            payload = Payload(self._vip(key, ()), now.monotonic)
        return self._written(request, payload, zipped=kind in _ZIPPED)

    def _instance(self, request: Request, _body: bytes) -> Response:
        key = Key(request.target.name, request.target.id)
        lease = self.node.registry.read(key, now=self.clock.now())
        return self._single(request, lease)

    def _by_id(self, request: Request, _body: bytes) -> Response:
        lease = self.node.registry.find_by_id(request.target.id, now=self.clock.now())
        if lease is None:
            raise UnknownName("instance", request.target.id)
        return self._single(request, lease)

    def _single(self, request: Request, lease: Lease) -> Response:
        if "json" not in accepted_formats(request.accept):
            return _NO_XML
        return Response(200, self.writer.instance(lease.record()), (JSON,))

    def _written(self, request: Request, payload: Payload, *, zipped: bool) -> Response:
        if "json" not in accepted_formats(request.accept):
            return _NO_XML
        if not (zipped and accepts_gzip(request.accept_encoding)):
            return Response(200, payload.body, (JSON,))
        if payload.zipped is None:
            payload.zipped = igzip.compress(payload.body, _FASTEST)
        return Response(200, payload.zipped, (JSON, _GZIP))

    def _generate(self, key: CacheKey) -> bytes | None:
        registry = self.node.registry
        if key.kind == "apps":
            return self.writer.applications(
                {name: leases.values() for name, leases in registry.leases.by_app.items()},
                counts=registry.leases.counts,
                version=1,  # only the delta's version counts
                compact=key.compact,
            )
        if key.kind == "delta":
            return self.writer.delta(
                registry.recent(),
                counts=registry.leases.counts,
                version=registry.changes.version,
                compact=key.compact,
            )
        if key.kind == "app":
            leases = registry.leases.by_app.get(key.name)
            if leases is None:
                return None
            return self.writer.application(key.name, leases.values(), compact=key.compact)
        found = registry.listing(key.name, secure=key.kind == "svip")
        return self._vip(key, found) if found else None

    def _vip(self, key: CacheKey, found: Iterable[Lease]) -> bytes:
        by_name: dict[str, list[Lease]] = {}
        counts: dict[Status, int] = {}
        for lease in found:
            by_name.setdefault(lease.instance.key.app, []).append(lease)
            counts[lease.instance.status] = counts.get(lease.instance.status, 0) + 1
        return self.writer.applications(by_name, counts=counts, version=-1, compact=key.compact)

    # Writing

    def _register(self, request: Request, body: bytes) -> Response:
        if content_format(request.content_type) != "json":
            return Response(415, b"A registration comes as application/json.", (TEXT,))
        now = self.clock.now()
        instance = read_registration(body, arrived_ms=now.epoch_ms)
        if instance.key.app != request.target.name:
            raise InvalidRequest(
                f"Mismatched appName, expecting {request.target.name} but was {instance.key.app}"
            )
        self._done(self.node.register(instance, now=now, replicated=request.replicated))
        return STORED

    def _renew(self, request: Request, _body: bytes) -> Response:
        query = request.query()
        dirty_ms = query_timestamp(query.get("lastDirtyTimestamp"))
        answer = self.node.renew(
            Key(request.target.name, request.target.id),
            now=self.clock.now(),
            replicated=request.replicated,
            dirty_ms=dirty_ms,
            override=known_status(query.get("overriddenstatus")),
        )
        return self._done(answer)

    def _cancel(self, request: Request, _body: bytes) -> Response:
        key = Key(request.target.name, request.target.id)
        return self._done(
            self.node.cancel(key, now=self.clock.now(), replicated=request.replicated)
        )

    def _set_status(self, request: Request, _body: bytes) -> Response:
        query = request.query()
        answer = self.node.set_status(
            Key(request.target.name, request.target.id),
            commanded_status(query.get("value"), allowed=_COMMANDS),
            now=self.clock.now(),
            replicated=request.replicated,
            dirty_ms=query_timestamp(query.get("lastDirtyTimestamp")),
        )
        return self._done(answer)

    def _remove_status(self, request: Request, _body: bytes) -> Response:
        query = request.query()
        answer = self.node.remove_status(
            Key(request.target.name, request.target.id),
            commanded_status(query.get("value", Status.UNKNOWN), allowed=_REMOVALS),
            now=self.clock.now(),
            replicated=request.replicated,
            dirty_ms=query_timestamp(query.get("lastDirtyTimestamp")),
        )
        return self._done(answer)

    def _set_metadata(self, request: Request, _body: bytes) -> Response:
        answer = self.node.set_metadata(
            Key(request.target.name, request.target.id),
            request.query(),
            now=self.clock.now(),
            replicated=request.replicated,
        )
        return self._done(answer)

    def _batch(self, request: Request, body: bytes) -> Response:
        if request.content_type and content_format(request.content_type) != "json":
            return Response(415, b"A batch comes as application/json.", (TEXT,))
        if request.sender and request.sender == self.node_id:
            return Response(MISDIRECTED, b"This node sent that itself.", (TEXT,))
        now = self.clock.now()
        tasks = read_batch(body, arrived_ms=now.epoch_ms)
        done = self.node.apply_batch(tasks, now=now, sender=request.sender, batch=request.batch_id)
        self.happened(done.events)
        return Response(200, write_answers(done.answers, self.writer), (JSON,))

    def _done(self, answer: Answer) -> Response:
        if answer.events:
            self.happened(answer.events)
        self.told()
        if answer.record is not None:
            return Response(answer.status, self.writer.instance(answer.record), (JSON,))
        return OK if answer.status == OK.status else Response(answer.status)


def _nobody() -> None:
    """Tell nobody: a node without peers."""


_NO_XML: Final = Response(406, b"This registry does not write XML yet; ask for JSON.", (TEXT,))
