"""
Requests as bytes, for what no HTTP library would send: chunks, no length, halves, garbage.

One connection a question, closed behind it. Whatever comes back, or does not, is an observation:
nothing here raises because of what a registry does. Every wait and every read is bounded.
"""

from __future__ import annotations

import http.client
import io
import socket
import ssl
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias
from urllib.parse import urlsplit

from eureka_tck.wire.deadline import DeadlineSocket
from eureka_tck.wire.exchange import Exchange
from eureka_tck.wire.redaction import kept_body, redacted, redacted_headers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eureka_tck.wire.client import WireClient

SECONDS: Final = 5.0
"""Real seconds for one question: as `client.ReadBudget`."""

SIZE: Final = 4 << 20
"""Bytes read of what comes back: error pages are a few KB."""

CHUNK: Final = 65536
"""Bytes read at once."""

Finish: TypeAlias = Literal[
    "answered",  # a whole answer came
    "closed",  # the connection was closed, or torn down, before that
    "refused",  # nobody listened
    "silent",  # nothing complete came within the budget, and the connection stayed open
]


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """
    What came back for raw bytes: `status` and `body` of the first answer, None and empty without.

    `seconds` is the real time from the first byte sent to the end.
    """

    finish: Finish
    status: int | None
    headers: Mapping[str, str]
    body: bytes
    seconds: float
    exchange: Exchange

    @property
    def said(self) -> str:
        """What came, in a word for a sentence: `400`, or how it ended."""
        return self.finish if self.status is None else str(self.status)


def request(
    client: WireClient,
    method: str,
    path: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    host: str | None = None,
) -> bytes:
    """
    Return a request as bytes, with exactly these headers and a Host: no length is added.

    `path` stands below the client's base, as it shall be sent; `host` replaces the Host header.
    """
    named = urlsplit(client.root).netloc.rpartition("@")[2] if host is None else host
    lines = [f"{method} {client.base}{path} HTTP/1.1", f"Host: {named}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join([*lines, "", ""]).encode("utf-8") + body


def chunked(body: bytes, size: int = 16) -> bytes:
    """Return a body in chunks of that many bytes, each but the last."""
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def speak(client: WireClient, data: bytes, *, seconds: float = SECONDS) -> RawAnswer:
    """Send the bytes on a connection of their own and return what came back."""
    with RawConnection(client, seconds=seconds) as connection:
        connection.send(data)
        return connection.answer()


class RawConnection:
    """
    A connection on which bytes go out as they are given, for as many real seconds as it has.

    Args:
        client: whose root it connects to, and whose recorder keeps the exchange.
        seconds: all that sending and reading may take, real.

    """

    def __init__(self, client: WireClient, *, seconds: float = SECONDS) -> None:
        self._client = client
        self._seconds = seconds
        self._socket: socket.socket | None = None
        self._sent = bytearray()
        self._length = 0
        self._broken = ""
        self._began = monotonic()
        self._started_at = client.recorder.now()

    def __enter__(self) -> Self:
        parts = urlsplit(self._client.root)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            plain = socket.create_connection((parts.hostname or "", port), self._seconds)
            if parts.scheme == "https":
                plain = ssl.create_default_context().wrap_socket(
                    plain, server_hostname=parts.hostname
                )
                plain.settimeout(self._seconds)
                self._socket = plain
            else:
                left = max(0.001, self._seconds - (monotonic() - self._began))
                self._socket = DeadlineSocket.around(plain, left)
        except OSError as why:
            self._broken = f"no connection: {why}"
        return self

    def __exit__(self, *_: object) -> None:
        if self._socket is not None:
            self._socket.close()

    def send(self, data: bytes) -> bool:
        """Send the bytes; say whether the other side still took them."""
        self._sent += data[: max(0, CHUNK - len(self._sent))]
        self._length += len(data)
        if self._socket is None or self._broken:
            return False
        try:
            self._socket.sendall(data)
        except OSError as why:
            self._broken = f"after {self._length:,} bytes: {why}"
            return False
        return True

    def finish(self) -> None:
        """Say that nothing more will be sent, and go on listening."""
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_WR)
            except OSError as why:
                self._broken = str(why)

    def answer(self) -> RawAnswer:
        """Return the first answer that comes, or how the connection ended without one."""
        if self._socket is None:
            return self._told("refused", None, {}, b"", self._broken)
        method = bytes(self._sent[:8]).split(b" ", 1)[0].decode("latin-1") or "GET"
        try:
            with http.client.HTTPResponse(self._socket, method=method) as response:
                response.begin()
                body = _bounded(response)
                headers = dict(response.headers.items())
                return self._told("answered", response.status, headers, body, "")
        except TimeoutError:
            return self._told("silent", None, {}, b"", f"nothing within {self._seconds:g} s")
        except (OSError, http.client.HTTPException, ValueError) as why:
            detail = self._broken or f"{type(why).__name__}: {why}"
            return self._told("closed", None, {}, b"", detail)

    def _told(
        self,
        finish: Finish,
        status: int | None,
        headers: Mapping[str, str],
        body: bytes,
        detail: str,
    ) -> RawAnswer:
        seconds = monotonic() - self._began
        head, _, sent = bytes(self._sent).partition(b"\r\n\r\n")
        first, *rest = head.decode("utf-8", errors="replace").split("\r\n")
        words = first.split(" ")
        method, path = (words[0], words[1]) if len(words) > 1 else (first[:40], "")
        exchange = Exchange(
            method=method,
            url=redacted(f"{self._client.root}{path}"),
            request_headers=redacted_headers(_pairs(rest)),
            request_body=kept_body(sent),
            status=status,
            response_headers=redacted_headers(headers.items()),
            response_body=kept_body(body),
            started_at=self._started_at,
            seconds=seconds,
            error=redacted(detail) if status is None else None,
        )
        self._client.recorder.record(exchange)
        return RawAnswer(finish, status, _Insensitive(headers), body, seconds, exchange)


class _Insensitive(dict[str, str]):
    """Headers by their names in any case."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        super().__init__({name.lower(): value for name, value in headers.items()})

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name.lower() if isinstance(name, str) else name)

    def get(self, name: str, default: str = "") -> str:  # type: ignore[override] # text only
        return super().get(name.lower(), default)


def _pairs(lines: Iterable[str]) -> tuple[tuple[str, str], ...]:
    split = (line.partition(":") for line in lines if line)
    return tuple((name.strip(), value.strip()) for name, _, value in split)


def _bounded(response: http.client.HTTPResponse) -> bytes:
    """Return the body, at most SIZE bytes of it; what is longer is no answer that we asked for."""
    body = io.BytesIO()
    while piece := response.read(CHUNK):
        body.write(piece)
        if body.tell() > SIZE:
            raise ValueError(f"the body is larger than {SIZE:,} bytes")
    return body.getvalue()
