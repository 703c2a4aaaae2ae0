"""
One connection of a fleet: what it carries, and how its answers are read.

Answers without a body are the same bytes again and again, for a second at least (their `Date`).
So what httptools has once read as one whole answer is remembered by its bytes, for all lines of a
fleet; everything else is parsed.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import httptools

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.fleet.call import Call

MOST_OF_A_HEAD: Final = 1 << 16
"""Bytes; Tomcat sends 8 KiB at most."""

_LENGTH: Final = re.compile(rb"\r\n(?:content-length|transfer-encoding):", re.IGNORECASE)


class BadAnswerError(Exception):
    """What came is no answer to one request, in words."""


class Line:
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
        "receive",
        "send",
        "size",
        "socket",
        "status",
        "stays",
        "used",
    )

    def __init__(self, node: int) -> None:
        self.node = node
        self.socket: Any = None
        self.send: Callable[[bytes], int] = _nothing
        self.receive: Callable[[int], bytes] = _nothing
        self.call: Call | None = None
        self.left = b""
        self.used = False
        self.parser: httptools.HttpResponseParser | None = None
        self.head, self.headed = b"", False
        self.body: list[bytes] = []
        self.size, self.status, self.stays = 0, 0, True

    @property
    def ends_with_it(self) -> bool:
        """Whether the end of the connection is the end of the answer's body."""
        return self.parser is not None and self.headed and not _LENGTH.search(self.head)

    def feed(self, data: bytes, most: int) -> bool:
        """
        Take a part of an answer whose body has `most` bytes at most; return whether it is whole.

        BadAnswerError says what else it is.
        """
        parser = self.parser or self._begin()
        if not self.headed:
            self.head += data
        try:
            parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            raise BadAnswerError(f"no HTTP: {error}") from error
        if not self.headed and len(self.head) > MOST_OF_A_HEAD:
            raise BadAnswerError(f"its head is longer than {MOST_OF_A_HEAD:,} bytes")
        if self.size > most:
            raise BadAnswerError(f"its body is longer than {most:,} bytes")
        return self.status != 0

    def taken(self) -> bytes:
        """Return the body of a whole answer, and be ready for the next."""
        if not self.status and self.parser is not None:  # it ended with its connection
            self.status, self.stays = self.parser.get_status_code(), False
        body, self.body, self.parser = b"".join(self.body), [], None
        return body

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

    def close(self) -> None:
        """Close the socket, if there is one."""
        if self.socket is not None:
            self.socket.close()
        self.socket, self.left, self.parser, self.body = None, b"", None, []
        self.send = self.receive = _nothing

    def _begin(self) -> httptools.HttpResponseParser:
        self.head, self.headed, self.size, self.status, self.stays = b"", False, 0, 0, True
        self.body = []
        self.parser = httptools.HttpResponseParser(self)
        return self.parser


def _nothing(_: Any) -> Any:  # noqa: ANN401 - stands for methods of a socket that there is not
    raise OSError("not connected")
