"""What happened on this node since it started: counts, and the last leases that came and went."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from eureka.core.event import Changed, Evicted, EvictionRan, PreservationChanged
from eureka.core.instance import Key
from eureka.core.status import Action

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka.core.event import Event

KEPT: Final = 1000  # leases of each kind; eureka-core CircularQueue(1000)

End = Literal["cancelled", "evicted"]


class Came(msgspec.Struct, frozen=True, gc=False):
    """A registration: when, of whom, and whether it was known already."""

    at_ms: int
    key: Key
    again: bool


class Went(msgspec.Struct, frozen=True, gc=False):
    """The end of a lease: when, of whom, and how."""

    at_ms: int
    key: Key
    how: End


class Account:
    """Counts by events, so that nothing is counted where a renewal passes."""

    def __init__(self) -> None:
        self.registrations = 0
        self.first_registrations = 0
        self.status_changes = 0
        self.cancels = 0
        self.evictions = 0
        self.protections = 0
        self.came: deque[Came] = deque(maxlen=KEPT)
        self.went: deque[Went] = deque(maxlen=KEPT)
        self.last_run: EvictionRan | None = None

    def note(self, events: Iterable[Event]) -> None:
        """Take note of what the core did."""
        for event in events:
            if isinstance(event, Changed):
                self._changed(event)
            elif isinstance(event, Evicted):
                # It follows the change that it explains.
                self.cancels -= 1
                self.evictions += 1
                last = self.went.pop()
                self.went.append(Went(last.at_ms, last.key, "evicted"))
            elif isinstance(event, EvictionRan):
                self.last_run = event
            elif isinstance(event, PreservationChanged):
                self.protections += not event.expiry_enabled

    def _changed(self, change: Changed) -> None:
        after = change.after
        if after.action is Action.DELETED:
            self.cancels += 1
            self.went.append(Went(after.updated_ms, after.key, "cancelled"))
        elif after.action is Action.MODIFIED:
            self.status_changes += 1
        else:
            again = change.before is not None
            self.registrations += 1
            self.first_registrations += not again
            self.came.append(Came(after.updated_ms, after.key, again))
