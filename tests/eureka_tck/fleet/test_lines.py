"""The fleet's connections, against a server that says whatever bytes a test wants."""

from __future__ import annotations

import socket
import zlib
from typing import TYPE_CHECKING, Protocol

import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.fleet import lines as module
from eureka_tck.fleet.answers import _plain
from eureka_tck.fleet.call import Call
from eureka_tck.fleet.lines import ANSWER_BUDGET, Lines
from eureka_tck.fleet.request import AUDIT, RENEW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eureka_tck.fleet.request import Kind

BUDGET = 10.0
"""Seconds within which loopback carries a few bytes, however busy the machine is."""
OK = b"HTTP/1.1 200 OK\r\n"
EMPTY = OK + b"Content-Length: 0\r\n\r\n"


class Server:
    """A listening socket: `take` gives the next connection, with its request read."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(BUDGET)
        self.taken: list[socket.socket] = []

    def take(self) -> socket.socket:
        """Return the next connection."""
        made, _ = self.listener.accept()
        made.settimeout(BUDGET)
        self.taken.append(made)
        return made

    def close(self) -> None:
        """Close all."""
        for one in (self.listener, *self.taken):
            one.close()


class Wire:
    """One connection's worth of lines to a server, and the calls that came back."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.done: list[Call] = []
        self.lines = Lines(
            [server.listener.getsockname()], 1, lambda calls, _: self.done.extend(calls)
        )

    def ask(self, kind: Kind = RENEW) -> Call:
        """Send a call."""
        call = Call(kind, 0, 0, 0.0, b"PUT / HTTP/1.1\r\n\r\n")
        self.lines.send(call)
        return call

    def hear(self) -> socket.socket:
        """Return the next connection once its request is there, read."""
        taken = self.server.take()
        taken.setblocking(False)
        for _ in range(100):
            try:
                assert taken.recv(65536).endswith(b"\r\n\r\n")
            except BlockingIOError:
                self.lines.wait(BUDGET / 100)
            else:
                taken.settimeout(BUDGET)
                return taken
        raise AssertionError(f"no request came within {BUDGET:g} s")

    def until_done(self, count: int = 1) -> Call:
        """Wait until so many calls came back; return the last."""
        for _ in range(100):
            if len(self.done) >= count:
                return self.done[-1]
            self.lines.wait(BUDGET / 100)
        raise AssertionError(f"{len(self.done)} calls came back within {BUDGET:g} s")


class Answered(Protocol):
    """Asks once and returns the call as the parts of an answer make it."""

    def __call__(self, *parts: bytes, kind: Kind = ..., end: bool = ...) -> Call:
        """Send the parts one after the other; `end` closes the connection after them."""


@pytest.fixture
def wire() -> Iterator[Wire]:
    """Give lines and their server."""
    server = Server()
    made = Wire(server)
    yield made
    made.lines.close()
    server.close()


@pytest.fixture
def answered(wire: Wire) -> Answered:
    """Ask once."""

    def ask(*parts: bytes, kind: Kind = RENEW, end: bool = False) -> Call:
        wire.ask(kind)
        taken = wire.hear()
        for part in parts:
            taken.sendall(part)
            wire.lines.wait(0.01)
        if end:
            taken.close()
        return wire.until_done()

    return ask


