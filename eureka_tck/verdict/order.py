"""
What one pass of a suite is told: the order a command gives to the pytest process it starts.

It travels as a JSON file in the run's folder; xdist's workers read the same one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from pathlib import Path


class Order(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    A pass.

    `speed` is the ceiling asked for (None: the target's own), `slower` divides every profile's
    speed (the second pass of late tests), `only` names the tests of such a pass.
    `profiles` tells each test's profile: workers share the tests by it.
    `owned` says that a running target is ours, so that what harms may be judged.
    `here` is the folder the command was given in: a target's relative path begins there.
    `events` is the descriptor on which the pass tells what happens, one JSON line each.
    """

    target: str
    backend: str
    seed: int
    here: str = ""
    speed: float | None = None
    slower: float = 1.0
    depth: Literal["quick", "full"] = "full"
    owned: bool = False
    select: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    profiles: dict[str, str] = {}
    settings: dict[str, str] = {}
    run_id: str = ""
    run_folder: str = ""
    attempt: int = 1
    events: int | None = None

    def write(self, path: Path) -> None:
        """Store the order."""
        path.write_bytes(msgspec.json.format(msgspec.json.encode(self)))

    @classmethod
    def read(cls, path: Path) -> Order:
        """Read a stored order."""
        return msgspec.json.decode(path.read_bytes(), type=cls)
