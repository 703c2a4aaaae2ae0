"""
One answer of a registry: what came, and what it says.

The readers raise `Unreadable` with the exchange at hand, never an error of a parser.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from eureka_tck.wire import reading
from eureka_tck.wire.errors import Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eureka_tck.wire.exchange import Exchange
    from eureka_tck.wire.record import Application, Applications, Record, TaskAnswer
    from eureka_tck.wire.sample import Json

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Answer:
    """
    A complete answer.

    `body` is decompressed, `encoded` as it came; `headers` finds a name in any case;
    `seconds` is the real time from the first byte sent to the last one read.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    encoded: bytes
    exchange: Exchange
    seconds: float

    @property
    def content_type(self) -> str:
        """The Content-Type as it was sent, empty if there was none."""
        return self.headers.get("Content-Type", "")

    @property
    def text(self) -> str:
        """The body as text; what is not UTF-8 is replaced."""
        return self.body.decode("utf-8", errors="replace")

    def json(self) -> Json:
        """Return the body as plain JSON values."""
        return self._read(lambda: reading.read_json(self.body))

    def record(self) -> Record:
        """Return the instance in the body."""
        return self._read(lambda: reading.read_instance(self.body, self.content_type))

    def application(self) -> Application:
        """Return the application in the body."""
        return self._read(lambda: reading.read_application(self.body, self.content_type))

    def applications(self) -> Applications:
        """Return the list in the body."""
        return self._read(lambda: reading.read_applications(self.body, self.content_type))

    def batch(self) -> tuple[TaskAnswer, ...]:
        """Return the answers to the tasks of a batch."""
        return self._read(lambda: reading.read_batch(self.body, self.content_type))

    def _read(self, reader: Callable[[], _Value]) -> _Value:
        try:
            return reader()
        except reading.UnreadableBodyError as problem:
            raise Unreadable(str(problem), self.exchange) from problem