@pytest.mark.parametrize(
    ("parts", "end", "status", "size"),
    [
        ((EMPTY,), False, 200, 0),
        ((b"HTTP/1.1 204 No Content\r\n\r\n",), False, 204, 0),
        ((OK + b"Content-Length: 2\r\n\r\nhi",), False, 200, 2),
        ((OK, b"Content-Le", b"ngth: 2\r\n\r", b"\nh", b"i"), False, 200, 2),
        ((OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX: y\r\n\r\n",), False, 200, 2),
        ((OK + b"\r\n", b"hello"), True, 200, 5),
        ((b"HTTP/1.0 200 OK\r\n\r\nhi",), True, 200, 2),
        ((b"HTTP/1.1 100 Continue\r\n\r\n", EMPTY), False, 200, 0),
        ((b"HTTP/1.1 100 Continue\r\n\r\n" + EMPTY,), False, 200, 0),
        ((EMPTY + b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n",), False, 200, 0),
    ],
    ids=[
        "empty", "no-content", "length", "byte-by-byte", "trailer", "until-the-end", "http-1.0",
        "continue", "continue-at-once", "more-than-asked",
    ],
)  # fmt: skip
def test_an_answer_is_read_as_it_is_meant(
    answered: Answered, parts: tuple[bytes, ...], end: bool, status: int, size: int
) -> None:
    """However it is cut and however its end is told."""
    call = answered(*parts, end=end)

    assert (call.status, call.size, call.problem) == (status, size, "")


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((b"content-length: 0\r\ncontent-length: 0\r\n\r\n",), "no HTTP: "),
        ((b"HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n",), "no HTTP: "),
        ((b"HTTP/1.1 101 Now\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",), "no HTTP: "),
        ((OK, *[b"X: " + b"x" * 65536] * 2), "its head is longer than 65,536 bytes"),
        ((OK + b"\r\n", *[b"x" * 60_000] * 18), "its body is longer than 1,048,576 bytes"),
    ],
    ids=["no-status-line", "no-status", "upgrade", "endless-head", "endless-body"],
)
def test_what_is_no_answer_is_given_up_and_counted(
    answered: Answered, parts: tuple[bytes, ...], words: str
) -> None:
    """Neither a crash nor bytes without end."""
    call = answered(*parts, kind=AUDIT)

    assert call.status == 0
    assert call.problem.startswith(words)


@pytest.mark.parametrize(
    "part",
    [
        OK + b"Content-Length: 9\r\n\r\nhi",
        OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n",
        OK,
    ],
    ids=["length", "chunks", "head"],
)
def test_half_an_answer_is_none(answered: Answered, part: bytes) -> None:
    """A connection that is closed within an answer has not given one."""
    call = answered(part, end=True)

    assert (call.status, call.problem) == (0, "the connection was closed without a whole answer")


@pytest.mark.parametrize(
    "answer",
    [
        EMPTY,
        OK + b"Content-Length: 2\r\n\r\nhi",
        OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ids=["empty", "length", "chunked"],
)
def test_a_connection_carries_one_call_after_the_other(wire: Wire, answer: bytes) -> None:
    """It is kept, whatever the answer's body is."""
    wire.ask()
    taken = wire.hear()
    taken.sendall(answer)
    wire.until_done(1)

    wire.ask()
    taken.sendall(answer)

    assert wire.until_done(2).status == 200


def test_a_connection_that_shall_close_is_closed(wire: Wire) -> None:
    """The next call takes a fresh one."""
    for count in (1, 2):
        wire.ask()
        wire.hear().sendall(OK + b"Connection: close\r\nContent-Length: 0\r\n\r\n")
        assert wire.until_done(count).status == 200


def test_silence_is_given_up_after_its_budget(wire: Wire) -> None:
    """The clock is the caller's."""
    call = wire.ask()
    wire.lines.expire(call.sent + ANSWER_BUDGET - 1)
    assert wire.done == []

    wire.lines.expire(call.sent + ANSWER_BUDGET - 0.1)
    wire.lines.expire(call.sent + ANSWER_BUDGET + 0.1)

    assert wire.done[-1].problem == "no answer within 10 s"


def test_a_process_that_slept_reads_before_it_gives_up(wire: Wire) -> None:
    """What was answered meanwhile is an answer, though this process looks much later."""
    call = wire.ask()
    wire.hear().sendall(EMPTY)

    wire.lines.expire(call.sent + 10 * ANSWER_BUDGET)

    assert wire.until_done().status == 200


def test_addresses_of_both_kinds_are_dialled() -> None:
    """A registry on IPv6 is one too."""
    if not socket.has_ipv6:
        pytest.skip("this system has no IPv6")
    assert module._found("::1", 80)[0] == socket.AF_INET6
    assert module._found("127.0.0.1", 80) == (socket.AF_INET, ("127.0.0.1", 80))


def test_an_unknown_host_is_said_before_anything_is_sent() -> None:
    """Not by a traceback at the first call."""
    with pytest.raises(CannotRun, match=r"the host nowhere\.invalid is not known"):
        Lines([("nowhere.invalid", 80)], 1, lambda *_: None)


def test_a_body_that_multiplies_without_end_is_not_unpacked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A list by gzip is unpacked up to a bound."""
    monkeypatch.setattr("eureka_tck.fleet.answers.MOST_OF_A_LIST", 1000)

    def packed(size: int) -> bytes:
        packing = zlib.compressobj(wbits=31)
        return packing.compress(b"x" * size) + packing.flush()

    assert _plain(packed(1000)) == b"x" * 1000
    for body in (packed(1001), packed(10)[:-9]):
        with pytest.raises(zlib.error, match="does not end within 1,000 bytes"):
            _plain(body)
