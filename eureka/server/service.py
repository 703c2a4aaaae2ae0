"""
One node's side of the protocol: which handler answers a request, and how refusals read.

Synchronous, so that no other call comes between; reads are in `reading`, changes in `changing`.
A refusal has no body beyond a sentence for 4xx that a person may read: a 404 has none at all,
since older Java clients never register again after a 404 that has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka.core.errors import InvalidRequest, RequestError
from eureka.core.event import Changed, DeltaForgot
from eureka.core.status import Action
from eureka.server.account import Account
from eureka.server.changing import Changing
from eureka.server.exchange import TEXT, Request, Response
from eureka.server.information import Information
from eureka.server.instruments import Instruments
from eureka.server.reading import Reading
from eureka.wire.negotiation import accepted_formats
from eureka.wire.paths import METHODS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from eureka.core.event import Event
    from eureka.core.node import Node
    from eureka.server.cache import ResponseCache
    from eureka.server.clock import Clock
    from eureka.server.limit import Limiter
    from eureka.server.remote import Remote
    from eureka.server.settings import Settings
    from eureka.wire.writing import JsonWriter

_NOT_ACCEPTABLE: Final = Response(406, b"This registry answers in JSON or XML.", (TEXT,))


class Service:
    """Answers requests on one node."""

    def __init__(self, node: Node, settings: Settings, clock: Clock) -> None:
        self.node = node
        self.settings = settings
        self.clock = clock
        self.account = Account()
        self.instruments = Instruments()
        self.reading = Reading(node, settings, clock)
        self.changing = Changing(node, clock, self.reading, self.happened)
        self.information = Information(node, clock)
        self._handlers = {
            **self.reading.handlers,
            **self.changing.handlers,
            **self.information.handlers,
        }
        self._body_handlers = self.changing.body_handlers

    @property
    def cache(self) -> ResponseCache:
        """The response cache."""
        return self.reading.cache

    @property
    def writer(self) -> JsonWriter:
        """What writes instances in JSON."""
        return self.reading.lists.json

    @property
    def node_id(self) -> str:
        """What this node calls itself in its batches."""
        return self.changing.node_id

    @node_id.setter
    def node_id(self, node_id: str) -> None:
        self.changing.node_id = node_id

    @property
    def told(self) -> Callable[[], None]:
        """What is called when there may be something to replicate."""
        return self.changing.told

    @told.setter
    def told(self, told: Callable[[], None]) -> None:
        self.changing.told = told

    @property
    def remote(self) -> Remote:
        """The registries of other regions."""
        return self.reading.lists.remote

    @remote.setter
    def remote(self, remote: Remote) -> None:
        self.reading.lists.remote = remote

    @property
    def limiter(self) -> Limiter:
        """What says whether a list may be read now."""
        return self.reading.limiter

    @limiter.setter
    def limiter(self, limiter: Limiter) -> None:
        self.reading.limiter = limiter

    def wants_body(self, request: Request) -> bool:
        """Tell whether the call is described by its body."""
        return (request.target.resource, request.method) in self._body_handlers

    def answer(self, request: Request, body: bytes = b"") -> Response:
        """Answer one request."""
        if not accepted_formats(request.accept):
            return _NOT_ACCEPTABLE
        call = request.target.resource, "GET" if request.method == "HEAD" else request.method
        handler = self._handlers.get(call)
        described = self._body_handlers.get(call)
        try:
            if handler is not None:
                return handler(request)
            if described is not None:
                _check_encoding(request)
                return described.answer(request, body)
        except RequestError as refusal:
            return _refused(refusal)
        allowed = (b"allow", ",".join(METHODS[request.target.resource]).encode())
        return Response(200 if request.method == "OPTIONS" else 405, headers=(allowed,))

    async def answer_large(self, request: Request, body: bytes) -> Response:
        """Answer a request with a large body that it wants; others are served meanwhile."""
        if not accepted_formats(request.accept):
            return _NOT_ACCEPTABLE
        described = self._body_handlers[request.target.resource, request.method]
        try:
            _check_encoding(request)
            return await described.answer_slowly(request, body)
        except RequestError as refusal:
            return _refused(refusal)

    def happened(self, events: Iterable[Event]) -> None:
        """Take note of what the core did: lists that became wrong are dropped."""
        self.account.note(events)
        for event in events:
            if isinstance(event, Changed):
                self.cache.changed(event)
                if event.after.action is Action.DELETED:
                    self.reading.lists.forget(event.after.key)
            elif isinstance(event, DeltaForgot):
                self.cache.forgot()


def _check_encoding(request: Request) -> None:
    if request.content_encoding not in ("", "identity"):
        raise InvalidRequest("A body must not have a Content-Encoding.")


def _refused(refusal: RequestError) -> Response:
    sentence = isinstance(refusal, InvalidRequest)
    text = str(refusal).encode(errors="replace") if sentence else b""
    return Response(refusal.status, text, (TEXT,) if sentence else ())
