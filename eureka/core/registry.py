"""
The registry: leases of instances by application and id, and what calls, time and chance do to them.

It answers with events or raises a `RequestError` that has changed nothing.
It knows neither peers (`node`) nor bytes (`eureka.wire`), and it never logs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from eureka.core import edition
from eureka.core.delta import RecentChanges
from eureka.core.errors import RegistryClosed, UnknownInstance
from eureka.core.event import Changed, DeltaForgot, Event, PreservationChanged, Recounted
from eureka.core.eviction import Chance, Eviction
from eureka.core.instance import Record
from eureka.core.lease import Lease
from eureka.core.leases import Leases
from eureka.core.metadata import check_growth
from eureka.core.override import effective_status
from eureka.core.preservation import Preservation
from eureka.core.status import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eureka.core.instance import Instance, Key
    from eureka.core.instant import Instant
    from eureka.core.policy import Policy


FORGOTTEN: Final = 10_000  # changes forgotten in one go: 5 ms


class Renewal(msgspec.Struct, frozen=True, gc=False):
    """A renewal that was counted, and the change it made to what lists show, if any."""

    lease: Lease
    changed: Changed | None = None


class Registry:
    """All leases of one node."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.preservation = Preservation(policy)
        self.changes = RecentChanges()
        self.leases = Leases()
        self.opened: Instant | None = None
        self.eviction = Eviction(policy)
        self._recount_at = 0.0
        self._forget_at = 0.0
        self._lists_open_at: float | None = None

    # Reading

    def read(self, key: Key, *, now: Instant, to: str = "be read") -> Lease:
        """
        Return the lease as single reads see it:
        an overdue one is gone while expiry is enabled.
        """
        lease = self.leases.find(key)
        if lease is None or (lease.is_overdue(now=now) and self.expiry_enabled(now=now)):
            raise UnknownInstance(key, to)
        return lease

    def find_by_id(self, instance_id: str, *, now: Instant) -> Lease | None:
        """Return one instance of that id, of whichever application, as single reads see it."""
        enabled = self.expiry_enabled(now=now)
        for lease in self.leases.with_id(instance_id):
            if not (enabled and lease.is_overdue(now=now)):
                return lease
        return None

    def listing(self, vip: str, *, secure: bool) -> dict[str, list[Lease]]:
        """Return the leases of the instances that list this address, by application."""
        return self.leases.listing(vip, secure=secure)

    def recent(self) -> Iterator[Record]:
        """Return the recently changed instances, each once, as they are now or as they left."""
        return (Record(one.instance, one.renewed_ms) for one in self.changes)

    def expiry_enabled(self, *, now: Instant) -> bool:
        """Tell whether leases may expire now."""
        return self.preservation.expiry_enabled(now=now.monotonic)

    def lists_open(self, *, now: Instant) -> bool:
        """Tell whether list reads are served: after opening, and a while later if it was empty."""
        return self._lists_open_at is not None and now.monotonic >= self._lists_open_at

    def check_lists_open(self, *, now: Instant) -> None:
        """Refuse list reads before the registry opens, and for a while if it then knew nobody."""
        if not self.lists_open(now=now):
            raise RegistryClosed

    # Calls

    def open(self, copied: int, *, now: Instant) -> None:
        """
        Start to count and to evict, with so many leases that were copied from a peer.

        What registered while the copy ran is expected too: it will renew.
        """
        policy = self.policy
        expected = copied or policy.open_count
        came_meanwhile = len(self.leases) - copied
        self.opened = now
        self.preservation.open(expected + came_meanwhile, now=now)
        self.eviction.open(now=now.monotonic)
        self._recount_at = now.monotonic + policy.recount_interval
        self._forget_at = now.monotonic + policy.delta_retention_interval
        wait = 0.0 if expected else policy.wait_when_sync_empty
        self._lists_open_at = now.monotonic + wait

    def register(self, instance: Instance, *, now: Instant, replicated: bool) -> Changed:
        """
        Start a fresh lease.

        An older instance than the held one changes none of its data (`edition.registered`).
        """
        existing = self.leases.find(instance.key)
        before = existing.instance if existing else None
        if before is None:
            self.preservation.client_came()
        after = edition.registered(instance, held=before, replicated=replicated, now=now)
        lease = Lease.of(after, now=now)
        self.leases.put(lease)
        self.changes.note(lease, now=now.monotonic)
        return Changed(before, after)

    def renew(self, key: Key, *, now: Instant, replicated: bool) -> Renewal:
        """Renew and count; one whose status is UNKNOWN has to register again."""
        lease = self.leases.find(key)
        if lease is None:
            raise UnknownInstance(key, "renew")
        instance = lease.instance
        status = effective_status(
            instance.status,
            override=instance.overridden_status,
            held=instance.status,
            replicated=replicated,
        )
        if status is Status.UNKNOWN:
            raise UnknownInstance(key, "renew")
        self.preservation.renewed(now=now.monotonic)
        lease.renew(now=now)
        if status is instance.status:
            return Renewal(lease)
        after = edition.modified(instance, now=now, status=status)
        return Renewal(lease, self._change(lease, after, now=now))

    def renew_plainly(
        self, app: str, instance_id: str, dirty_ms: int | None, *, now: Instant
    ) -> Lease | None:
        """
        Renew by a client's call, if `renew` would change nothing but the lease; None: call `renew`.

        Nearly all calls are answered here, so it makes no object and applies no rule.
        """
        leases = self.leases.by_app.get(app)
        lease = leases.get(instance_id) if leases is not None else None
        if (
            lease is None
            or not lease.is_settled
            or (dirty_ms is not None and dirty_ms != lease.instance.dirty_ms)
        ):
            return None
        self.preservation.renewed(now=now.monotonic)
        lease.renew(now=now)
        return lease

    def cancel(self, key: Key, *, now: Instant) -> Changed:
        """End the lease, overdue or not; the override goes with it."""
        lease = self.leases.find(key)
        if lease is None:
            raise UnknownInstance(key, "be cancelled")
        return self._remove(lease, now=now)

    def set_status(
        self, key: Key, status: Status, *, now: Instant, dirty_ms: int | None = None
    ) -> Changed | None:
        """Override the status; the one it has already stores no override. Renews the lease."""
        lease = self.read(key, now=now, to="change its status")
        lease.renew(now=now)
        held = lease.instance
        if held.status is status:
            return None
        after = edition.modified(held, now=now, status=status, override=status, dirty_ms=dirty_ms)
        return self._change(lease, after, now=now)

    def remove_status(
        self, key: Key, status: Status, *, now: Instant, dirty_ms: int | None = None
    ) -> Changed | None:
        """Remove the override, if there is one, and give the status instead. Renews the lease."""
        lease = self.read(key, now=now, to="lose its override")
        lease.renew(now=now)
        held = lease.instance
        if held.overridden_status is Status.UNKNOWN:
            return None
        none = Status.UNKNOWN
        after = edition.modified(held, now=now, status=status, override=none, dirty_ms=dirty_ms)
        return self._change(lease, after, now=now)

    def store_override(self, key: Key, override: Status, *, now: Instant) -> Changed | None:
        """Keep an override that a peer knows of; it decides the status from the next renewal on."""
        lease = self.leases.find(key)
        if lease is None or override in (Status.UNKNOWN, lease.instance.overridden_status):
            return None
        after = edition.modified(lease.instance, now=now, override=override)
        return self._change(lease, after, now=now)

    def adopt(
        self,
        instance: Instance,
        *,
        now: Instant,
        fresh: bool = False,
        silence: float = 0.0,
        renewed: bool = False,
    ) -> Changed:
        """
        Hold this record as it is: another node and this one agreed on it, override included.

        A lease that is held goes on, unless a `fresh` one is due;
        one that was not held is as old as `silence` and `renewed` say.
        """
        lease = self.leases.find(instance.key)
        before = lease.instance if lease else None
        after = edition.adopted(instance, held=before, fresh=fresh, now=now)
        if lease is not None and not fresh:
            self.leases.change(lease, after)
        else:
            if lease is None:
                self.preservation.client_came()
            lease = Lease.of(after, now=now)
            lease.age(silence, renewed=renewed, now=now)
            self.leases.put(lease)
        self.changes.note(lease, now=now.monotonic)
        return Changed(before, after)

    def set_metadata(self, key: Key, added: Mapping[str, str], *, now: Instant) -> Changed:
        """Add or replace metadata: a registration of the same instance with more metadata."""
        instance = self.read(key, now=now, to="take metadata").instance
        merged = {**instance.metadata, **added}
        check_growth(instance.metadata, merged, most=self.policy.max_metadata)
        return self.register(replace(instance, metadata=merged), now=now, replicated=False)

    # Time

    def next_deadline(self) -> float | None:
        """
        Return the monotonic second at which `tick` has something to do; None before opening.

        A past one while a run of eviction goes on: let others be served, then call again.
        """
        evicts_at = self.eviction.next_deadline()
        turn = self.preservation.next_turn()
        if evicts_at is None or turn is None:
            return None
        return min(evicts_at, self._recount_at, self._forget_at, turn)

    def tick(self, *, now: Instant, rng: Chance) -> list[Event]:
        """Do what is due: look after protection, evict, recount, forget old changes."""
        events: list[Event] = []
        if self.opened is None:
            return events
        if self.preservation.watch(now=now):
            why = self.preservation.explain(now=now)
            events.append(
                PreservationChanged(why.expiry_enabled, why.renewals, why.threshold, why.reason)
            )
        if self.eviction.is_under_way(now=now):
            enabled = self.expiry_enabled(now=now)
            events += self.eviction.go_on(
                self.leases, self._remove, enabled=enabled, now=now, rng=rng
            )
        if now.monotonic >= self._recount_at:
            self._recount_at = now.monotonic + self.policy.recount_interval
            if self.preservation.recount(len(self.leases)):
                events.append(Recounted(self.preservation.clients, self.preservation.threshold))
        if now.monotonic >= self._forget_at:
            before = now.monotonic - self.policy.delta_retention
            forgotten = self.changes.forget(before=before, most=FORGOTTEN)
            if forgotten < FORGOTTEN:  # else there is more to forget, in another go
                self._forget_at = now.monotonic + self.policy.delta_retention_interval
            if forgotten:
                events.append(DeltaForgot(forgotten))
        return events

    # The two ways a lease changes

    def _change(self, lease: Lease, after: Instance, *, now: Instant) -> Changed:
        before = lease.instance
        self.leases.change(lease, after)
        self.changes.note(lease, now=now.monotonic)
        return Changed(before, after)

    def _remove(self, lease: Lease, *, now: Instant) -> Changed:
        before = lease.instance
        after = edition.removed(before, now=now)
        self.leases.remove(lease)
        self.preservation.client_went()
        self.changes.note(Record(after, lease.renewed_ms), now=now.monotonic)
        return Changed(before, after)
