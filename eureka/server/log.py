"""
The log: one line an event, to standard error, stamped with the registry's own time;
`key=value` for people, or JSON for programs.

Logins in URLs never reach it. Where nobody reads it any more, the server goes on without.
"""

from __future__ import annotations

import contextlib
import json
import sys
import traceback
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, TextIO

import msgspec

from eureka.server.redaction import redacted

if TYPE_CHECKING:
    from eureka.server.clock import Clock

Value = str | int | float | bool | None
Form = Literal["text", "json"]
Level = Literal["info", "warning", "error"]


class Log:
    """Writes events; in text, a value with blanks or quotes is written as JSON writes it."""

    def __init__(self, clock: Clock, stream: TextIO | None = None, *, form: Form = "text") -> None:
        self._clock = clock
        self._stream = sys.stderr if stream is None else stream
        self._line = _as_json if form == "json" else _as_text

    def info(self, event: str, **fields: Value) -> None:
        """Write something an operator may want to know."""
        self._write("info", event, fields)

    def warning(self, event: str, **fields: Value) -> None:
        """Write something an operator should look at."""
        self._write("warning", event, fields)

    def failure(self, event: str, error: BaseException, **fields: Value) -> None:
        """Write a fault of this program, with the place where it happened."""
        place = "".join(traceback.format_exception(error))
        self._write("error", event, {**fields, "error": repr(error)}, redacted(place))

    def _write(
        self, level: Level, event: str, fields: dict[str, Value], place: str | None = None
    ) -> None:
        moment = datetime.fromtimestamp(self._clock.now().epoch_ms / 1000, tz=UTC)
        stamp = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        plain = {
            name: redacted(str(value)) if isinstance(value, str) else value
            for name, value in fields.items()
        }
        with contextlib.suppress(OSError, ValueError):  # a closed pipe, or a closed file
            self._stream.write(self._line(stamp, level, event, plain, place))
            self._stream.flush()


def _as_text(
    stamp: str, level: Level, event: str, fields: dict[str, Value], place: str | None
) -> str:
    pairs = "".join(f" {name}={_shown(value)}" for name, value in fields.items())
    return f"{stamp} {level} {event}{pairs}\n{place or ''}"


def _as_json(
    stamp: str, level: Level, event: str, fields: dict[str, Value], place: str | None
) -> str:
    line = {"time": stamp, "level": level, "event": event, **fields}
    if place is not None:
        line["traceback"] = place
    return f"{msgspec.json.encode(line).decode()}\n"


def _shown(value: Value) -> str:
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, float):
        return f"{value:.3f}"
    text = str(value)
    plain = text and text.isprintable() and not set(text) & set(' ="\\')
    return text if plain else json.dumps(text)
