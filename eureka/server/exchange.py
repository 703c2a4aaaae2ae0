"""One HTTP exchange as the service sees it: a request taken apart, a response ready to send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

import msgspec

from eureka.wire.paths import Target

if TYPE_CHECKING:
    from collections.abc import Iterable

Headers = tuple[tuple[bytes, bytes], ...]

JSON: Final = (b"content-type", b"application/json")
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
    batch_id: str = ""
    sender: str = ""

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


def read_head(
    method: str, target: Target, query: bytes, headers: Iterable[tuple[bytes, bytes]]
) -> Request:
    """
    Return the request of these headers (names in lower case);
    of a repeated header the last counts.
    """
    request = Request(method, target, query)
    for name, value in headers:
        if name == b"accept":
            # Several Accept headers are one list.
            text = value.decode("latin-1")
            request.accept = f"{request.accept},{text}" if request.accept else text
        elif name == b"accept-encoding":
            request.accept_encoding = value.decode("latin-1")
        elif name == b"content-type":
            request.content_type = value.decode("latin-1")
        elif name == b"x-eureka-accept":
            request.compact = value.strip().lower() == b"compact"
        elif name == b"x-netflix-discovery-replication":
            request.replicated = value.strip() == b"true"
        elif name == b"x-eureka-batch-id":
            request.batch_id = value.decode("latin-1")
        elif name == b"x-eureka-node-id":
            request.sender = value.decode("latin-1")
    return request
