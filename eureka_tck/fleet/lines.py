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
import socket
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final

import gevent.select
from gevent.monkey import get_original

from eureka_tck.errors import CannotRun
from eureka_tck.fleet.line import BadAnswerError, Line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from eureka_tck.fleet.call import Call

ANSWER_BUDGET: Final = 10.0
"""A renewal is answered in milliseconds; what takes longer than this, in s, is no answer."""

BLOCKS_FOR: Final = 0.002
"""Seconds for which Locust's own greenlets may have to wait for an answer to the fleet."""

READ_AT_ONCE: Final = 448
"""Bytes asked of a socket: room that Python has at hand, and enough for the answer to a renewal."""
READ_ON: Final = 1 << 18
"""Bytes asked of a socket whose answer has turned out to be longer."""
LONGEST_KNOWN: Final = 1024
"""Bytes of an answer that is remembered; Spring's to a renewal has 110."""
MOST_KNOWN: Final = 64
"""Answers that are remembered; then all are forgotten, for the seconds pass."""
PAUSED: Final = 2.0
"""Seconds between two looks at what is overdue, which comes every second: this process slept."""
DOWN_FOR: Final = 2.0
"""Seconds for which a node that refused a connection is left alone."""

_IN: Final = 1  # EPOLLIN
_OUT: Final = 4  # EPOLLOUT
_ERROR: Final = 8 | 16 | 0x2000  # EPOLLERR, EPOLLHUP, EPOLLRDHUP


