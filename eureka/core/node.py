"""
A node of a cluster: a registry, and what its calls mean for the peers.

The shell gives it calls and time, and moves the bytes its outboxes ask for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eureka.core.event import Event
from eureka.core.instance import Record
from eureka.core.registry import Registry
from eureka.core.status import Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka.core.instance import Instance, Key
    from eureka.core.instant import Instant
    from eureka.core.policy import Policy

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
    """One registry among its peers."""

    def __init__(self, policy: Policy) -> None:
        self.registry = Registry(policy)

    def register(self, instance: Instance, *, now: Instant, replicated: bool) -> Answer:
        """Register an instance."""
        changed = self.registry.register(instance, now=now, replicated=replicated)
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
        events: tuple[Event, ...] = (renewal.changed,) if renewal.changed else ()
        held_ms = renewal.lease.instance.dirty_ms
        if dirty_ms is None or dirty_ms == held_ms or not self.registry.policy.compare_timestamps:
            return Answer(events=events) if events else _OK
        if dirty_ms > held_ms:
            if replicated:
                stored = self.registry.store_override(key, override, now=now)
                events += (stored,) if stored else ()
            return Answer(REGISTER_AGAIN, events)
        if replicated:
            return Answer(HELD_IS_NEWER, events, renewal.lease.record())
        return Answer(events=events) if events else _OK

    def cancel(self, key: Key, *, now: Instant, replicated: bool) -> Answer:
        """Cancel a lease."""
        return Answer(events=(self.registry.cancel(key, now=now),))

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
        return Answer(events=(changed,)) if changed else _OK

    def set_metadata(
        self, key: Key, added: Mapping[str, str], *, now: Instant, replicated: bool
    ) -> Answer:
        """Add metadata to an instance."""
        return Answer(events=(self.registry.set_metadata(key, added, now=now),))
