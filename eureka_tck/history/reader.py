"""
Reads a stored history back; every way in which a file can be wrong is one clear error.

A run that still goes on, or that was killed, leaves a last line without an end:
that line is left out. Any other line that cannot be read is an error with its number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from eureka_tck.errors import CannotRun
from eureka_tck.history.event import FILE, SCHEMA, Ended, Event, Header

if TYPE_CHECKING:
    from pathlib import Path

SHOWN: Final = 60  # characters of a broken line that an error quotes

EDITED: Final = "A history is judged as the run wrote it; one that was edited or cut cannot be."


class HistoryError(CannotRun):
    """A history cannot be read; the problem names file, line and what is wrong with it."""


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """
    A run as it was recorded: the header and everything after it, in the order of writing.

    Two of them are equal only if they are one, so that what is computed of it can be kept.
    """

    header: Header
    events: tuple[Event, ...]

    @property
    def is_complete(self) -> bool:
        """Whether the run came to its end, and did so without an error."""
        return bool(self.events) and isinstance(self.events[-1], Ended) and not self.why_broken_off

    @property
    def why_broken_off(self) -> str:
        """What broke the run off, where something did."""
        return next((event.error for event in self.events if isinstance(event, Ended)), "")


class _Head(msgspec.Struct):
    """The two fields that the first line of every version has."""

    event: str
    schema: int


_HEAD: Final = msgspec.json.Decoder(_Head)
_HEADER: Final = msgspec.json.Decoder(Header)
_EVENT: Final[msgspec.json.Decoder[Event]] = msgspec.json.Decoder(Event)


def read_history(path: Path) -> History:
    """Read a history; `path` is the file or the folder of its run."""
    file = path / FILE if path.is_dir() else path
    try:
        data = file.read_bytes()
    except OSError as error:
        raise HistoryError(
            f"{file} cannot be read: {error.strerror}.",
            "Give the folder of a chaos run, such as reports/latest.",
        ) from error
    lines = data.split(b"\n")
    lines.pop()  # what stands after the last line's end: nothing, or a line still being written
    if not lines:
        raise HistoryError(f"{file} holds no whole line; the run wrote nothing.")
    header = _header(file, lines[0])
    events = tuple(_event(file, number, line) for number, line in enumerate(lines[1:], 2))
    for number, event in enumerate(events, 2):
        node = getattr(event, "node", None)
        if node is not None and node not in header.nodes:
            raise HistoryError(
                f"{file}, line {number} tells of node {node!r}; the nodes of the run are "
                f"{', '.join(header.nodes) or 'none'}.",
                EDITED,
            )
    return History(header, events)


def _header(file: Path, line: bytes) -> Header:
    try:
        head = _HEAD.decode(line)
        if head.event != "header":
            raise HistoryError(
                f"{file}, line 1: its event is {head.event!r}; a history begins with a header."
            )
        if not 1 <= head.schema <= SCHEMA:
            raise HistoryError(
                f"{file}, line 1: schema is {head.schema}; this eureka-tck reads 1 to {SCHEMA}.",
                "Judge it again with the version that wrote it, or a newer one.",
            )
        return _HEADER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _broken(file, 1, line, error) from error


def _event(file: Path, number: int, line: bytes) -> Event:
    try:
        return _EVENT.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _broken(file, number, line, error) from error


def _broken(file: Path, number: int, line: bytes, error: Exception) -> HistoryError:
    quoted = line[:SHOWN].decode("utf-8", "replace") + ("…" if len(line) > SHOWN else "")
    return HistoryError(
        f"{file}, line {number} is not an event of a history: {error}. It begins with {quoted!r}.",
        EDITED,
    )
