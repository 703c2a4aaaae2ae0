"""
The log: one line an event, `key=value`,
to standard error, stamped with the registry's own time.
"""

from __future__ import annotations

import json
import sys
import traceback
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from eureka.server.clock import Clock

Value = str | int | float | bool | None


class Log:
    """Writes events; a value with blanks or quotes is written as JSON writes it."""

    def __init__(self, clock: Clock, stream: TextIO | None = None) -> None:
        self._clock = clock
        self._stream = sys.stderr if stream is None else stream

    def info(self, event: str, **fields: Value) -> None:
        """Write something an operator may want to know."""
        self._write("info", event, fields)

    def warning(self, event: str, **fields: Value) -> None:
        """Write something an operator should look at."""
        self._write("warning", event, fields)

    def failure(self, event: str, error: BaseException, **fields: Value) -> None:
        """Write a fault of this program, with the place where it happened."""
        self._write("error", event, {**fields, "error": repr(error)})
        traceback.print_exception(error, file=self._stream)
        self._stream.flush()

    def _write(self, level: str, event: str, fields: dict[str, Value]) -> None:
        moment = datetime.fromtimestamp(self._clock.now().epoch_ms / 1000, tz=UTC)
        stamp = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        pairs = "".join(f" {name}={_shown(value)}" for name, value in fields.items())
        self._stream.write(f"{stamp} {level} {event}{pairs}\n")
        self._stream.flush()


def _shown(value: Value) -> str:
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, float):
        return f"{value:.3f}"
    text = str(value)
    plain = text and text.isprintable() and not set(text) & set(' ="\\')
    return text if plain else json.dumps(text)
