"""Small servers to ask: each plays a script of bytes to whoever connects."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import pytest

from eureka_tck.wire.client import ReadBudget, WireClient

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator

Script: TypeAlias = Callable[[socket.socket, threading.Event], None]
"""Answers one request on the connection; the event is set when the test is over."""

PATIENCE = 10.0
"""Real seconds of a call that is about something else than time, on a machine that is busy."""
SIZE = 100_000
"""Bytes of an answer, few enough for a server to exceed them at once."""


class ScriptedServer:
    """Reads one request after the other and lets the script answer; keeps what it read."""

    def __init__(self, script: Script, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[bytes] = []
        self.connections: list[socket.socket] = []
        self._script = script
        self._tls = tls
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def root(self) -> str:
        """Where a client finds it."""
        host, port = self._listening.getsockname()
        return f"{'https' if self._tls else 'http'}://{host}:{port}"

    def close(self) -> None:
        """End the script, every connection and every thread."""
        self._over.set()
        for each in (self._listening, *self.connections):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                self.connections.append(connection)
                self._threads.append(
                    threading.Thread(target=self._serve, args=(connection,), daemon=True)
                )
                self._threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError):
            talking = (
                self._tls.wrap_socket(connection, server_side=True) if self._tls else connection
            )
            with talking:
                while request := _read_request(talking):
                    self.requests.append(request)
                    self._script(talking, self._over)


def _read_request(connection: socket.socket) -> bytes:
    """Return the head and, by its Content-Length, the body of one request; empty at the end."""
    read = b""
    while b"\r\n\r\n" not in read:
        piece = connection.recv(65536)
        if not piece:
            return b""
        read += piece
    head, _, body = read.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    due = sum(int(line.partition(b":")[2]) for line in lengths)
    while len(body) < due:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@dataclass(frozen=True)
class Conversation:
    """A client and the server it speaks to."""

    client: WireClient
    server: ScriptedServer

    @property
    def heads(self) -> list[str]:
        """The heads of the requests that arrived."""
        return [request.partition(b"\r\n\r\n")[0].decode() for request in self.server.requests]

    @property
    def lines(self) -> list[str]:
        """The request lines that arrived."""
        return [head.partition("\r\n")[0] for head in self.heads]


@pytest.fixture
def conversation() -> Iterator[Callable[..., Conversation]]:
    """Give a maker of client and server; all of them are closed after the test."""
    made: list[Conversation] = []

    def make(
        script: Script, tls: ssl.SSLContext | None = None, seconds: float = PATIENCE
    ) -> Conversation:
        server = ScriptedServer(script, tls)
        budget = ReadBudget(seconds=seconds, size=SIZE)
        made.append(Conversation(WireClient(server.root, budget=budget), server))
        return made[-1]

    yield make

    for each in made:
        each.client.close()
        each.server.close()


@pytest.fixture
def answering(conversation: Callable[..., Conversation]) -> Callable[..., Conversation]:
    """Give a maker of conversations in which every request gets the same answer."""

    def make(body: bytes = b"", status: str = "200 OK", **headers: str) -> Conversation:
        head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}"]
        head += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        whole = "\r\n".join([*head, "", ""]).encode() + body
        return conversation(lambda connection, _: connection.sendall(whole))

    return make
