"""
The recent changes:
each instance once, with its latest state, for as long as clients may have missed it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eureka.core.instance import Key, Record


class RecentChanges:
    """What `/apps/delta` lists, oldest change first."""

    def __init__(self) -> None:
        self._changes: dict[Key, tuple[float, Record | None]] = {}
        self.version = 0
        """Rises with every change, and never falls while the process lives."""

    def __len__(self) -> int:
        return len(self._changes)

    def __iter__(self) -> Iterator[tuple[Key, Record | None]]:
        """Yield key and final record of each; a record of None means: read the living lease."""
        return ((key, final) for key, (_, final) in self._changes.items())

    def note(self, key: Key, *, now: float, final: Record | None = None) -> None:
        """Remember a change; `final` is the last state of an instance that left."""
        self._changes.pop(key, None)
        self._changes[key] = (now, final)
        self.version += 1

    def forget(self, *, before: float, most: int = sys.maxsize) -> int:
        """Forget what changed before that moment, so many changes at most; return how many."""
        old: list[Key] = []
        for key, (changed_at, _) in self._changes.items():
            if changed_at >= before or len(old) == most:
                break
            old.append(key)
        for key in old:
            del self._changes[key]
        return len(old)
