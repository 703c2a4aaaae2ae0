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
import re
import socket
import time
from collections import deque
from http import HTTPStatus
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
MOST_OF_A_HEAD: Final = 1 << 16
"""Bytes; Tomcat sends 8 KiB at most."""
PAUSED: Final = 2.0
"""Seconds between two looks at what is overdue, which comes every second: this process slept."""
DOWN_FOR: Final = 2.0
"""Seconds for which a node that refused a connection is left alone."""

_IN: Final = 1  # EPOLLIN
_OUT: Final = 4  # EPOLLOUT
_ERROR: Final = 8 | 16 | 0x2000  # EPOLLERR, EPOLLHUP, EPOLLRDHUP

_PLAIN: Final = re.compile(rb"HTTP/1\.1 [2-5]\d\d")
_NO_BODY: Final = b"\r\ncontent-length: 0\r\n"
_END: Final = b"\r\n\r\n"
_LENGTH: Final = re.compile(rb"\r\n(?:content-length|transfer-encoding):", re.IGNORECASE)


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
    """
    One connection, with the call it carries; `used` says whether an answer came over it.

    Of the answer that is being read: `head` until it is `headed`, its `body` and their `size`, and,
    once it is whole, `status` and whether the connection `stays`.
    """

    __slots__ = (
        "body",
        "call",
        "head",
        "headed",
        "left",
        "node",
        "parser",
        "size",
        "socket",
        "status",
        "stays",
        "used",
    )

    def __init__(self, node: int) -> None:
        self.node = node
        self.socket: Any = None
        self.call: Call | None = None
        self.left = b""
        self.used = False
        self.parser: httptools.HttpResponseParser | None = None
        self.body: list[bytes] = []

    def begin(self) -> httptools.HttpResponseParser:
        """Be ready for an answer."""
        self.head, self.headed, self.size, self.status, self.stays = b"", False, 0, 0, True
        self.body = []
        self.parser = httptools.HttpResponseParser(self)
        return self.parser

    def on_headers_complete(self) -> None:
        """Note that its head is whole."""
        self.headed = True

    def on_body(self, part: bytes) -> None:
        """Keep a part of the answer's body."""
        self.size += len(part)
        self.body.append(part)

    def on_message_complete(self) -> None:
        """Note that the answer is whole; only now the parser knows whether the connection stays."""
        assert self.parser is not None, "it is the parser that calls"  # noqa: S101
        status = self.parser.get_status_code()
        if status < HTTPStatus.OK:  # 100 Continue and its like: the answer is still to come
            self.head, self.headed = b"", False
        elif self.status:  # more than was asked for
            self.stays = False
        else:
            self.status, self.stays = status, self.parser.should_keep_alive()

    @property
    def ends_with_it(self) -> bool:
        """Whether the end of the connection is the end of the answer's body."""
        return self.headed and not _LENGTH.search(self.head)


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
        self._addresses = [_found(host, port) for host, port in addresses]
        self._answered = answered
        self._by_fd: dict[int, _Line] = {}
        self._free: list[list[_Line]] = [
            [_Line(n) for _ in range(per_node)] for n in range(len(addresses))
        ]
        self._waiting: list[deque[Call]] = [deque() for _ in addresses]
        self._down_until = [0.0] * len(addresses)
        self._doomed: list[tuple[_Line, str]] = []
        self._looked_at = time.monotonic()
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
        """
        Give up what has waited for an answer longer than its budget.

        After a pause of this very process nothing is given up yet: the answers may be there.
        """
        paused, self._looked_at = now - self._looked_at > PAUSED, now
        if paused:
            return
        for line in list(self._by_fd.values()):
            call = line.call
            if call is not None and now - call.sent > ANSWER_BUDGET:
                self._broken(line, f"no answer within {ANSWER_BUDGET:g} s", final=True)

    def give_up(self, problem: str) -> None:
        """Let all that is unanswered come back so."""
        for line in list(self._by_fd.values()):
            if line.call is not None:
                self._broken(line, problem, final=True)

    def drop_waiting(self) -> list[Call]:
        """Forget what was never sent, and return it."""
        dropped = [call for queue in self._waiting for call in queue]
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
        family, address = self._addresses[line.node]
        made = self._make(family, socket.SOCK_STREAM)
        made.setblocking(False)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.socket, line.used = made, False
        line.left = line.call.wire if line.call else b""
        self._by_fd[made.fileno()] = line
        problem = made.connect_ex(address)
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
            self._ended(line)
        elif call is None:
            self._hang_up(line)  # nobody asked: such a connection is of no use
        elif line.parser is None and _PLAIN.match(data) and data.find(_END) == len(data) - 4:
            low = data.lower()
            if _NO_BODY in low:
                self._finish(line, call, int(data[9:12]), b"", b"\r\nconnection: close" in low)
            else:
                self._parse(line, call, data)
        else:
            self._parse(line, call, data)

    def _parse(self, line: _Line, call: Call, data: bytes) -> None:
        parser = line.parser or line.begin()
        if not line.headed:
            line.head += data
        try:
            parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._broken(line, f"no HTTP: {error}", final=True)
            return
        if not line.headed and len(line.head) > MOST_OF_A_HEAD:
            self._broken(line, f"its head is longer than {MOST_OF_A_HEAD:,} bytes", final=True)
        elif line.size > call.kind.most:
            self._broken(line, f"its body is longer than {call.kind.most:,} bytes", final=True)
        elif line.status:
            self._whole(line, call, closing=not line.stays)

    def _ended(self, line: _Line) -> None:
        """Take the end of a connection: of an answer without a length it is the end too."""
        if line.call is not None and line.parser is not None and line.ends_with_it:
            line.status = line.parser.get_status_code()
            self._whole(line, line.call, closing=True)
        else:
            came = "a whole answer" if line.parser is not None else "an answer"
            said = f"the connection was closed without {came}"
            self._broken(line, said, final=not line.used)

    def _whole(self, line: _Line, call: Call, *, closing: bool) -> None:
        line.parser = None
        body, line.body = b"".join(line.body), []
        self._finish(line, call, line.status, body, closing)

    def _finish(self, line: _Line, call: Call, status: int, body: bytes, closing: bool) -> None:
        now = time.monotonic()
        line.call, line.used = None, True
        self.in_flight -= 1
        call.status, call.body, call.size = status, body, len(body)
        if closing or line.left:  # answered before it was asked to the end
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
        line.socket, line.left, line.parser, line.body = None, b"", None, []


def _found(host: str, port: int) -> tuple[int, Any]:
    """Return family and address of a host, looked up once: a later answer may be another's."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise CannotRun(f"the host {host} is not known: {_said(error)}.") from error
    return family, address


def _said(error: OSError) -> str:
    return error.strerror or type(error).__name__
