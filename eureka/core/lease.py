"""A lease: how long an instance is believed without hearing from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eureka.core.instance import Instance, Record
from eureka.core.override import renews_plainly

if TYPE_CHECKING:
    from eureka.core.instant import Instant

RENEWAL_BONUS = 1
"""
Durations that a renewal adds beyond its own moment.
eureka-core `Lease.renew` stores now + duration and `isExpired` adds the duration again,
so a renewed lease lives twice its duration and one never renewed once.
Kept there on purpose, and here.
"""


class Lease(msgspec.Struct, eq=False, gc=False):
    """
    The one mutable thing of the registry: an instance and when it was last heard of.

    It never leads back to itself, so the collector need not know of a hundred thousand.
    """

    instance: Instance
    renewed_at: float
    renewed_ms: int
    is_settled: bool
    """Whether a client's renewal leaves the record as it is, whatever the call says."""
    filed: int = -1
    """Where `DueLeases` holds it."""

    @classmethod
    def of(cls, instance: Instance, *, now: Instant) -> Lease:
        """Return a fresh lease."""
        return cls(instance, now.monotonic, now.epoch_ms, _is_settled(instance))

    @property
    def expires_at(self) -> float:
        """The moment after which it is overdue, in monotonic seconds."""
        return self.renewed_at + self.instance.duration

    @property
    def was_renewed(self) -> bool:
        """Whether it was renewed since it was registered."""
        return self.renewed_ms != self.instance.registered_ms

    @property
    def heard_at(self) -> float:
        """When the instance was last heard of, in monotonic seconds: without the bonus."""
        bonus = RENEWAL_BONUS if self.was_renewed else 0
        return self.renewed_at - bonus * self.instance.duration

    def hold(self, instance: Instance) -> None:
        """Be of this record from now on."""
        self.instance = instance
        self.is_settled = _is_settled(instance)

    def renew(self, *, now: Instant) -> None:
        """Believe the instance for `RENEWAL_BONUS` durations more than a fresh lease."""
        bonus = RENEWAL_BONUS * self.instance.duration
        self.renewed_at = now.monotonic + bonus
        self.renewed_ms = now.epoch_ms + bonus * 1000

    def age(self, silence: float, *, renewed: bool, now: Instant) -> None:
        """Be as old as another node says: last heard of `silence` seconds ago."""
        bonus = RENEWAL_BONUS * self.instance.duration if renewed else 0
        self.renewed_at = now.monotonic - silence + bonus
        if renewed:
            self.renewed_ms = now.epoch_ms + round((bonus - silence) * 1000)

    def is_overdue(self, *, now: Instant, grace: float = 0.0) -> bool:
        """Tell whether it expired at least `grace` seconds ago."""
        return now.monotonic > self.expires_at + grace

    def record(self) -> Record:
        """Return the instance as it reads now."""
        return Record(self.instance, self.renewed_ms)


def _is_settled(instance: Instance) -> bool:
    return renews_plainly(instance.status, override=instance.overridden_status)
