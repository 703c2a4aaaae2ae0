"""Eviction: when a run is due, how late it is, and which of the overdue leases it may take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka.core.policy import Policy

T = TypeVar("T")


class Chance(Protocol):
    """The one thing asked of a `random.Random`."""

    def sample(self, population: Sequence[T], k: int) -> list[T]:
        """Return k members, chosen at random."""
        ...


class EvictionRhythm:
    """
    When the next run is due: one interval after the previous one *started*.

    A run that starts later than that (the process was stopped, the machine overloaded)
    gives every lease exactly this lateness, for this one run:
    clients could not renew while nobody listened.
    """

    def __init__(self, interval: float, *, now: float) -> None:
        self.interval = interval
        self.due_at = now + interval

    def start(self, *, now: float) -> float:
        """Start a run: return its compensation in seconds and plan the next run."""
        lateness = max(now - self.due_at, 0.0)
        self.due_at = now + self.interval
        return lateness


def eviction_limit(size: int, policy: Policy) -> int:
    """
    Return how many of `size` leases one run may take, overdue or not.

    eureka-core `AbstractInstanceRegistry.evict`: it keeps `int(size * renewalPercentThreshold)`.
    """
    return size - int(size * policy.renewal_percent_threshold)


def choose_victims(overdue: Sequence[T], limit: int, *, rng: Chance) -> list[T]:
    """
    Return at most `limit` of the overdue, chosen at random over all applications:
    any other order would empty whole applications before self-preservation can react.
    """
    if len(overdue) <= limit:
        return list(overdue)
    return rng.sample(overdue, limit)
