"""
Two nodes of our own kind compare all they hold and end equal: healing beyond the protocol.

Batches carry every change once, and renewals bring back what is missing. Neither repairs an
override, metadata or a cancellation that was lost in a cut longer than a task lives: T is the same.
So the nodes exchange a digest, 256 sums over the records, some 5 KiB. Where sums differ one says
what it holds there, the other sends what the first lacks or holds otherwise, and asks for the rest.

Rules:
1. Leases are never prolonged. A record that travels keeps the age of its last renewal,
   so nobody lives longer because nodes talk about it.
2. A cancellation beats a record of the same T that was not renewed since (`departures`).
   One that was renewed since is alive: its next renewal brings it back, the protocol's own way.
3. An eviction is beaten by a node that heard of the instance later.
4. Records that both hold are merged (`merge`), which ends the same on both sides.

Nodes that agree say nothing: `rift` decides when there is a cause to compare,
and only nodes of one `DIALECT` do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from eureka.core.comparison import (
    Digest,
    Entry,
    Exchange,
    Gone,
    Held,
    Holdings,
    Question,
    Reply,
    bucket_of,
)
from eureka.core.departures import Cancelled
from eureka.core.event import Changed
from eureka.core.lease import RENEWAL_BONUS
from eureka.core.merge import Version, digest, merge, same_statement

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from eureka.core.comparison import Summary
    from eureka.core.departures import Departures
    from eureka.core.event import Event
    from eureka.core.instance import Key
    from eureka.core.instant import Instant
    from eureka.core.lease import Lease
    from eureka.core.registry import Registry
    from eureka.core.revision import Revisions

MOST_ENTRIES: Final = 2_500
"""
One answer tells of as many records, some 200 KiB made in 30 ms;
the rest waits for the next comparison.
"""

_AT_ONCE: Final = 10_000
"""Own records that are looked at before others are served: 10 ms."""

MOST_RECORDS: Final = 250
"""One message carries as many whole records, as a batch does."""

Turn: TypeAlias = Question | None
"""What to ask next; None to let others be served, and go on with the reply there was."""


class Healer:
    """
    Compares and merges the records of one node with those of others.

    A lease that was replaced while a summary was made is left out: what changes is told anyway.
    """

    def __init__(self, registry: Registry, revisions: Revisions, departures: Departures) -> None:
        self.registry = registry
        self.revisions = revisions
        self.departures = departures

    # The node that answers

    def holdings(self, asked: Digest, own: Summary, *, now: Instant) -> Holdings:
        """Answer a digest: tell of the buckets that differ, as many as fit."""
        told: list[int] = []
        entries: list[Entry] = []
        for bucket, (theirs, ours) in enumerate(zip(asked.sums, own.sums, strict=True)):
            if theirs == ours:
                continue
            held = [lease for lease in own.leases[bucket] if self._is_held(lease)]
            if told and len(entries) + len(held) > MOST_ENTRIES:
                break
            told.append(bucket)
            entries += [_entry(lease, now=now) for lease in held]
        return Holdings(told, entries, self._gone(set(told), now=now))

    def exchanged(self, asked: Exchange, *, now: Instant) -> tuple[Exchange, list[Event]]:
        """Merge what another node sent; return what it asked for, and its own as they are now."""
        events = self._take(asked, now=now)
        keys = [held.instance.key for held in asked.records] + asked.wanted
        return Exchange(self._records(keys, now=now)), events

    # The node that asks

    def compare(
        self, own: Summary, happened: list[Event]
    ) -> Generator[Turn, tuple[Reply, Instant], frozenset[Key]]:
        """
        Compare with another node: yields what to ask it, is sent the reply and the moment.
        Where it yields None, others are served before it is sent the same again.

        What happens here is added to `happened`.
        Returns whose records changed on either side, as far as is known.
        """
        reply, now = yield Digest(own.sums)
        if not isinstance(reply, Holdings) or not reply.buckets:
            return frozenset()
        happened += self._cancel(reply.gone, now=now)
        there = {entry.key: entry for entry in reply.entries}
        to_send = yield from self._to_send(reply, there, own, now=now)
        wanted, gone = self._to_ask(there.values(), now=now)
        changed = _keys_of(happened) | {one.key for one in gone}
        while to_send or wanted or gone:
            sent, to_send = to_send[:MOST_RECORDS], to_send[MOST_RECORDS:]
            asked, wanted = wanted[:MOST_RECORDS], wanted[MOST_RECORDS:]
            told, gone = gone[:MOST_RECORDS], gone[MOST_RECORDS:]
            reply, now = yield Exchange(self._records(sent, now=now), told, asked)
            if not isinstance(reply, Exchange):
                break
            events = self._take(reply, now=now)
            happened += events
            taken = {held.instance.key for held in reply.records}
            changed |= taken.intersection(sent) | _keys_of(events)
        return frozenset(changed)

    def _to_send(
        self, theirs: Holdings, there: dict[Key, Entry], own: Summary, *, now: Instant
    ) -> Generator[Turn, tuple[Reply, Instant], list[Key]]:
        """Return whose records to send; leave `there` what is not held here."""
        left_there = {gone.key: gone.dirty_ms for gone in theirs.gone}
        to_send: list[Key] = []
        ours = (lease for bucket in theirs.buckets for lease in own.leases[bucket])
        for number, lease in enumerate(ours, 1):
            if number % _AT_ONCE == 0:
                yield None
            key = lease.instance.key
            if not self._is_held(lease):
                continue
            entry = there.pop(key, None)
            if entry is not None:
                if entry.digest != digest(lease.instance):
                    to_send.append(key)
            elif not lease.is_overdue(now=now) and (
                lease.instance.dirty_ms > left_there.get(key, -1)
            ):
                to_send.append(key)
        return to_send

    def _to_ask(self, unknown: Iterable[Entry], *, now: Instant) -> tuple[list[Key], list[Gone]]:
        """Return whose records to ask for, and whose cancellations to tell."""
        wanted: list[Key] = []
        gone: list[Gone] = []
        for entry in unknown:
            departure = self.departures.find_cancelled(entry.key)
            if departure is not None and entry.dirty_ms <= departure.dirty_ms:
                if entry.silence >= now.monotonic - departure.at:
                    gone.append(_gone(entry.key, departure, now=now))
            elif entry.left > 0 and self._heard_later(entry.key, entry.silence, now=now):
                wanted.append(entry.key)
        return wanted, gone

    def _is_held(self, lease: Lease) -> bool:
        return self.registry.leases.find(lease.instance.key) is lease

    def _heard_later(self, key: Key, silence: float, *, now: Instant) -> bool:
        evicted_at = self.departures.evicted_at(key)
        return evicted_at is None or now.monotonic - silence > evicted_at

    def _gone(self, buckets: set[int], *, now: Instant) -> list[Gone]:
        return [
            _gone(key, departure, now=now)
            for key, departure in self.departures.all_cancelled()
            if bucket_of(key) in buckets
        ]

    def _records(self, keys: Iterable[Key], *, now: Instant) -> list[Held]:
        found = (self.registry.leases.find(key) for key in keys)
        return [self._held(lease, now=now) for lease in found if lease is not None]

    def _held(self, lease: Lease, *, now: Instant) -> Held:
        return Held(
            lease.instance,
            self.revisions.of(lease.instance.key),
            max(now.monotonic - lease.heard_at, 0.0),
            lease.was_renewed,
        )

    def _take(self, message: Exchange, *, now: Instant) -> list[Event]:
        events = self._cancel(message.gone, now=now)
        for held in message.records:
            changed = self._receive(held, now=now)
            if changed is not None:
                events.append(changed)
        return events

    def _cancel(self, gone: Iterable[Gone], *, now: Instant) -> list[Event]:
        events: list[Event] = []
        for one in gone:
            self.revisions.witness(one.stamp)
            lease = self.registry.leases.find(one.key)
            at = now.monotonic - one.age
            if lease is None:
                known = self.departures.find_cancelled(one.key)
                if known is None or known.stamp < one.stamp:
                    self.departures.cancelled(one.key, Cancelled(one.dirty_ms, one.stamp, at))
            elif lease.instance.dirty_ms <= one.dirty_ms and lease.heard_at <= at:
                events.append(self.registry.cancel(one.key, now=now))
                self.revisions.forget(one.key)
                self.departures.cancelled(one.key, Cancelled(one.dirty_ms, one.stamp, at))
        return events

    def _receive(self, held: Held, *, now: Instant) -> Event | None:
        """Merge one record of another node into what is held here."""
        key = held.instance.key
        theirs = Version(held.instance, held.revision)
        self.revisions.witness(held.revision.data, held.revision.override)
        lease = self.registry.leases.find(key)
        if lease is not None:
            mine = Version(lease.instance, self.revisions.of(key))
            merged = merge(mine, theirs)
            self.revisions.put(key, merged.revision)
            if same_statement(merged.instance, lease.instance):
                return None
            return self.registry.adopt(merged.instance, now=now)
        departure = self.departures.find_cancelled(key)
        if departure is not None and held.instance.dirty_ms <= departure.dirty_ms:
            return None
        bonus = RENEWAL_BONUS if held.renewed else 0
        left = held.instance.duration * (1 + bonus) - held.silence
        if left <= 0 or not self._heard_later(key, held.silence, now=now):
            return None
        self.departures.came_back(key)
        self.revisions.put(key, held.revision)
        return self.registry.adopt(
            held.instance, now=now, silence=held.silence, renewed=held.renewed
        )


def _keys_of(events: Iterable[Event]) -> set[Key]:
    return {event.after.key for event in events if isinstance(event, Changed)}


def _entry(lease: Lease, *, now: Instant) -> Entry:
    instance = lease.instance
    return Entry(
        instance.key,
        digest(instance),
        instance.dirty_ms,
        now.monotonic - lease.heard_at,
        lease.expires_at - now.monotonic,
    )


def _gone(key: Key, departure: Cancelled, *, now: Instant) -> Gone:
    age = max(now.monotonic - departure.at, 0.0)
    return Gone(key, departure.dirty_ms, departure.stamp, age)
