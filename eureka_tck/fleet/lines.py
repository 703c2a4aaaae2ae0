"""
A few keep-alive connections that carry all of a fleet, each one request at a time.

One epoll object watches them all, so that a request costs two system calls and no scheduler: a
greenlet a connection would cost more than the request. Its own descriptor is waited for in gevent's
loop, so Locust goes on meanwhile. Needs Linux.

A server may close a connection that has been idle just when it is used again: such a request, of
which nothing has come back, is sent once more on a fresh one, as every HTTP client does.
"""

from __future__ import annotations

import errno
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final

import gevent.select
import httptools
from gevent.monkey import get_original

from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eureka_tck.fleet.request import Kind

ANSWER_BUDGET: Final = 10.0
"""A renewal is answered in milliseconds; what takes longer than this, in s, is no answer."""

BLOCKS_FOR: Final = 0.002
"""Seconds for which Locust's own greenlets may have to wait for an answer to the fleet."""

READ_AT_ONCE: Final = 1 << 18
MOST_OF_A_BODY: Final = 1 << 30
DOWN_FOR: Final = 2.0
"""Seconds for which a node that refused a connection is left alone."""

_IN: Final = 1  # EPOLLIN
_OUT: Final = 4  # EPOLLOUT
_ERROR: Final = 8 | 16 | 0x2000  # EPOLLERR, EPOLLHUP, EPOLLRDHUP

_NO_BODY: Final = b"ontent-length: 0\r\n"


class Call:
    """One request and its fate: `status` 0 says that no answer came, `problem` why."""

    __slots__ = (
        "body",
        "intended",
        "kind",
        "member",
        "node",
        "problem",
        "sent",
        "size",
        "status",
        "tries",
        "wire",
    )

    def __init__(self, kind: Kind, member: int, node: int, intended: float, wire: bytes) -> None:
        self.kind = kind
        self.member = member
        self.node = node
        self.intended = intended
        self.wire = wire
        self.sent = 0.0
        self.status = 0
        self.body = b""
        self.size = 0
        self.problem = ""
        self.tries = 0


class _Line:
    """One connection, with the call it carries; `used` says whether an answer came over it."""

    __slots__ = ("body", "call", "done", "left", "node", "parser", "socket", "used")

    def __init__(self, node: int) -> None:
        self.node = node
        self.socket: Any = None
        self.call: Call | None = None
        self.left = b""
        self.used = False
        self.parser: httptools.HttpResponseParser | None = None
        self.body: list[bytes] = []
        self.done = False

    def on_body(self, part: bytes) -> None:
        """Keep a part of the answer's body."""
        self.body.append(part)

    def on_message_complete(self) -> None:
        """Note that the answer is whole."""
        self.done = True