class Lines:
    """
    Connections to each of some nodes; `answered` gets every call back, in any order.

    It gets those together that were found together, with the instant at which they were.
    """

    def __init__(
        self,
        addresses: Sequence[tuple[str, int]],
        per_node: int,
        answered: Callable[[Sequence[Call], float], None],
    ) -> None:
        select: Any = get_original("select", ["epoll"])
        if not select:
            raise CannotRun("the fleet needs epoll, which only Linux has.")
        self._epoll = select[0]()
        self._make: Any = get_original("socket", "socket")
        self._sleep: Any = get_original("time", "sleep")  # gevent's takes a millisecond and more
        self._addresses = [_found(host, port) for host, port in addresses]
        self._answered = answered
        self._by_fd: dict[int, Line] = {}
        self._free: list[list[Line]] = [
            [Line(n) for _ in range(per_node)] for n in range(len(addresses))
        ]
        self._waiting: list[deque[Call]] = [deque() for _ in addresses]
        self._down_until = [0.0] * len(addresses)
        self._doomed: list[tuple[Line, str]] = []
        self._known: dict[bytes, int] = {}
        self._looked_at = time.monotonic()
        self._lines = per_node * len(addresses)
        self.resent = 0

    @property
    def in_flight(self) -> int:
        """How many calls are unanswered: a line that carries none is free."""
        return self._lines - sum(map(len, self._free))

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
        self.send_all((call,))

    def send_all(self, calls: Iterable[Call]) -> None:
        """Send these at once, each as soon as a connection to its node is free."""
        free, waiting, monotonic = self._free, self._waiting, time.monotonic
        for call in calls:
            node = call.node
            if not free[node]:
                waiting[node].append(call)
                continue
            line = free[node].pop()
            if line.socket is None:
                self._start(line, call)
                continue
            wire = call.wire
            line.call = call  # as `_start` does
            call.sent = monotonic()
            try:
                sent = line.send(wire)
            except OSError as error:
                self._unsent(line, call, error)
            else:
                if sent < len(wire):
                    self._leave(line, call, sent)

    def rest(self, seconds: float) -> None:
        """Look at nothing for so long."""
        if seconds > 0:
            self._sleep(seconds)

    def wait(self, seconds: float) -> bool:
        """
        Take the answers that are there; without any, wait for one that long.

        Return whether anything came.
        """
        # Not told where they were found: with a long queue that would recur without end.
        doomed, self._doomed = self._doomed, []
        for dead, problem in doomed:
            self._broken(dead, problem, final=True)
        seconds = 0.0 if self._doomed else max(seconds, 0.0)
        # An answer under way is cheaper to await here than through gevent's loop.
        events = self._epoll.poll(min(seconds, BLOCKS_FOR) if self.in_flight else 0)
        if not events and seconds > 0:
            gevent.select.select([self._epoll.fileno()], [], [], seconds)
            events = self._epoll.poll(0)
        if events:
            self._take(events, time.monotonic())
        return bool(events)

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

    def _take(self, events: Sequence[tuple[int, int]], now: float) -> None:
        """Read what has come; lines whose answers are whole carry the next calls at once."""
        known, by_fd, free = self._known, self._by_fd, self._free
        answered: list[Call] = []
        for fd, flags in events:
            line = by_fd.get(fd)
            if line is None:
                continue
            call = line.call
            if flags != _IN or call is None or line.parser is not None or line.left:
                self._happened(line, flags, answered)
                continue
            try:
                data = line.receive(READ_AT_ONCE)
            except OSError as error:
                self._failed(line, error)
                continue
            status = known.get(data)
            if status is None:
                self._read(line, data, answered)
                continue
            call.status = status
            line.used = True
            line.call = None
            free[line.node].append(line)
            answered.append(call)
        for node, queue in enumerate(self._waiting):
            if queue:
                self.send_all([queue.popleft() for _ in range(min(len(queue), len(free[node])))])
        if answered:
            self._answered(answered, now)

    def _start(self, line: Line, call: Call) -> None:
        call.sent = time.monotonic()
        line.call = call
        if line.socket is None:
            self._dial(line)
            return
        try:
            sent = line.send(call.wire)
        except OSError as error:
            self._unsent(line, call, error)
        else:
            if sent < len(call.wire):
                self._leave(line, call, sent)

    def _unsent(self, line: Line, call: Call, error: OSError) -> None:
        if isinstance(error, BlockingIOError):
            self._leave(line, call, 0)
        else:
            self._broken(line, _said(error))

    def _leave(self, line: Line, call: Call, sent: int) -> None:
        """Send the rest of a call once the socket has room for it."""
        line.left = call.wire[sent:]
        self._epoll.modify(line.socket.fileno(), _IN | _OUT)

    def _dial(self, line: Line) -> None:
        family, address = self._addresses[line.node]
        made = self._make(family, socket.SOCK_STREAM)
        made.setblocking(False)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.socket, line.send, line.receive, line.used = made, made.send, made.recv, False
        line.left = line.call.wire if line.call else b""
        self._by_fd[made.fileno()] = line
        problem = made.connect_ex(address)
        if problem not in (0, errno.EINPROGRESS):
            self._doomed.append((line, errno.errorcode.get(problem, str(problem))))
            return
        self._epoll.register(made.fileno(), _IN | _OUT)

    def _happened(self, line: Line, flags: int, answered: list[Call]) -> None:
        if flags & _OUT and line.left:
            try:
                sent = line.send(line.left)
            except OSError as error:
                self._failed(line, error)
                return
            line.left = line.left[sent:]
            if not line.left:
                self._epoll.modify(line.socket.fileno(), _IN)
        if flags & (_IN | _ERROR):
            try:
                data = line.receive(READ_ON if line.parser else READ_AT_ONCE)
            except OSError as error:
                self._failed(line, error)
                return
            self._read(line, data, answered)

    def _failed(self, line: Line, error: OSError) -> None:
        """Hang up, unless the socket has only nothing to give or no room yet."""
        if not isinstance(error, BlockingIOError):
            self._broken(line, _said(error), final=not line.used)

    def _read(self, line: Line, data: bytes, answered: list[Call]) -> None:
        call = line.call
        if call is None:
            self._hang_up(line)  # nobody asked: such a connection is of no use
            return
        if not data and not line.ends_with_it:
            came = "an answer" if line.parser is None else "a whole answer"
            said = f"the connection was closed without {came}"
            self._broken(line, said, final=not line.used)
            return
        alone = line.parser is None
        try:
            whole = not data or line.feed(data, call.kind.most)
        except BadAnswerError as problem:
            self._broken(line, str(problem), final=True)
            return
        if not whole:
            return
        call.body = line.taken()
        call.status, call.size = line.status, len(call.body)
        line.call, line.used = None, True
        if line.left or not line.stays:  # left: answered before it was asked to the end
            self._hang_up(line)
        elif alone and not call.body and len(data) <= LONGEST_KNOWN:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[data] = call.status
        answered.append(call)
        self._next(line)

    def _broken(self, line: Line, problem: str, *, final: bool = False) -> None:
        call, fresh = line.call, not line.used
        nothing_came = line.parser is None
        line.call = None
        self._hang_up(line)
        if call is None:
            return
        if not final and nothing_came and not call.resent:
            call.resent = True
            self.resent += 1
            self._start(line, call)
            return
        if fresh:
            self._down_until[line.node] = time.monotonic() + DOWN_FOR
        call.problem = problem
        self._next(line)
        self._answered([call], time.monotonic())

    def _next(self, line: Line) -> None:
        """Let a line that is free carry what waits."""
        queue = self._waiting[line.node]
        if queue:
            self._start(line, queue.popleft())
        else:
            self._free[line.node].append(line)

    def _hang_up(self, line: Line) -> None:
        if line.socket is not None:
            self._by_fd.pop(line.socket.fileno(), None)
        line.close()  # which takes it out of the epoll object too


def _found(host: str, port: int) -> tuple[int, Any]:
    """Return family and address of a host, looked up once: a later answer may be another's."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise CannotRun(f"the host {host} is not known: {_said(error)}.") from error
    return family, address


def _said(error: OSError) -> str:
    return error.strerror or type(error).__name__
