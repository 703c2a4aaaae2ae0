"""
Writes a history line by line, so that it can be read while the run goes on.

Workers, samplers and faults share one writer: a line is whole or not there.
Instants are rounded to a tenth of a registry millisecond: finer than any clock here agrees.
"""

from __future__ import annotations

import itertools
import threading
from typing import TYPE_CHECKING, Self

import msgspec

from eureka_tck.errors import CannotRun
from eureka_tck.history.event import FILE

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from eureka_tck.history.event import Event, Header


class HistoryWriter:
    """A context manager; `write` may be called from any thread while it is open."""

    def __init__(self, folder: Path, header: Header) -> None:
        self.path = folder / FILE
        self._header = header
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)

    def __enter__(self) -> Self:
        try:
            self._file = self.path.open("wb")
        except OSError as error:
            raise CannotRun(f"{self.path} cannot be written: {error.strerror}.") from error
        self._put(self._header)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            self._file.close()

    def number(self) -> int:
        """Return the next number for an operation."""
        return next(self._numbers)

    def write(self, event: Event) -> None:
        """Append one event; the line is in the file when this returns."""
        self._put(event)

    def _put(self, line: Event | Header) -> None:
        data = msgspec.json.encode(line) + b"\n"
        try:
            with self._lock:
                self._file.write(data)
                self._file.flush()
        except OSError as error:
            raise CannotRun(f"{self.path} cannot be written: {error.strerror}.") from error
