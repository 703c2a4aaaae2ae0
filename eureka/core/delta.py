"""
The recent changes:
each instance once, with its latest state, for as long as clients may have missed it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eureka.core.instance import Key, Record
    from eureka.core.lease import Lease


class RecentChanges:
    """What `/apps/delta` lists, oldest change first."""

    def __init__(self) -> None:
        self._changes: dict[Key, tuple[float, Lease | Record]] = {}
        self.version = 0
        """Rises with every change, and never falls while the process lives."""

    def __len__(self) -> int:
        return len(self._changes)

    def __iter__(self) -> Iterator[Lease | Record]:
        """Yield the lease of each, which tells its present state, or the record it left with."""
        return (changed for _, changed in self._changes.values())

    def note(self, changed: Lease | Record, *, now: float) -> None:
        """Remember a change of a lease, or the last state of an instance that left."""
        key = changed.instance.key
        self._changes.pop(key, None)
        self._changes[key] = (now, changed)
        self.version += 1

    def forget(self, *, before: float, most: int | None = None) -> int:
        """Forget what changed before that moment, so many changes at most; return how many."""
        old: list[Key] = []
        for key, (changed_at, _) in self._changes.items():
            if changed_at >= before or len(old) == most:
                break
            old.append(key)
        for key in old:
            del self._changes[key]
        return len(old)
