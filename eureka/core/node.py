"""
A node of a cluster: a registry, and what its calls mean for the peers.

The shell gives it calls and time, and moves the bytes its outboxes ask for;
what peers tell it is in `inbox`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eureka.core.departures import Cancelled, Departures
from eureka.core.event import Event, Evicted
from eureka.core.healing import Healer
from eureka.core.instance import Record
from eureka.core.outbox import Missing
from eureka.core.peers import Peers
from eureka.core.registry import Registry
from eureka.core.revision import NEVER, Revision, Revisions
from eureka.core.status import Status
from eureka.core.task import Kind, Mark, Task, change_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from eureka.core.comparison import Exchange
    from eureka.core.event import Changed
    from eureka.core.eviction import Chance
    from eureka.core.instance import Instance, Key
    from eureka.core.instant import Instant
    from eureka.core.lease import Lease
    from eureka.core.outbox import Batch
    from eureka.core.policy import Policy, ReplicationPolicy
    from eureka.core.revision import Stamp
    from eureka.core.task import PeerAnswer

OK = 200
REGISTER_AGAIN = 404
HELD_IS_NEWER = 409


class Answer(msgspec.Struct, frozen=True, gc=False):
    """The HTTP status of a call and what it made happen; a 409 comes with the record held."""

    status: int = OK
    events: tuple[Event, ...] = ()
    record: Record | None = None


_OK = Answer()


class Node:
    """One registry among its peers, by their URLs; `name` tells it from all other nodes."""

    def __init__(self, policy: Policy, replication: ReplicationPolicy, name: str = "") -> None:
        self.registry = Registry(policy)
        self.peers = Peers(replication)
        self.revisions = Revisions(name)
        self.departures = Departures()
        self.healer = Healer(self.registry, self.revisions, self.departures)

    # Start

    def copy(self, instances: Iterable[Instance], *, now: Instant) -> tuple[Event, ...]:
        """
        Take over a peer's instances, before opening, each with a fresh lease.

        What a client or another peer did here meanwhile is newer than the copy.
        """
        events: list[Event] = []
        for instance in instances:
            held = self.registry.leases.find(instance.key)
            left = self.departures.find_cancelled(instance.key)
            if (left is not None and left.dirty_ms >= instance.dirty_ms) or (
                held is not None and held.instance.dirty_ms >= instance.dirty_ms
            ):
                continue
            events.append(self.registry.register(instance, now=now, replicated=True))
        return tuple(events)

    def open(self, copied: int, *, now: Instant) -> None:
        """Start to count and to evict."""
        self.registry.open(copied, now=now)
        self.peers.open(now=now.monotonic)

    # Time

    def next_deadline(self) -> float | None:
        """Return the monotonic second at which `tick` has something to do; None before opening."""
        return self.registry.next_deadline()

    def tick(self, *, now: Instant, rng: Chance) -> list[Event]:
        """Do what is due, and remember who was evicted."""
        events = self.registry.tick(now=now, rng=rng)
        for event in events:
            if isinstance(event, Evicted):
                key = event.instance.key
                self.revisions.forget(key)
                self.departures.evicted(key, now=now.monotonic)
        return events

    # Calls

    def register(self, instance: Instance, *, now: Instant, replicated: bool) -> Answer:
        """Register an instance."""
        changed = self.registry.register(instance, now=now, replicated=replicated)
        at = self.revisions.next(now=now)
        self._registered(changed, instance.dirty_ms, at, now=now)
        if not replicated:
            self._tell(Kind.REGISTER, instance.key, now=now, at=at)
        return Answer(events=(changed,))

    def renew(
        self,
        key: Key,
        *,
        now: Instant,
        replicated: bool,
        dirty_ms: int | None = None,
        override: Status = Status.UNKNOWN,
    ) -> Answer:
        """
        Renew a lease; the dirty timestamp tells whether caller and registry mean the same record.

        A caller with a newer one has to register; a peer with an older one gets the newer record.
        Either way the lease is renewed.
        """
        renewal = self.registry.renew(key, now=now, replicated=replicated)
        if not replicated:
            for outbox in self.peers.outboxes.values():
                outbox.beat(renewal.lease, now=now.monotonic)
        events: tuple[Event, ...] = (renewal.changed,) if renewal.changed else ()
        held_ms = renewal.lease.instance.dirty_ms
        if dirty_ms is None or dirty_ms == held_ms or not self.registry.policy.compare_timestamps:
            return Answer(events=events) if events else _OK
        if dirty_ms > held_ms:
            if replicated:
                stored = self.registry.store_override(key, override, now=now)
                if stored:
                    self._overridden(stored, now=now)
                    events += (stored,)
            return Answer(REGISTER_AGAIN, events)
        if replicated:
            return Answer(HELD_IS_NEWER, events, renewal.lease.record())
        return Answer(events=events) if events else _OK

    def renew_plainly(
        self, app: str, instance_id: str, dirty_ms: int | None, *, now: Instant
    ) -> bool:
        """
        Do what `renew` does for a client's call that changes nothing but the lease.

        False: nothing was done, call `renew`.
        """
        lease = self.registry.renew_plainly(app, instance_id, dirty_ms, now=now)
        if lease is None:
            return False
        for outbox in self.peers.outboxes.values():
            outbox.beat(lease, now=now.monotonic)
        return True

    def cancel(self, key: Key, *, now: Instant, replicated: bool) -> Answer:
        """Cancel a lease."""
        at = self.revisions.next(now=now)
        held = self.registry.leases.find(key)
        dirty_ms = now.epoch_ms if held is None else held.instance.dirty_ms
        if held is not None or self.registry.opened is None:
            # While a copy runs, a cancellation of what is still to be copied counts too.
            self.departures.cancelled(key, Cancelled(dirty_ms, at, now.monotonic))
        changed = self.registry.cancel(key, now=now)
        self.revisions.forget(key)
        if replicated and held is not None:
            self.peers.withdraw(key, held)
        else:
            mark = Mark(at, dirty_ms, Revision(), Status.UNKNOWN)
            self.peers.tell(Task(kind=Kind.CANCEL, key=key, mark=mark), now=now.monotonic)
        return Answer(events=(changed,))

    def set_status(
        self,
        key: Key,
        status: Status,
        *,
        now: Instant,
        replicated: bool,
        dirty_ms: int | None = None,
    ) -> Answer:
        """Override the status of an instance."""
        changed = self.registry.set_status(key, status, now=now, dirty_ms=dirty_ms)
        at = self._overridden(changed, now=now)
        if not replicated:
            self._tell(Kind.STATUS_UPDATE, key, now=now, at=at)
        return Answer(events=(changed,)) if changed else _OK

    def remove_status(
        self,
        key: Key,
        status: Status,
        *,
        now: Instant,
        replicated: bool,
        dirty_ms: int | None = None,
    ) -> Answer:
        """Remove the override of an instance, giving it this status instead."""
        changed = self.registry.remove_status(key, status, now=now, dirty_ms=dirty_ms)
        at = self._overridden(changed, now=now)
        if not replicated:
            self._tell(Kind.DELETE_STATUS_OVERRIDE, key, now=now, at=at)
        return Answer(events=(changed,)) if changed else _OK

    def set_metadata(
        self, key: Key, added: Mapping[str, str], *, now: Instant, replicated: bool
    ) -> Answer:
        """Add metadata to an instance; it travels as a registration."""
        changed = self.registry.set_metadata(key, added, now=now)
        at = self.revisions.next(now=now)
        self._registered(changed, changed.after.dirty_ms, at, now=now)
        if not replicated:
            self._tell(Kind.REGISTER, key, now=now, at=at)
        return Answer(events=(changed,))

    # What peers say

    def peer_answered(
        self,
        url: str,
        batch: Batch,
        answers: Sequence[PeerAnswer],
        *,
        now: Instant,
        dialect: str = "",
    ) -> tuple[Event, ...]:
        """
        Take note of what a peer said to a batch:
        register there what it misses, adopt what is newer.

        `dialect` is how it announced to compare all it holds; one of another kind announces none.
        """
        events: list[Event] = []
        found = self.peers.answered(url, batch, answers, now=now.monotonic, dialect=dialect)
        for finding in found:
            lease = self.registry.leases.find(finding.key)
            if lease is None:  # cancelled here meanwhile: there is nothing to heal
                continue
            if isinstance(finding, Missing):
                silence = now.monotonic - lease.heard_at
                mark = self._mark(lease, self.revisions.next(now=now), silence)
                task = change_of(Kind.REGISTER, lease, mark)
                life = lease.instance.true_for
                self.peers.outboxes[url].put(task, life=life, now=now.monotonic)
            else:
                events += self._adopt(lease, finding.instance, now=now)
                # What the answer does not tell: stamps.
                self.peers.rifts[url].cause(now=now.monotonic)
        return tuple(events)

    def exchange(self, asked: Exchange, *, now: Instant) -> tuple[Exchange, list[Event]]:
        """Answer another node's part of a comparison."""
        reply, events = self.healer.exchanged(asked, now=now)
        self.healed(events, now=now)
        return reply, events

    def healed(self, events: Sequence[Event], *, now: Instant) -> None:
        """
        Take note of what a comparison changed here: the other peers may not know it either.

        So news travels on from node to node, and stops where it is no news.
        """
        if events:
            self.peers.doubt(now=now.monotonic)

    def _adopt(self, lease: Lease, instance: Instance, *, now: Instant) -> list[Event]:
        held = lease.instance
        if instance.key != held.key or instance.dirty_ms <= held.dirty_ms:
            return []
        # The override first: it decides the status the instance is registered with.
        stored = self.registry.store_override(held.key, instance.overridden_status, now=now)
        changed = self.registry.register(instance, now=now, replicated=True)
        self.revisions.put(held.key, Revision(NEVER, self.revisions.of(held.key).override))
        return [stored, changed] if stored else [changed]

    def _registered(self, changed: Changed, dirty_ms: int, at: Stamp, *, now: Instant) -> None:
        """Keep the revision of a record that a client, or a node of another kind, registered."""
        key = changed.after.key
        before = changed.before
        if before is not None:
            revision = self.revisions.of(key)
            if dirty_ms > before.dirty_ms:
                self.revisions.put(key, Revision(NEVER, revision.override))
            elif dirty_ms == before.dirty_ms:
                self.revisions.put(key, Revision(at, revision.override))
            return
        left, evicted_at = self.departures.came_back(key)
        # No override of before a cancellation comes back out of another node's memory.
        self.revisions.put(key, Revision(NEVER, left.stamp) if left else Revision())
        if evicted_at is not None:
            # Others may never have evicted it, and still hold what was forgotten here.
            self.peers.doubt(now=now.monotonic)

    def _overridden(self, changed: Changed | None, *, now: Instant) -> Stamp:
        """Keep the revision of an override, if that changed anything; return the call's stamp."""
        at = self.revisions.next(now=now)
        if changed is not None:
            key = changed.after.key
            revision = self.revisions.of(key)
            newer = changed.before is not None and changed.after.dirty_ms > changed.before.dirty_ms
            self.revisions.put(key, Revision(NEVER if newer else revision.data, at))
        return at

    def _mark(self, lease: Lease, at: Stamp, silence: float | None = None) -> Mark:
        instance = lease.instance
        revision = self.revisions.of(instance.key)
        return Mark(at, instance.dirty_ms, revision, instance.overridden_status, silence)

    def _tell(self, kind: Kind, key: Key, *, now: Instant, at: Stamp) -> None:
        """Tell every peer of a client's change, as the instance is after it."""
        if self.peers.outboxes:
            lease = self.registry.leases.held(key)
            self.peers.tell(change_of(kind, lease, self._mark(lease, at)), now=now.monotonic)
