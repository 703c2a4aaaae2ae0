"""
Renewals answered before the framework: most of what a registry is asked, and always the same way.

A request is answered here when every byte of it is of a kind known to change nothing but a lease;
any other is left, whole, to the ordinary route. `service` decides what an answer is: this file
must never know a rule that is not its shortest form.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from eureka.wire.negotiation import accepted_formats

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka.server.security import Login
    from eureka.server.service import Service

_REQUEST: Final = re.compile(
    rb"PUT /eureka/(?:v2/)?apps/([\w.~-]+)/([\w.:@~-]+)"
    rb"(?:\?(?:status=[A-Z_]*&)?lastDirtyTimestamp=([0-9]{1,18})(?:&overriddenstatus=[A-Z_]*)?"
    rb"|\?status=[A-Z_]*)?"
    rb" HTTP/1\.1\r\n"
)
"""
What clients send. Percent escapes, other queries and other versions are for the ordinary route.
The status of the query never counts, the override only when a peer sends it.
"""

_HEADER: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e]*)")
_ODD: Final = frozenset(
    {
        *(b"authorization", b"content-encoding", b"expect", b"proxy-connection"),
        *(b"te", b"trailer", b"transfer-encoding", b"upgrade", b"x-netflix-discovery-replication"),
    }
)
_ONLY: Final = {b"connection": b"keep-alive", b"content-length": b"0"}
"""Headers that mean nothing with this value, and something with any other."""

_LARGEST: Final = 1024  # bytes of a header block that is answered here; usual ones have 100 to 400
_REMEMBERED: Final = 1024
"""
Header blocks whose verdict is kept, so 2 MiB at most.
A client sends the same block with each renewal.
"""

_END: Final = b"\r\n\r\n"
DefaultHeaders = list[tuple[bytes, bytes]]


class Counts(msgspec.Struct, gc=False):
    """What was answered here since the process started; the ordinary route counts its own."""

    renewed: int = 0


class Renewals:
    """
    The short route of one node.

    Where a `login` is required, requests that do not say it are for the ordinary route to refuse.
    Nothing is answered here while `open` is False.
    """

    def __init__(self, service: Service, login: Login | None = None, *, open_: bool = True) -> None:
        self.open = open_
        self._login = login
        self.counts = Counts()
        self._service = service
        self._node = service.node
        self._now = service.clock.now
        self._known: dict[bytes, bool] = {}
        self._of: DefaultHeaders | None = None
        self._renewed = b""

    def answer(self, data: bytes, defaults: DefaultHeaders) -> tuple[bytes, int]:
        """
        Return the answers to the renewals that `data` begins with, and where they end.

        `defaults` are the headers of every answer; a new list means new ones.
        """
        if defaults is not self._of:
            self._of = defaults
            self._renewed = _empty(b"200 OK", defaults)
        now = None
        renewed = position = 0
        size = len(data)
        while position < size:
            line = _REQUEST.match(data, position)
            if line is None:
                break
            start = line.end()
            end = data.find(_END, start - 2) + 4
            if end < start or not self._is_plain(data[start:end]):
                break
            if now is None:
                now = self._now()
            app, instance_id, dirty_ms = line.groups()
            if not self._node.renew_plainly(
                app.decode().upper(),
                instance_id.decode(),
                None if dirty_ms is None else int(dirty_ms),
                now=now,
            ):
                break
            renewed += 1
            position = end
        if not renewed:
            return b"", 0
        self.counts.renewed += renewed
        self._service.told()
        return (self._renewed if renewed == 1 else self._renewed * renewed), position

    def _is_plain(self, block: bytes) -> bool:
        known = self._known.get(block)
        if known is None:
            if len(block) > _LARGEST:
                return False
            known = _is_plain(block, self._login)
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[block] = known
        return known


def _is_plain(block: bytes, login: Login | None) -> bool:
    """Tell whether no header of a block, its empty line included, changes what is answered."""
    seen = set()
    authorizations = []
    for text in block[:-4].split(b"\r\n") if len(block) > len(_END) else ():
        header = _HEADER.fullmatch(text)
        if header is None:
            return False
        name, value = header[1].lower(), header[2].strip()
        if login is not None and name == b"authorization":
            authorizations.append(value)
        elif name in _ODD or (name in _ONLY and (value.lower() != _ONLY[name] or name in seen)):
            return False
        if name == b"accept" and (name in seen or not accepted_formats(value.decode())):
            return False
        seen.add(name)
    return login is None or login.is_said(authorizations)


def _empty(status: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return an answer without a body."""
    lines = b"".join(b"%b: %b\r\n" % header for header in headers)
    return b"HTTP/1.1 %b\r\n%bcontent-length: 0\r\n\r\n" % (status, lines)
