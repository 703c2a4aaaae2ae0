"""
The HTTP protocol of a connection:
uvicorn's on httptools, with bounds on how long and large a head may be,
and on how long an answer may lie there without being read.

Who connects and says nothing, never ends its head or never reads its answer
costs one connection for a while and no more.
Between two messages, the short route of renewals (`renewals`) is offered what arrives first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio

    from uvicorn.config import Config
    from uvicorn.server import ServerState

    from eureka.server.renewals import Renewals

LARGEST_HEAD: Final = (
    64 * 1024
)  # bytes; Tomcat refuses heads above 8 KiB, other servers above 64 KiB
HEAD_BUDGET: Final = 30.0  # real seconds for a head to arrive
READ_BUDGET: Final = 30.0  # real seconds in which a caller has to take some of what waits for it
_TOO_LARGE: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n"
)


class RegistryProtocol(HttpToolsProtocol):
    """One connection."""

    renewals: Renewals
    """The short route of the server; `protocol_of` sets it."""

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
        self._read_timer: asyncio.TimerHandle | None = None
        self._between_messages = True  # the parser has seen all of a message, and none of the next
        self._completed = False  # a message ended in the bytes that came last
        self._renewed = False  # by the short route, since the time for an idle connection began

    def connection_made(  # type: ignore[override] # uvicorn's own signature
        self, transport: asyncio.Transport
    ) -> None:
        """Start the time for the first head."""
        super().connection_made(transport)
        self._head_timer = self.loop.call_later(HEAD_BUDGET, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the time."""
        self._stop_timer()
        self._stop_read_timer()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start the time in which the caller has to take something."""
        super().pause_writing()
        self._stop_read_timer()
        self._expect_reading()

    def resume_writing(self) -> None:
        """Go on: it took nearly all that waited."""
        self._stop_read_timer()
        super().resume_writing()

    def data_received(self, data: bytes) -> None:
        """Answer renewals; read on. A head that goes on and on is refused."""
        if self._between_messages and self.renewals.open and self._may_answer():
            answers, end = self.renewals.answer(data, self.server_state.default_headers)
            if end:
                self.transport.write(answers)
                self._renewed = True
                if self._head_timer is not None:
                    self._stop_timer()
                    self._wait_for_more()
                if end == len(data):
                    return
                data = data[end:]
        self._completed = False
        super().data_received(data)
        if not self._in_head:
            return
        # Bytes that also held the end of an earlier message are mostly not of this head; a head
        # that grows beyond its bound shows by those that follow.
        if not self._completed:
            self._head_size += len(data)
        if self._head_size > LARGEST_HEAD and not self.transport.is_closing():
            self.transport.write(_TOO_LARGE)
            self.transport.close()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_BUDGET, self._give_up)

    def timeout_keep_alive_handler(self) -> None:
        """
        Close an idle connection.

        The short route lets this timer run, since a timer costs as much as a renewal:
        one that renewed meanwhile is given the whole time again.
        """
        if self._renewed and not self.transport.is_closing():
            self._wait_for_more()
        else:
            super().timeout_keep_alive_handler()

    def on_message_begin(self) -> None:
        """Expect a head."""
        self._in_head = True
        self._head_size = 0
        self._between_messages = False
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Expect a body; the head was bounded."""
        self._in_head = False
        self._stop_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Expect another message."""
        super().on_message_complete()
        self._between_messages = True
        self._completed = True

    def _may_answer(self) -> bool:
        """Tell whether an answer written now comes after those to all earlier calls."""
        cycle = self.cycle
        return (cycle is None or cycle.response_complete) and not (
            self.pipeline or self.flow.write_paused or self.transport.is_closing()
        )

    def _wait_for_more(self) -> None:
        self._renewed = False
        self._unset_keepalive_if_required()
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _expect_reading(self) -> None:
        waiting = self.transport.get_write_buffer_size()
        self._read_timer = self.loop.call_later(READ_BUDGET, self._check_reading, waiting)

    def _check_reading(self, waited: int) -> None:
        """Close the connection of a caller that took nothing: it keeps a whole list in memory."""
        if self.transport.get_write_buffer_size() < waited:
            self._expect_reading()
        else:
            self._read_timer = None
            self.transport.abort()

    def _stop_read_timer(self) -> None:
        if self._read_timer is not None:
            self._read_timer.cancel()
            self._read_timer = None

    def _give_up(self) -> None:
        self._head_timer = None
        self.transport.close()


def protocol_of(renewals: Renewals) -> type[RegistryProtocol]:
    """Return the protocol of the connections of one server."""
    return type("ServerProtocol", (RegistryProtocol,), {"renewals": renewals})
