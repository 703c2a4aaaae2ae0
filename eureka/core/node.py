"""
A node of a cluster: a registry, and what its calls mean for the peers.

The shell gives it calls and time, and moves the bytes its outboxes ask for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eureka.core.arrival import Arrivals
from eureka.core.departures import Cancelled, Departures
from eureka.core.errors import InvalidRequest, RequestError
from eureka.core.event import Event, Evicted
from eureka.core.healing import Healer
from eureka.core.instance import Record
from eureka.core.outbox import Missing, Outbox
from eureka.core.receipts import Receipts
from eureka.core.registry import Registry
from eureka.core.revision import NEVER, Revision, Revisions
from eureka.core.rift import Rift
from eureka.core.status import Status
from eureka.core.task import Kind, Mark, Task, TaskAnswer, Unreadable

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
_DONE = TaskAnswer(OK)


class BatchAnswer(msgspec.Struct, frozen=True, gc=False):
    """One answer a task, in order, and what the tasks made happen."""

    answers: tuple[TaskAnswer, ...]
    events: tuple[Event, ...] = ()


class Node:
    """One registry among its peers, by their URLs; `name` tells it from all other nodes."""

    def __init__(self, policy: Policy, replication: ReplicationPolicy, name: str = "") -> None:
        self.registry = Registry(policy)
        self.outboxes: dict[str, Outbox] = {}
        self.rifts: dict[str, Rift] = {}
        self.known_as: dict[str, str] = {}
        """The peers' URLs by the host that their batches say they come from."""
        self.revisions = Revisions(name)
        self.departures = Departures()
        self.healer = Healer(self.registry, self.revisions, self.departures)
        self._arrivals = Arrivals(self.registry, self.revisions, self.departures)
        self._replication = replication
        self._receipts = Receipts()
        self._batches = 0  # the highest number of a batch to any peer of a former list

    def set_peers(self, urls: Iterable[str]) -> None:
        """Replicate to these peers from now on; those that stay keep what waits for them."""
        urls = list(urls)
        # A peer that was left out and is named again must not take new batches for old ones.
        used = (outbox.batches for outbox in self.outboxes.values())
        self._batches = max(self._batches, *used, 0)
        self.outboxes = {
            url: self.outboxes.get(url) or Outbox(self._replication, after=self._batches)
            for url in urls
        }
        # A peer that is named later was told nothing of what changed before.
        due_at = None if self.registry.opened is None else 0.0
        self.rifts = {url: self.rifts.get(url) or Rift(due_at) for url in urls}

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
        for rift in self.rifts.values():
            rift.cause(now=now.monotonic)

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
            for outbox in self.outboxes.values():
                outbox.beat(renewal.lease, now=now.monotonic)
        events: tuple[Event, ...] = (renewal.changed,) if renewal.changed else ()
        held_ms = renewal.lease.instance.dirty_ms
        if dirty_ms is None or dirty_ms == held_ms or not self.registry.policy.compare_timestamps:
            return Answer(events=events) if events else _OK
        if dirty_ms > held_ms:
            if replicated:
                stored = self.registry.store_override(key, override, now=now)
                if stored:
                    self._overridden(stored, self.revisions.next(now=now))
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
        for outbox in self.outboxes.values():
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
            self._withdraw(key, held)
        elif self.outboxes:
            mark = Mark(at, dirty_ms, Revision(), Status.UNKNOWN)
            self._put(Task(kind=Kind.CANCEL, key=key, mark=mark), self._replication.life, now=now)
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
        at = self.revisions.next(now=now)
        if changed:
            self._overridden(changed, at)
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
        at = self.revisions.next(now=now)
        if changed:
            self._overridden(changed, at)
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

    def apply_batch(
        self,
        tasks: Sequence[Task | Unreadable],
        *,
        now: Instant,
        sender: str = "",
        batch: str = "",
        dialect: str = "",
    ) -> BatchAnswer:
        """
        Carry out the tasks of a peer in their order; nothing of it is told to other peers.

        Only nodes of our own kind say who they are: `<name>@<host>`, number their batches
        and name the dialect in which they compare.
        """
        known = self._receipts.find(sender, batch)
        if known is not None:
            return BatchAnswer(known)
        url = self.known_as.get(sender.partition("@")[2]) if sender else None
        if url is not None and url in self.rifts:
            self.rifts[url].heard(dialect)
        answers: list[TaskAnswer] = []
        events: list[Event] = []
        renew = self.registry.renew_plainly
        for task in tasks:
            if isinstance(task, Unreadable):
                answers.append(TaskAnswer(task.status))
                continue
            key = task.key
            if task.kind is Kind.HEARTBEAT and renew(key.app, key.id, task.dirty_ms, now=now):
                answers.append(_DONE)
                continue
            try:
                answer = self._apply(task, now=now, ours=bool(sender))
            except RequestError as refusal:
                answers.append(TaskAnswer(refusal.status))
            else:
                answers.append(TaskAnswer(answer.status, answer.record))
                events += answer.events
        self._receipts.keep(sender, batch, tuple(answers))
        return BatchAnswer(tuple(answers), tuple(events))

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
        outbox = self.outboxes.get(url)
        if outbox is None:
            return ()
        rift = self.rifts[url]
        rift.answered(dialect=dialect, troubles=outbox.troubles, now=now.monotonic)
        events: list[Event] = []
        for finding in outbox.delivered(batch, answers, now=now.monotonic):
            lease = self.registry.leases.find(finding.key)
            if lease is None:  # cancelled here meanwhile: there is nothing to heal
                continue
            if isinstance(finding, Missing):
                mark = self._mark(
                    lease,
                    self.revisions.next(now=now),
                    silence=now.monotonic - lease.heard_at,
                )
                task = _task(Kind.REGISTER, lease, mark)
                outbox.put(task, life=lease.instance.true_for, now=now.monotonic)
            else:
                events += self._adopt(lease, finding.instance, now=now)
                rift.cause(now=now.monotonic)  # what the answer does not tell: stamps
        return tuple(events)

    def compares_at(self, url: str, *, now: float) -> float | None:
        """Return when to compare all that is held with a peer; None while there is no cause."""
        outbox, rift = self.outboxes.get(url), self.rifts.get(url)
        if outbox is None or rift is None:
            return None
        rift.lost(dropped=outbox.dropped, now=now)
        return rift.wakes_at()

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
            for rift in self.rifts.values():
                rift.cause(now=now.monotonic)

    def _adopt(self, lease: Lease, instance: Instance, *, now: Instant) -> list[Event]:
        held = lease.instance
        if instance.key != held.key or instance.dirty_ms <= held.dirty_ms:
            return []
        # The override first: it decides the status the instance is registered with.
        stored = self.registry.store_override(held.key, instance.overridden_status, now=now)
        changed = self.registry.register(instance, now=now, replicated=True)
        self.revisions.put(held.key, Revision(NEVER, self.revisions.of(held.key).override))
        return [stored, changed] if stored else [changed]

    def _apply(self, task: Task, *, now: Instant, ours: bool) -> Answer:
        if task.kind is Kind.HEARTBEAT:
            # The registration that follows a 404 tells our own kind the override with its stamp.
            override = Status.UNKNOWN if ours or task.override is None else task.override
            return self.renew(
                task.key, now=now, replicated=True, dirty_ms=task.dirty_ms, override=override
            )
        if task.mark is not None:
            changed = self._apply_marked(task, task.mark, now=now)
            return _OK if changed is None else Answer(events=(changed,))
        if task.kind is Kind.REGISTER:
            return self.register(_registered_by(task), now=now, replicated=True)
        if task.kind is Kind.CANCEL:
            return self.cancel(task.key, now=now, replicated=True)
        if task.kind is Kind.STATUS_UPDATE:
            status = _commanded(task)
            return self.set_status(
                task.key, status, now=now, replicated=True, dirty_ms=task.dirty_ms
            )
        status = task.status or Status.UNKNOWN
        return self.remove_status(
            task.key, status, now=now, replicated=True, dirty_ms=task.dirty_ms
        )

    def _apply_marked(self, task: Task, mark: Mark, *, now: Instant) -> Changed | None:
        """Carry out what a node of our own kind tells, in the order it was done in."""
        if task.kind is Kind.REGISTER:
            return self._arrivals.register(_registered_by(task), mark, now=now)
        if task.kind is Kind.CANCEL:
            held = self.registry.leases.find(task.key)
            changed = self._arrivals.cancel(task.key, mark, now=now)
            if changed is not None and held is not None:
                self._withdraw(task.key, held)
            return changed
        status = task.status or Status.UNKNOWN
        return self._arrivals.change_override(task.key, status, mark, now=now)

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
            for rift in self.rifts.values():
                rift.cause(now=now.monotonic)

    def _overridden(self, changed: Changed, at: Stamp) -> None:
        key = changed.after.key
        revision = self.revisions.of(key)
        newer = changed.before is not None and changed.after.dirty_ms > changed.before.dirty_ms
        self.revisions.put(key, Revision(NEVER if newer else revision.data, at))

    def _mark(self, lease: Lease, at: Stamp, silence: float | None = None) -> Mark:
        instance = lease.instance
        revision = self.revisions.of(instance.key)
        return Mark(at, instance.dirty_ms, revision, instance.overridden_status, silence)

    def _tell(self, kind: Kind, key: Key, *, now: Instant, at: Stamp) -> None:
        """Tell every peer of a client's change, as the instance is after it."""
        if not self.outboxes:
            return
        lease = self.registry.leases.held(key)
        life = lease.instance.true_for if kind is Kind.REGISTER else self._replication.life
        self._put(_task(kind, lease, self._mark(lease, at)), life, now=now)

    def _withdraw(self, key: Key, lease: Lease) -> None:
        """Tell nobody any more of an instance that another node cancelled."""
        for outbox in self.outboxes.values():
            outbox.withdraw(key, lease)

    def _put(self, task: Task, life: float, *, now: Instant) -> None:
        for outbox in self.outboxes.values():
            outbox.put(task, life=life, now=now.monotonic)


def _registered_by(task: Task) -> Instance:
    if task.record is None or task.record.instance.key.app != task.key.app:
        raise InvalidRequest(f"A registration of {task.key} carries another instance.")
    return task.record.instance


def _commanded(task: Task) -> Status:
    if task.status in (None, Status.UNKNOWN):
        raise InvalidRequest(f"{task.key} cannot be given the status {task.status}.")
    return task.status


def _task(kind: Kind, lease: Lease, mark: Mark) -> Task:
    instance = lease.instance
    return Task(
        kind=kind,
        key=instance.key,
        dirty_ms=instance.dirty_ms,
        status=instance.status,
        record=lease.record() if kind is Kind.REGISTER else None,
        mark=mark,
    )
