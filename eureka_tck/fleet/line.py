"""
One connection of a fleet: what it carries, and how its answers are read.

Answers without a body are the same bytes again and again, for a second at least (their `Date`).
So what httptools has once read as one whole answer is remembered by its bytes, for all lines of a
fleet; everything else is parsed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import httptools

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.fleet.call import Call

MOST_OF_AN_ANSWER: Final = 2 << 30
"""Bytes; a list of a million instances is 1.2 GB of JSON."""
MOST_OF_A_HEAD: Final = 1 << 16
"""Bytes within which the first byte of a body, or the end of the answer, has to come."""
LONGEST_KNOWN: Final = 1024
"""Bytes of an answer that is remembered; Spring's to a renewal has 110."""
MOST_KNOWN: Final = 64
"""Answers that are remembered; then all are forgotten, for the seconds pass."""


class BadAnswerError(Exception):
    """What came is no answer to one request, in words."""


class Line:
    """One connection, with the call it carries; `used` says whether an answer came over it."""

    __slots__ = (
        "_answers",
        "_body",
        "_closes",
        "call",
        "got",
        "left",
        "node",
        "parser",
        "receive",
        "send",
        "socket",
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
        self.got = 0
        self._answers = 0
        self._closes = False
        self._body: list[bytes] = []

    def feed(self, data: bytes) -> tuple[int, bytes, bool] | None:
        """
        Take a part of an answer: status, body and whether the connection ends, once it is whole.

        BadAnswerError says what else it is.
        """
        if self.parser is None:
            self._body, self._answers, self.got = [], 0, 0
            self.parser = httptools.HttpResponseParser(self)
        self.got += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError as error:
            raise BadAnswerError(f"no HTTP: {error}") from error
        if self._answers > 1:
            raise BadAnswerError("more was answered than was asked")
        if self._answers == 1:
            parser, self.parser = self.parser, None
            body, self._body = b"".join(self._body), []
            return parser.get_status_code(), body, self._closes
        if self.got > (MOST_OF_AN_ANSWER if self._body else MOST_OF_A_HEAD):
            raise BadAnswerError(f"{self.got:,} bytes were not the whole answer")
        return None

    def on_body(self, part: bytes) -> None:
        """Keep a part of the answer's body."""
        self._body.append(part)

    def on_message_complete(self) -> None:
        """Note that an answer is whole, and whether the connection ends; later nobody knows."""
        self._answers += 1
        self._closes = self.parser is not None and not self.parser.should_keep_alive()

    def close(self) -> None:
        """Close the socket, if there is one."""
        if self.socket is not None:
            self.socket.close()
        self.socket, self.left, self.parser, self._body = None, b"", None, []
        self.send = self.receive = _nothing


def _nothing(_: Any) -> Any:  # noqa: ANN401 - stands for methods of a socket that there is not
    raise OSError("not connected")
