"""
HTTP to another registry, a peer or one of another region:
bounded in time and bytes, no redirects, no proxies.
"""

from __future__ import annotations

import base64
import ssl
from typing import Final
from urllib.parse import unquote, urlsplit, urlunsplit

import httpcore
import msgspec

from eureka.wire.healing import ANNOUNCEMENT

_LARGEST_ANSWER: Final = 64 * 1024 * 1024  # bytes; 250 instances at 16 KiB each would be 4 MiB
_LARGEST_COPY: Final = 1024 * 1024 * 1024  # bytes; a million instances
_CONNECTIONS: Final = 3  # the batch under way, one that may still answer late, a comparison
TOO_SLOW: Final = (httpcore.TimeoutException, TimeoutError)
BROKEN: Final = (httpcore.NetworkError, httpcore.ProtocolError, OSError, ssl.SSLError)

Headers = list[tuple[bytes, bytes]]


class Reply(msgspec.Struct, frozen=True, gc=False):
    """HTTP status and body, and the dialect in which a peer announced to compare, if any."""

    status: int
    parts: list[bytes]
    dialect: str = ""

    @property
    def body(self) -> bytes:
        """The body; to join a hundred megabytes is nothing for the loop."""
        return b"".join(self.parts)


class TooLarge(Exception):  # noqa: N818 - reads as the statement it is
    """A body beyond what any registry has to say."""


class RegistryClient:
    """Calls one registry; `shown` is its URL without credentials."""

    def __init__(self, url: str, *, idle: float, tls: ssl.SSLContext | None = None) -> None:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        self.host = parts.hostname or ""
        self.shown = urlunsplit((parts.scheme, host, parts.path, "", ""))
        context = parts.path.rpartition("/eureka/")[0]
        self._root = urlunsplit((parts.scheme, host, context, "", ""))
        self._headers: Headers = [(b"Accept", b"application/json")]
        if parts.username is not None:
            login = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
            self._headers.append((b"Authorization", b"Basic " + base64.b64encode(login)))
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls, max_connections=_CONNECTIONS, keepalive_expiry=idle
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.aclose()

    async def fetch(
        self, path: str, *, connect: float, read: float, headers: Headers | None = None
    ) -> Reply:
        """Return the answer to a GET; time-outs in real seconds."""
        return await self._call("GET", path, None, headers or [], (connect, read), _LARGEST_COPY)

    async def post(
        self, path: str, body: bytes, headers: Headers, *, connect: float, read: float
    ) -> Reply:
        """
        Return the answer to a POST of JSON; time-outs in real seconds.

        A path with a slash before it is counted from the server's root.
        """
        headers = [*headers, (b"Content-Type", b"application/json")]
        return await self._call("POST", path, body, headers, (connect, read), _LARGEST_ANSWER)

    async def _call(
        self,
        method: str,
        path: str,
        body: bytes | None,
        headers: Headers,
        timeouts: tuple[float, float],
        largest: int,
    ) -> Reply:
        connect, read = timeouts
        timeout = {"connect": connect, "read": read, "write": read, "pool": connect}
        parts: list[bytes] = []
        size = 0
        async with self._pool.stream(
            method,
            (self._root if path.startswith("/") else self.shown) + path,
            headers=[*self._headers, *headers],
            content=body,
            extensions={"timeout": timeout},
        ) as response:
            async for part in response.aiter_stream():
                parts.append(part)
                size += len(part)
                if size > largest:
                    raise TooLarge
        dialect = next((v for name, v in response.headers if name.lower() == ANNOUNCEMENT[0]), b"")
        return Reply(response.status, parts, dialect.decode("latin-1"))