class Lines:
    """Connections to each of some nodes; `answered` gets every call back, in any order."""

    def __init__(
        self,
        addresses: Sequence[tuple[str, int]],
        per_node: int,
        answered: Callable[[Call, float], None],
    ) -> None:
        select: Any = get_original("select", ["epoll"])
        if not select:
            raise CannotRun("the fleet needs epoll, which only Linux has.")
        self._epoll = select[0]()
        self._make: Any = get_original("socket", "socket")
        self._addresses = list(addresses)
        self._answered = answered
        self._by_fd: dict[int, _Line] = {}
        self._free: list[list[_Line]] = [
            [_Line(n) for _ in range(per_node)] for n in range(len(addresses))
        ]
        self._waiting: list[deque[Call]] = [deque() for _ in addresses]
        self._down_until = [0.0] * len(addresses)
        self._doomed: list[tuple[_Line, str]] = []
        self.in_flight = 0
        self.resent = 0

    @property
    def waiting(self) -> int:
        """How many calls wait for a connection."""
        return sum(len(queue) for queue in self._waiting)

    def node_for(self, home: int) -> int:
        """Return the node that a client of `home` turns to now: the next one that is not down."""
        now, count = time.monotonic(), len(self._addresses)
        return next(
            (
                (home + n) % count
                for n in range(count)
                if self._down_until[(home + n) % count] <= now
            ),
            home,
        )

    def send(self, call: Call) -> None:
        """Send a call at once, or as soon as a connection to its node is free."""
        free = self._free[call.node]
        if free:
            self._start(free.pop(), call)
        else:
            self._waiting[call.node].append(call)

    def wait(self, seconds: float) -> None:
        """Take the answers that are there; without any, wait for one that long."""
        # Not told where they were found: with a long queue that would recur without end.
        doomed, self._doomed = self._doomed, []
        for dead, problem in doomed:
            self._broken(dead, problem, final=True)
        events = self._epoll.poll(0)
        if not events and seconds > 0 and not self._doomed:
            # An answer under way is cheaper to await here than through gevent's loop.
            if self.in_flight:
                events = self._epoll.poll(min(seconds, BLOCKS_FOR))
            if not events:
                gevent.select.select([self._epoll.fileno()], [], [], seconds)
                events = self._epoll.poll(0)
        for fd, flags in events:
            line = self._by_fd.get(fd)
            if line is None:
                continue
            if flags == _IN:
                self._read(line)
            else:
                self._happened(line, flags)

    def expire(self, now: float) -> None:
        """Give up what has waited for an answer longer than its budget."""
        for line in list(self._by_fd.values()):
            call = line.call
            if call is not None and now - call.sent > ANSWER_BUDGET:
                self._broken(line, f"no answer within {ANSWER_BUDGET:g} s", final=True)

    def drop_waiting(self) -> int:
        """Forget what was never sent, and say how much it was."""
        dropped = self.waiting
        for queue in self._waiting:
            queue.clear()
        return dropped

    def close(self) -> None:
        """Close all connections."""
        for line in list(self._by_fd.values()):
            self._hang_up(line)
        self._epoll.close()

    def _start(self, line: _Line, call: Call) -> None:
        call.sent = time.monotonic()
        call.tries += 1
        line.call = call
        self.in_flight += 1
        if line.socket is None:
            self._dial(line)
            return
        try:
            sent = line.socket.send(call.wire)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            self._broken(line, _said(error))
            return
        if sent < len(call.wire):
            line.left = call.wire[sent:]
            self._epoll.modify(line.socket.fileno(), _IN | _OUT)

    def _dial(self, line: _Line) -> None:
        import socket  # noqa: PLC0415 - constants alone; Locust has patched the rest

        made = self._make(socket.AF_INET, socket.SOCK_STREAM)
        made.setblocking(False)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.socket, line.used = made, False
        line.left = line.call.wire if line.call else b""
        self._by_fd[made.fileno()] = line
        problem = made.connect_ex(self._addresses[line.node])
        if problem not in (0, errno.EINPROGRESS):
            self._doomed.append((line, errno.errorcode.get(problem, str(problem))))
            return
        self._epoll.register(made.fileno(), _IN | _OUT)

    def _happened(self, line: _Line, flags: int) -> None:
        if flags & _OUT and line.left:
            try:
                sent = line.socket.send(line.left)
            except BlockingIOError:
                return
            except OSError as error:
                self._broken(line, _said(error), final=not line.used)
                return
            line.left = line.left[sent:]
            if not line.left:
                self._epoll.modify(line.socket.fileno(), _IN)
        if flags & (_IN | _ERROR):
            self._read(line)

    def _read(self, line: _Line) -> None:
        try:
            data = line.socket.recv(READ_AT_ONCE)
        except BlockingIOError:
            return
        except OSError as error:
            self._broken(line, _said(error), final=not line.used)
            return
        call = line.call
        if not data:
            self._broken(line, "the connection was closed without an answer", final=not line.used)
        elif call is None:
            self._hang_up(line)  # nobody asked: such a connection is of no use
        elif line.parser is None and data.endswith(b"\r\n\r\n") and _NO_BODY in data.lower():
            self._finish(line, call, int(data[9:12]), b"", b"connection: close" in data.lower())
        else:
            self._parse(line, call, data)

    def _parse(self, line: _Line, call: Call, data: bytes) -> None:
        if line.parser is None:
            line.body, line.done = [], False
            line.parser = httptools.HttpResponseParser(line)
        try:
            line.parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._broken(line, f"no HTTP: {error}", final=True)
            return
        if line.done:
            parser, line.parser = line.parser, None
            body = b"".join(line.body)
            line.body = []
            self._finish(line, call, parser.get_status_code(), body, not parser.should_keep_alive())

    def _finish(self, line: _Line, call: Call, status: int, body: bytes, closing: bool) -> None:
        now = time.monotonic()
        line.call, line.used = None, True
        self.in_flight -= 1
        call.status, call.body, call.size = status, body, len(body)
        if closing:
            self._hang_up(line)
        self._next(line)
        self._answered(call, now)

    def _broken(self, line: _Line, problem: str, *, final: bool = False) -> None:
        call, fresh = line.call, not line.used
        nothing_came = line.parser is None
        line.call = None
        self._hang_up(line)
        if call is None:
            return
        self.in_flight -= 1
        if not final and nothing_came and call.tries == 1:
            self.resent += 1
            self._start(line, call)
            return
        if fresh:
            self._down_until[line.node] = time.monotonic() + DOWN_FOR
        call.problem = problem
        self._next(line)
        self._answered(call, time.monotonic())

    def _next(self, line: _Line) -> None:
        """Let a line that is free carry what waits."""
        queue = self._waiting[line.node]
        if queue:
            self._start(line, queue.popleft())
        else:
            self._free[line.node].append(line)

    def _hang_up(self, line: _Line) -> None:
        if line.socket is not None:
            self._by_fd.pop(line.socket.fileno(), None)
            line.socket.close()  # which takes it out of the epoll object too
        line.socket, line.left, line.parser = None, b"", None


def _said(error: OSError) -> str:
    return error.strerror or type(error).__name__
