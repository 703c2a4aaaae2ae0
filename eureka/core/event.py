"""What happened: the registry returns these, the shell logs, invalidates and replicates by them."""

from __future__ import annotations

import msgspec

from eureka.core.instance import Instance
from eureka.core.preservation import Reason


class Changed(msgspec.Struct, frozen=True, gc=False):
    """A list shows something else than before: `after.action` says what kind of change it was."""

    before: Instance | None
    after: Instance


class Evicted(msgspec.Struct, frozen=True, gc=False):
    """A run took this instance, `overdue_by` seconds after its lease expired."""

    instance: Instance
    overdue_by: float


class EvictionRan(msgspec.Struct, frozen=True, gc=False):
    """
    An eviction run:
    what it found, what it might take and took, and how late it was (seconds).
    """

    enabled: bool
    overdue: int
    limit: int
    evicted: int
    compensation: float


class PreservationChanged(msgspec.Struct, frozen=True, gc=False):
    """Expiry was enabled, or disabled to preserve the registry, and why."""

    expiry_enabled: bool
    renewals: int
    threshold: int
    reason: Reason


class Recounted(msgspec.Struct, frozen=True, gc=False):
    """The clients that should renew were counted anew."""

    clients: int
    threshold: int


class DeltaForgot(msgspec.Struct, frozen=True, gc=False):
    """So many changes became too old for the delta."""

    count: int


Event = Changed | Evicted | EvictionRan | PreservationChanged | Recounted | DeltaForgot
