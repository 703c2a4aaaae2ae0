"""One kept connection to a registry, over which many calls travel before the first is answered."""

from __future__ import annotations

import json
import re
import socket
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from eureka_tck.wire.sample import DIRTY_MS, registration, sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ANSWER_BUDGET: Final = 20.0  # real s for what was asked to be answered
CHUNK: Final = 1 << 16  # bytes read at once
IN_FLIGHT: Final = 500  # calls sent before their answers are read: less than a socket holds
_HEAD: Final = re.compile(rb"HTTP/1\.1 (\d{3})[^\r]*\r\n(?:[^\r]+\r\n)*?\r\n", re.IGNORECASE)
_LENGTH: Final = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)


class LineBroken(Exception):  # noqa: N818 - it reads as the statement it prints
    """The node closed the connection, or did not answer in time."""


class Line:
    """
    A connection; it is made again by the next call after it broke.

    One that was kept may belong to a node that has been killed since: a call that finds it dead
    goes over a new one, as clients do.
    """

    def __init__(self, root: str) -> None:
        parts = urlsplit(root)
        self._address = str(parts.hostname), int(parts.port or 80)
        self._socket: socket.socket | None = None

    def call(self, requests: Sequence[bytes]) -> list[tuple[int, bytes]]:
        """Send all, return the answers in order; LineBroken when one is missing."""
        answers: list[tuple[int, bytes]] = []
        kept = self._socket is not None
        try:
            if self._socket is None:
                self._socket = socket.create_connection(self._address, ANSWER_BUDGET)
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for start in range(0, len(requests), IN_FLIGHT):
                part = requests[start : start + IN_FLIGHT]
                self._socket.sendall(b"".join(part))
                answers += self._read(self._socket, len(part))
        except OSError as error:
            self.close()
            if kept and not answers and not isinstance(error, TimeoutError):
                return self.call(requests)
            raise LineBroken(str(error)) from error
        return answers

    def statuses(self, requests: Sequence[bytes]) -> list[int]:
        """Send all, return the statuses in order."""
        return [status for status, _ in self.call(requests)]

    def close(self) -> None:
        """Close it."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    @staticmethod
    def _read(connection: socket.socket, expected: int) -> list[tuple[int, bytes]]:
        answers: list[tuple[int, bytes]] = []
        pending = bytearray()
        at = 0
        while len(answers) < expected:
            head = _HEAD.match(pending, at)
            if head is not None:
                length = _LENGTH.search(head[0])
                end = head.end() + (int(length[1]) if length else 0)
                if end <= len(pending):
                    answers.append((int(head[1]), bytes(pending[head.end() : end])))
                    at = end
                    continue
            data = connection.recv(CHUNK)
            if not data:
                raise OSError("closed by the registry")
            del pending[:at]
            at = 0
            pending += data
        return answers


def renewal(app: str, instance_id: str) -> bytes:
    """Return a renewal as clients send it."""
    return _request("PUT", f"{app}/{instance_id}?status=UP&lastDirtyTimestamp={DIRTY_MS}")


def registering(app: str, instance_id: str, *, status: str = "UP") -> bytes:
    """Return a registration."""
    body = registration(sample(app, instance_id, status=status))
    head = f"POST /eureka/apps/{app} HTTP/1.1\r\nHost: registry\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def batch(body: bytes) -> bytes:
    """Return a batch of replication."""
    head = "POST /eureka/peerreplication/batch/ HTTP/1.1\r\nHost: registry\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def cancelling(app: str, instance_id: str) -> bytes:
    """Return a cancellation."""
    return _request("DELETE", f"{app}/{instance_id}")


def overriding(app: str, instance_id: str, status: str) -> bytes:
    """Return an override of the status."""
    return _request("PUT", f"{app}/{instance_id}/status?value={status}")


def reading(path: str) -> bytes:
    """Return the read of a list."""
    head = f"GET {path} HTTP/1.1\r\nHost: registry\r\nAccept: application/json\r\n\r\n"
    return head.encode()


def listed(body: bytes) -> tuple[str, dict[str, str]]:
    """Return the hash of a list and the status of each instance in it, by id."""
    found = json.loads(body)["applications"]
    statuses = {
        one["instanceId"]: one["status"]
        for application in found["application"]
        for one in application["instance"]
    }
    return found["apps__hashcode"], statuses


def hash_of(statuses: Iterable[str]) -> str:
    """Return the hash that clients compute of these statuses."""
    counts: dict[str, int] = {}
    for status in statuses:
        counts[status] = counts.get(status, 0) + 1
    return "".join(f"{status}_{counts[status]}_" for status in sorted(counts))


def _request(method: str, rest: str) -> bytes:
    return f"{method} /eureka/apps/{rest} HTTP/1.1\r\nHost: registry\r\n\r\n".encode()
