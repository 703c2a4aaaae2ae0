"""
The HTTP protocol of a connection:
uvicorn's on httptools, with bounds on how long and large a head may be.

Who connects and says nothing, or never ends its head, costs one connection for a while and no more.
The fast path for renewals belongs here too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio

    from uvicorn.config import Config
    from uvicorn.server import ServerState

LARGEST_HEAD: Final = (
    64 * 1024
)  # bytes; Tomcat refuses heads above 8 KiB, other servers above 64 KiB
HEAD_BUDGET: Final = 30.0  # real seconds for a head to arrive
_TOO_LARGE: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n"
)


class BoundedProtocol(HttpToolsProtocol):
    """One connection."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, object],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._in_head = True
        self._head_size = 0
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(  # type: ignore[override] # uvicorn's own signature
        self, transport: asyncio.Transport
    ) -> None:
        """Start the time for the first head."""
        super().connection_made(transport)
        self._head_timer = self.loop.call_later(HEAD_BUDGET, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the time."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; a head that goes on and on is refused."""
        super().data_received(data)
        if not self._in_head:
            return
        self._head_size += len(data)
        if self._head_size > LARGEST_HEAD and not self.transport.is_closing():
            self.transport.write(_TOO_LARGE)
            self.transport.close()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_BUDGET, self._give_up)

    def on_message_begin(self) -> None:
        """Expect a head."""
        self._in_head = True
        self._head_size = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Expect a body; the head was bounded."""
        self._in_head = False
        self._stop_timer()
        super().on_headers_complete()

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        self._head_timer = None
        self.transport.close()
