"""
Where the time of a run went that no test sees: nodes that waited for their turn, and started.

Each process of a run appends a line for each start; the gate reads them when it is over.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "starts.jsonl"
AT_MOST: Final = 10_000
"""Lines that are read: some five a cluster, and a few restarts a profile."""


class Start(msgspec.Struct, frozen=True):
    """One start: asked for, begun when its turn came, over when the node was ready (unix s)."""

    cluster: str
    node: str
    asked: float
    begun: float
    over: float


def note_start(run: Path, start: Start) -> None:
    """Append the start; what cannot be kept is no reason to fail."""
    with contextlib.suppress(OSError), (run / FILE).open("ab") as file:
        file.write(msgspec.json.encode(start) + b"\n")


def read_starts(run: Path) -> list[Start]:
    """Return all starts of a run, in the order in which they ended."""
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        lines = (run / FILE).read_bytes().splitlines()[:AT_MOST]
        return [msgspec.json.decode(line, type=Start) for line in lines]
    return []
