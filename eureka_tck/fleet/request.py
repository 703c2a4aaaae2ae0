"""
The requests of a fleet as bytes, made when they are sent: a million instances keep none of them.

The names are computed from the instance's number, so that every worker knows every instance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.fleet.storm import MOST_INSTANCES
from eureka_tck.wire.sample import registration, sample

if TYPE_CHECKING:
    from eureka_tck.fleet.storm import Storm

APP_PREFIX: Final = "FLEET-"
_APP, _ID, _T = b"@APP@", b"@ID@", b"@T@"
_THOUSANDS: Final = [b"%04d" % n for n in range(MOST_INSTANCES // 1000 + 1)]
_ONES: Final = [b"%03d" % n for n in range(1000)]
"""The digits of an instance's number: to put them together is cheaper than to format it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """
    A kind of request: its method, how Locust's pages call it, and what answers are right.

    `most` is the largest body of an answer that is read, in bytes as they come.
    """

    verb: str
    name: str
    right: frozenset[int]
    most: int = 1 << 20


RENEW: Final = Kind("PUT", "PUT renew", frozenset({200}))
REGISTER: Final = Kind("POST", "POST register", frozenset({204}))
CANCEL: Final = Kind("DELETE", "DELETE cancel", frozenset({200}))
STATUS: Final = Kind("PUT", "PUT status", frozenset({200}))
BACK: Final = Kind("DELETE", "DELETE status", frozenset({200}))
AUDIT: Final = Kind("GET", "GET instance", frozenset({200}))
MOST_OF_A_LIST: Final = 1 << 28
"""Bytes, by gzip; a million instances are 1.2 GB of JSON, a twentieth of it by gzip."""
DELTA: Final = Kind("GET", "GET delta", frozenset({200}), MOST_OF_A_LIST)
FULL: Final = Kind("GET", "GET apps", frozenset({200}), MOST_OF_A_LIST)


def app_of(member: int, applications: int) -> str:
    """Return the application of an instance."""
    return f"{APP_PREFIX}{member % applications:03d}"


def id_of(member: int) -> str:
    """Return the id of an instance."""
    return f"fleet-{member:07d}"


class Requests:
    """Makes the requests of one storm for one registry's base path."""

    def __init__(self, storm: Storm, host: str, base: str) -> None:
        self._applications = storm.applications
        self._base = base
        self._head = f" HTTP/1.1\r\nHost: {host}\r\nAccept: application/json\r\n"
        self._none = self._head + "Content-Length: 0\r\n\r\n"
        self._renewed = [
            f"PUT {base}/apps/{APP_PREFIX}{n:03d}/fleet-".encode()
            for n in range(self._applications)
        ]
        self._dirty, self._tail = -1, b""
        body = registration(
            sample(
                _APP.decode(),
                _ID.decode(),
                duration=int(storm.duration),
                interval=int(storm.renewal_interval),
                lastDirtyTimestamp=_T.decode(),
            )
        )
        self._body = body.replace(b"@app@", _APP.lower())

    def register(self, member: int, dirty: int) -> bytes:
        """Return a registration with this T."""
        app = app_of(member, self._applications)
        body = (
            self._body.replace(_APP, app.encode())
            .replace(_APP.lower(), app.lower().encode())
            .replace(_ID, id_of(member).encode())
            .replace(_T, str(dirty).encode())
        )
        head = (
            f"POST {self._base}/apps/{app}{self._head}"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def renew(self, member: int, dirty: int) -> bytes:
        """Return a renewal."""
        if dirty != self._dirty:  # the same for all that never registered anew
            self._tail = f"?status=UP&lastDirtyTimestamp={dirty}{self._none}".encode()
            self._dirty = dirty
        return b"".join(
            (
                self._renewed[member % self._applications],
                _THOUSANDS[member // 1000],
                _ONES[member % 1000],
                self._tail,
            )
        )

    def cancel(self, member: int) -> bytes:
        """Return a cancellation."""
        return f"DELETE {self._path(member)}{self._none}".encode()

    def status(self, member: int) -> bytes:
        """Return the call that takes an instance out of service."""
        return f"PUT {self._path(member)}/status?value=OUT_OF_SERVICE{self._none}".encode()

    def back(self, member: int) -> bytes:
        """Return the call that brings it back."""
        return f"DELETE {self._path(member)}/status?value=UP{self._none}".encode()

    def read(self, member: int) -> bytes:
        """Return the read of one instance, which no registry caches."""
        return f"GET {self._path(member)}{self._head}\r\n".encode()

    def delta(self) -> bytes:
        """Return the read of the recent changes, as a client asks for it."""
        return f"GET {self._base}/apps/delta{self._head}Accept-Encoding: gzip\r\n\r\n".encode()

    def full(self) -> bytes:
        """Return the read of all."""
        return f"GET {self._base}/apps{self._head}Accept-Encoding: gzip\r\n\r\n".encode()

    def _path(self, member: int) -> str:
        number = member % self._applications
        return f"{self._base}/apps/{APP_PREFIX}{number:03d}/fleet-{member:07d}"
