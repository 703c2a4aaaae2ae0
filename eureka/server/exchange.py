"""One HTTP exchange as the service sees it: a request taken apart, a response ready to send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

import msgspec

from eureka.server.cache import Payload
from eureka.wire.paths import Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_READ: Final = frozenset(
    {
        *(b"accept", b"accept-encoding", b"content-encoding", b"content-type"),
        *(b"discoveryidentity-name", b"x-eureka-accept", b"x-eureka-batch-id"),
        *(b"x-eureka-healing", b"x-eureka-node-id", b"x-netflix-discovery-replication"),
    }
)

Headers = tuple[tuple[bytes, bytes], ...]

JSON: Final = (b"content-type", b"application/json")
XML: Final = (b"content-type", b"application/xml")
TEXT: Final = (b"content-type", b"text/plain; charset=utf-8")


class Request(msgspec.Struct, gc=False):
    """What is asked: the method, the resource, and what the headers and the query add."""

    method: str
    target: Target
    query_string: bytes = b""
    accept: str = ""
    accept_encoding: str = ""
    content_type: str = ""
    compact: bool = False
    replicated: bool = False
    content_encoding: str = ""
    batch_id: str = ""
    sender: str = ""
    dialect: str = ""
    identity: str | None = None
    prepared: Payload | None = None  # the list, if it had to be made beside the loop

    def query(self) -> dict[str, str]:
        """
        Return the query;
        the first of repeated names counts, a name alone means an empty value.
        """
        pairs: dict[str, str] = {}
        if self.query_string:
            text = self.query_string.decode("latin-1")
            for name, value in parse_qsl(text, keep_blank_values=True):
                pairs.setdefault(name, value)
        return pairs


class Response(msgspec.Struct, gc=False):
    """What is answered. Content-Length is added when it is sent."""

    status: int
    body: bytes = b""
    headers: Headers = ()
    more: tuple[bytes, ...] = ()  # of a large body, sent piece by piece behind `body`


def read_head(
    method: str, target: Target, query: bytes, headers: Iterable[tuple[bytes, bytes]]
) -> Request:
    """
    Return the request of these headers (names in lower case);
    of a repeated header the last counts.
    """
    found: dict[bytes, bytes] = {}
    for name, value in headers:
        if name in _READ:
            # Several Accept headers are one list.
            earlier = found.get(name) if name == b"accept" else None
            found[name] = value if earlier is None else b"%b,%b" % (earlier, value)
    if not found:
        return Request(method, target, query)
    identity = found.get(b"discoveryidentity-name")
    return Request(
        method,
        target,
        query,
        accept=_text(found, b"accept"),
        accept_encoding=_text(found, b"accept-encoding"),
        content_type=_text(found, b"content-type"),
        content_encoding=_text(found, b"content-encoding").lower(),
        compact=_text(found, b"x-eureka-accept").lower() == "compact",
        replicated=_text(found, b"x-netflix-discovery-replication") == "true",
        batch_id=_text(found, b"x-eureka-batch-id"),
        sender=_text(found, b"x-eureka-node-id"),
        dialect=_text(found, b"x-eureka-healing"),
        identity=None if identity is None else identity.decode("latin-1").strip(),
    )


def _text(headers: Mapping[bytes, bytes], name: bytes) -> str:
    value = headers.get(name)
    return "" if value is None else value.decode("latin-1").strip()
