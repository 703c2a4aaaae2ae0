"""
Sockets on which a time-out bounds the whole wait, not each read.

A time-out of an ordinary socket starts again with every byte, so a server that drips one byte a
second holds its client for ever, in the headers already. Here the time-out that was set last is a
deadline for all that follows, until another is set. urllib3 sets one before it sends and one
before it reads, both from the same total (`urllib3.Timeout(total=…)`).

This file owns sockets and the adapter that brings them under `requests`; it knows no registry.
"""

from __future__ import annotations

import socket
import ssl
from time import monotonic
from typing import TYPE_CHECKING, Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.util import Timeout

if TYPE_CHECKING:
    from requests import PreparedRequest, Response


class _Deadline(socket.socket):
    """The shared half: every operation runs with what is left of the time-out."""

    _deadline: float | None = None

    def settimeout(self, value: float | None, /) -> None:
        super().settimeout(value)
        self._deadline = None if value is None else monotonic() + value

    def recv(self, *args: Any, **kwargs: Any) -> bytes:  # noqa: ANN401 - socket's own signature
        self._take_what_is_left()
        return super().recv(*args, **kwargs)

    def recv_into(self, *args: Any, **kwargs: Any) -> int:  # noqa: ANN401 - the same
        self._take_what_is_left()
        return super().recv_into(*args, **kwargs)

    def send(self, *args: Any, **kwargs: Any) -> int:  # noqa: ANN401 - the same
        self._take_what_is_left()
        return super().send(*args, **kwargs)

    def sendall(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - the same
        self._take_what_is_left()
        super().sendall(*args, **kwargs)

    def _take_what_is_left(self) -> None:
        if self._deadline is None:
            return
        left = self._deadline - monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        super().settimeout(left)


class DeadlineSocket(_Deadline):
    """A plain socket whose time-out is a deadline."""

    @classmethod
    def around(cls, plain: socket.socket, seconds: float | None) -> DeadlineSocket:
        """Take over a connected socket; `seconds` are left from now."""
        taken = cls(fileno=plain.detach())
        taken.settimeout(seconds)
        return taken


class DeadlineTlsSocket(_Deadline, ssl.SSLSocket):
    """The same under TLS; made by a context whose `sslsocket_class` it is."""


class _PlainConnection(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        began = monotonic()
        plain = super()._new_conn()
        allowed = self.timeout
        left = max(0.001, allowed - (monotonic() - began)) if isinstance(allowed, float) else None
        return DeadlineSocket.around(plain, left)


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _PlainConnection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = HTTPSConnection

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as inherited
        # Here and not in the adapter: to read the authorities takes 20 ms, and few need them.
        context = ssl.create_default_context()
        context.sslsocket_class = DeadlineTlsSocket
        super().__init__(*args, **{"ssl_context": context} | kwargs)


class DeadlineAdapter(HTTPAdapter):
    """The transport adapter of `requests` with deadlines; it retries nothing."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as inherited
        """Open pools whose sockets keep deadlines."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _PlainPool, "https": _TlsPool}

    def send_within(self, prepared: PreparedRequest, seconds: float) -> Response:
        """Send, and return the answer with its body unread, all of it within these seconds."""
        # `requests` takes urllib3's Timeout, though its types name numbers only
        total: Any = Timeout(total=seconds)
        return self.send(prepared, stream=True, timeout=total)

    def forget_connections(self) -> None:
        """Close what is kept alive, so that the next request opens its own connection."""
        self.poolmanager.clear()
