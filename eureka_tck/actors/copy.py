"""
The copy that a client keeps of a registry: a full read, and the deltas applied to it since.

What a real client does with a list, and nothing more: it makes no calls.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka_tck.wire.record import Record


class Copy:
    """Instances by application and id."""

    def __init__(self, listed: Iterable[Record]) -> None:
        self._held = {(record.app, record.id): record for record in listed}

    def apply(self, changes: Iterable[Record]) -> None:
        """Take the entries of a delta in, in the order in which they come."""
        for record in changes:
            if record.action == "DELETED":
                self._held.pop((record.app, record.id), None)
            else:
                self._held[record.app, record.id] = record

    @property
    def hash(self) -> str:
        """What a registry that holds the same would say its hash is."""
        return hash_of(self._held.values())

    def statuses(self) -> dict[str, str]:
        """Return the status of every instance by `application/id`."""
        return {f"{app}/{name}": record.status for (app, name), record in self._held.items()}

    def ids(self, app: str) -> frozenset[str]:
        """Return the ids held of that application."""
        return frozenset(name for of, name in self._held if of == app)

    def status(self, app: str, instance_id: str) -> str | None:
        """Return the status held of that instance, None where it is not held."""
        record = self._held.get((app, instance_id))
        return None if record is None else record.status


def hash_of(records: Iterable[Record]) -> str:
    """Return the hash of these instances: `STATUS_count_` for each status, alphabetically."""
    counts = Counter(record.status for record in records)
    return "".join(f"{status}_{count}_" for status, count in sorted(counts.items()))
