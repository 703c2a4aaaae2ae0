"""
An open-loop reference: a request at each of its instants, whatever became of those before.

As plain as it can be, so that it can be believed: a connection for every request that is under way,
opened beforehand, and latencies from the intended instant.
"""

from __future__ import annotations

import selectors
import socket
import threading
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import unix_now
from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from bench.subject import Subject

LINES: Final = 1500  # thrice as many as are under way in a stall of 2 s at 250 requests a second
LOOK_EVERY: Final = 0.1  # s
LAST_ANSWERS: Final = 5.0  # s
_END: Final = b"\r\n\r\n"


class OpenLoop(threading.Thread):
    """Is connected once it is made; `play` says when it sends."""

    def __init__(self, subject: Subject) -> None:
        super().__init__(daemon=True)
        self.latencies: list[float] = []
        self.failed = ""
        self._wire = f"PUT /renewal HTTP/1.1\r\nHost: {subject.host}\r\n\r\n".encode()
        self._times: list[float] = []
        self._selector = selectors.DefaultSelector()
        self._free = [
            socket.create_connection((subject.host, subject.port), LAST_ANSWERS)
            for _ in range(LINES)
        ]
        self._intended: dict[socket.socket, float] = {}

    def play(self, *, begins: float, lasts: float, rate: float) -> None:
        """Send `rate` requests a second from `begins` on for `lasts` seconds, by the Unix clock."""
        self._times = [begins + count / rate for count in range(int(lasts * rate))]
        self.start()

    def run(self) -> None:
        """Send and read until everything is answered."""
        try:
            self._run()
        except OSError as error:
            self.failed = f"its connection broke: {error}"
        finally:
            for line in (*self._free, *self._intended):
                line.close()
            self._selector.close()

    def seen(self) -> list[float]:
        """Return all latencies, in s, once it has ended."""
        self.join()
        if self.failed:
            raise CannotRun(f"the open-loop reference failed: {self.failed}")
        return self.latencies

    def _run(self) -> None:
        times = iter(self._times)
        at = next(times, None)
        while at is not None or self._intended:
            while at is not None and at <= unix_now():
                self._send(at)
                at = next(times, None)
            wait = LOOK_EVERY if at is None else max(0.0, min(at - unix_now(), LOOK_EVERY))
            found = self._selector.select(wait)
            now = unix_now()  # of all that were found together, or reading one would delay the next
            for key, _ in found:
                self._read(key.fileobj, now)
            if at is None and unix_now() > self._times[-1] + LAST_ANSWERS:
                raise OSError(f"{len(self._intended)} requests were not answered")

    def _send(self, at: float) -> None:
        if not self._free:
            raise OSError(f"{LINES} connections were too few")
        line = self._free.pop()
        self._intended[line] = at
        line.sendall(self._wire)
        self._selector.register(line, selectors.EVENT_READ)

    def _read(self, line: object, now: float) -> None:
        assert isinstance(line, socket.socket), "only sockets are registered"  # noqa: S101
        if not line.recv(4096).endswith(_END):
            raise OSError("an answer came in parts")
        self._selector.unregister(line)
        self.latencies.append(now - self._intended.pop(line))
        self._free.append(line)
