"""The ASGI application: the protocol's paths by hand, everything else by Starlette."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any, Final

from eureka.server.exchange import TEXT, Response, read_head
from eureka.server.preparation import Later
from eureka.wire import paths
from eureka.wire.reading import LARGE

if TYPE_CHECKING:
    from eureka.server.log import Log
    from eureka.server.service import Service

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

NO_CONTENT: Final = 204
BODY_BUDGET: Final = 30.0  # real seconds from a request's head to the end of its body
_CLOSE: Final = (b"connection", b"close")


class _TooLarge(Exception):  # noqa: N818 - reads as the statement it is
    """A body beyond the limit."""


class Application:
    """Dispatches requests: `/eureka…` to the service, the rest to the cold application."""

    def __init__(self, service: Service, cold: Asgi, log: Log) -> None:
        self._service = service
        self._cold = cold
        self._log = log
        self._max_body = service.settings.max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        raw_path = scope["raw_path"].decode("latin-1")
        if scope["type"] != "http" or not raw_path.startswith("/eureka"):
            await self._cold(scope, receive, send)
            return
        target = paths.find(raw_path)
        if target is None:
            await _send(send, Response(404 if raw_path.isascii() else 400))
            return
        request = read_head(scope["method"], target, scope["query_string"], scope["headers"])
        body = b""
        if self._service.wants_body(request):
            try:
                async with asyncio.timeout(BODY_BUDGET):
                    body = await self._read(scope, receive)
            except _TooLarge:
                limit = f"A body may have {self._max_body} bytes.".encode()
                await _send(send, Response(413, limit, (TEXT, _CLOSE)))
                return
            except TimeoutError:
                await _send(send, Response(408, headers=(_CLOSE,)))
                return
            except ConnectionError:
                return
        try:
            try:
                if len(body) < LARGE:
                    response = self._service.answer(request, body)
                else:
                    response = await self._service.answer_large(request, body)
            except Later as later:
                request.prepared = await self._service.reading.preparation.payload(later)
                response = self._service.answer(request, body)
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets an answer
            self._log.failure("request-failed", error, method=request.method, path=raw_path)
            response = Response(500)
        self._service.instruments.answered(request.method, target.resource, response.status)
        await _send(send, response)

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        for name, value in scope["headers"]:
            if name == b"content-length" and int(value) > self._max_body:
                raise _TooLarge
        parts = []
        size = 0
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ConnectionError
            parts.append(message["body"])
            size += len(message["body"])
            if size > self._max_body:
                raise _TooLarge
            more = message["more_body"]
        return parts[0] if len(parts) == 1 else b"".join(parts)


async def _send(send: Send, response: Response) -> None:
    headers = list(response.headers)
    if response.status != NO_CONTENT:
        size = len(response.body) + sum(map(len, response.more))
        headers.append((b"content-length", b"%d" % size))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    piece = response.body
    for following in response.more:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        piece = following
    await send({"type": "http.response.body", "body": piece})
