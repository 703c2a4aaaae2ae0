"""
Changes that another node of our own kind tells with a mark: carried out in the order they were made
in, not in the order they arrive in.

A late or repeated one undoes nothing newer, and changes made on two sides at once end equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from eureka.core.departures import Cancelled
from eureka.core.errors import UnknownInstance
from eureka.core.merge import Version, merge, same_statement
from eureka.core.revision import Revision

if TYPE_CHECKING:
    from eureka.core.departures import Departures
    from eureka.core.event import Changed
    from eureka.core.instance import Instance, Key
    from eureka.core.instant import Instant
    from eureka.core.registry import Registry
    from eureka.core.revision import Revisions
    from eureka.core.status import Status
    from eureka.core.task import Mark


UNDER_WAY: Final = 1.0
"""s that a registration may have been under way: one batching delay and a slow link."""


class Arrivals:
    """Carries out marked changes on one node."""

    def __init__(self, registry: Registry, revisions: Revisions, departures: Departures) -> None:
        self._registry = registry
        self._revisions = revisions
        self._departures = departures

    def register(self, instance: Instance, mark: Mark, *, now: Instant) -> Changed | None:
        """Merge a registration into what is held, and start a fresh lease, unless it left since."""
        key = instance.key
        self._witness(mark)
        theirs = Version(instance, mark.revision)
        lease = self._registry.leases.find(key)
        if lease is None:
            departure = self._departures.find_cancelled(key)
            if departure is not None and departure.dirty_ms >= instance.dirty_ms:
                if not _came_later(mark, departure, now=now):
                    return None
                theirs = Version(instance, self._since(departure, mark.revision))
            self._departures.came_back(key)
            self._revisions.put(key, theirs.revision)
            return self._registry.adopt(instance, now=now)
        merged = merge(Version(lease.instance, self._revisions.of(key)), theirs)
        self._revisions.put(key, merged.revision)
        return self._registry.adopt(merged.instance, now=now, fresh=True)

    def change_override(
        self, key: Key, status: Status, mark: Mark, *, now: Instant
    ) -> Changed | None:
        """Set or remove an override, unless it was changed here since. Renews the lease."""
        self._witness(mark)
        lease = self._registry.read(key, now=now, to="change its override")
        lease.renew(now=now)
        mine = Version(lease.instance, self._revisions.of(key))
        if mark.revision.override <= mine.revision.override:
            return None
        theirs = Version(
            replace(
                lease.instance,
                status=status,
                overridden_status=mark.override,
                dirty_ms=mark.dirty_ms,
            ),
            Revision(
                mine.revision.data
                if mark.dirty_ms == lease.instance.dirty_ms
                else mark.revision.data,
                mark.revision.override,
            ),
        )
        merged = merge(mine, theirs)
        self._revisions.put(key, merged.revision)
        if same_statement(merged.instance, lease.instance):
            return None
        return self._registry.adopt(merged.instance, now=now)

    def cancel(self, key: Key, mark: Mark, *, now: Instant) -> Changed | None:
        """End a lease, unless the instance registered again since."""
        self._witness(mark)
        departure = Cancelled(mark.dirty_ms, mark.at, now.monotonic)
        lease = self._registry.leases.find(key)
        if lease is None:
            known = self._departures.find_cancelled(key)
            if known is None or known.stamp < mark.at:
                self._departures.cancelled(key, departure)
            raise UnknownInstance(key, "be cancelled")
        revision = self._revisions.of(key)
        if lease.instance.dirty_ms > mark.dirty_ms or revision.data > mark.at:
            return None
        changed = self._registry.cancel(key, now=now)
        self._revisions.forget(key)
        self._departures.cancelled(key, departure)
        return changed

    def _witness(self, mark: Mark) -> None:
        self._revisions.witness(mark.at, mark.revision.data, mark.revision.override)

    @staticmethod
    def _since(departure: Cancelled, revision: Revision) -> Revision:
        """Return a revision by which no override of before the cancellation comes back."""
        return Revision(revision.data, max(revision.override, departure.stamp))


def _came_later(mark: Mark, departure: Cancelled, *, now: Instant) -> bool:
    """
    Tell whether a registration is of an instance that was heard of after it was cancelled.

    One that a client made is ordered by stamps. One that heals is of a renewal that no stamp tells
    of: durations are compared, so that wall clocks do not matter.
    """
    if mark.silence is None:
        return mark.at > departure.stamp
    return mark.silence + UNDER_WAY < now.monotonic - departure.at
