"""
The sockets of a scripted peer: accepts, reads whole requests within bounds, and misbehaves.

A thread a connection; what is asked and what is answered is the peer's affair (`peer.py`).
h11 reads and writes HTTP: batches come chunked, and the bounds are its own.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import h11

from eureka_tck.actors.reaction import Close, Hang, Reply, Reset
from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from collections.abc import Callable

    Handler = Callable[["Request"], "Reply | Hang | Reset | Close"]
    Wait = Callable[[float], bool]

LARGEST_BODY: Final = 64 * 1024 * 1024  # bytes; 250 instances of 16 KiB would be 4 MiB
LARGEST_HEAD: Final = 64 * 1024  # bytes
MOST_CONNECTIONS: Final = 256  # open at a time; a registry keeps a few
BACKLOG: Final = 128
CHUNK: Final = 65536
GLANCE: Final = 0.2  # registry s between two looks whether who hangs has given up
IDLE: Final = 600.0  # real s without a byte after which a connection is closed
LINGER_NOT: Final = struct.pack("ii", 1, 0)  # SO_LINGER with 0 s: close() resets
THREAD_BUDGET: Final = 5.0  # real s for a thread to see that its socket is gone


@dataclass(frozen=True, slots=True)
class Request:
    """One whole request."""

    connection: int
    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


class PeerServer:
    """
    A listening socket and its connections.

    Args:
        host: the address to listen on.
        port: the port, 0 for one of the system's choice.
        handle: says what to do with a request; runs in the connection's thread.
        wait: waits so many registry seconds; says whether it was cut short by `close`.

    """

    def __init__(self, host: str, port: int, handle: Handler, wait: Wait) -> None:
        self.host = host
        self.port = port
        self.accepted = 0
        self.most_open = 0
        self._handle = handle
        self._wait = wait
        self._lock = threading.Lock()
        self._listener: socket.socket | None = None
        self._acceptor: threading.Thread | None = None
        self._open: dict[socket.socket, threading.Thread] = {}

    @property
    def open_connections(self) -> int:
        """How many connections are open now."""
        with self._lock:
            return len(self._open)

    def listen(self) -> None:
        """Listen; CannotRun where the address is taken."""
        if self._listener is not None:
            return
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((self.host, self.port))
            listener.listen(BACKLOG)
        except OSError as error:
            listener.close()
            raise CannotRun(
                f"a scripted peer cannot listen on {self.host}:{self.port}: {error.strerror}."
            ) from error
        self.port = int(listener.getsockname()[1])
        self._listener = listener
        self._acceptor = threading.Thread(
            target=self._accept, args=(listener,), name=f"peer {self.host}", daemon=True
        )
        self._acceptor.start()

    def refuse(self) -> None:
        """Close the listening socket and reset all connections: whoever comes is refused."""
        listener, self._listener = self._listener, None
        if listener is not None:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)  # else accept() would sleep on
            listener.close()
        if self._acceptor is not None:
            self._acceptor.join(THREAD_BUDGET)
            self._acceptor = None
        with self._lock:
            threads = dict(self._open)
        for connection in threads:
            _reset(connection)

    def close(self) -> None:
        """End all of it; safe to call twice."""
        self.refuse()
        with self._lock:
            threads = list(self._open.values())
        for thread in threads:
            thread.join(THREAD_BUDGET)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connection.settimeout(IDLE)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self.accepted += 1
                number = self.accepted
                if len(self._open) >= MOST_CONNECTIONS:
                    _reset(connection)
                    connection.close()
                    continue
                thread = threading.Thread(
                    target=self._serve,
                    args=(connection, number),
                    name=f"peer {self.host} {number}",
                    daemon=True,
                )
                self._open[connection] = thread
                self.most_open = max(self.most_open, len(self._open))
            thread.start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        try:
            http = h11.Connection(h11.SERVER, max_incomplete_event_size=LARGEST_HEAD)
            while (request := _read(connection, http, number)) is not None:
                if not self._react(connection, http, self._handle(request)):
                    return
                if http.our_state is not h11.DONE or http.their_state is not h11.DONE:
                    return
                http.start_next_cycle()
        except (OSError, h11.ProtocolError):
            return  # whoever spoke has gone, or speaks no HTTP; the peer records whole requests
        finally:
            with self._lock:
                self._open.pop(connection, None)
            connection.close()

    def _react(
        self,
        connection: socket.socket,
        http: h11.Connection,
        reaction: Reply | Hang | Reset | Close,
    ) -> bool:
        """Do what the script says; return whether the connection lives on."""
        match reaction:
            case Reset():
                _reset(connection)
                return False
            case Close():
                return False
            case Hang():
                self._hang(connection, reaction.seconds)
                return False
        return self._send(connection, http, reaction)

    def _hang(self, connection: socket.socket, seconds: float) -> None:
        """Say nothing for so long, or until the other side has given up."""
        connection.setblocking(False)
        for _ in range(max(1, round(seconds / GLANCE))):
            if self._wait(GLANCE) or _has_gone(connection):
                return

    def _send(self, connection: socket.socket, http: h11.Connection, reply: Reply) -> bool:
        """Answer; return whether the connection lives on."""
        if reply.after and self._wait(reply.after):
            return False
        head = h11.Response(
            status_code=reply.status,
            headers=[
                *(("Content-Type", reply.content_type) for _ in reply.body[:1]),
                *((name, text) for name, text in reply.headers),
                ("Content-Length", str(len(reply.body))),
            ],
        )
        sent = http.send(head) or b""
        if reply.body:
            sent += http.send(h11.Data(data=reply.body)) or b""
        sent += http.send(h11.EndOfMessage()) or b""
        if not reply.drip:
            connection.sendall(sent)
            return True
        for place in range(len(sent)):
            connection.sendall(sent[place : place + 1])
            if self._wait(reply.drip):
                return False
        return True


def _read(connection: socket.socket, http: h11.Connection, number: int) -> Request | None:
    """Return the next whole request, None where the connection ended or asks too much."""
    head: h11.Request | None = None
    body = bytearray()
    while True:
        event = http.next_event()
        if event is h11.NEED_DATA:
            if http.they_are_waiting_for_100_continue:
                go_on = http.send(h11.InformationalResponse(status_code=100, headers=[]))
                connection.sendall(go_on or b"")
            http.receive_data(connection.recv(CHUNK))
        elif isinstance(event, h11.Request):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
            if len(body) > LARGEST_BODY:
                return None
        elif isinstance(event, h11.EndOfMessage) and head is not None:
            headers = tuple(
                (name.decode("latin-1"), text.decode("latin-1"))
                for name, text in head.headers.raw_items()
            )
            method, path = head.method.decode("latin-1"), head.target.decode("latin-1")
            return Request(number, method, path, headers, bytes(body))
        else:  # closed
            return None


def _has_gone(connection: socket.socket) -> bool:
    """Tell whether the other side has closed a connection that does not block."""
    try:
        return connection.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _reset(connection: socket.socket) -> None:
    """Reset a connection; its thread sees that it is gone."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NOT)
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RD)  # wakes the thread that reads; no FIN is sent
    with contextlib.suppress(OSError):
        connection.close()
