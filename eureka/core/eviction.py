"""Eviction: when a run is due, how late it is, which of the overdue leases it takes, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from eureka.core.event import Changed, Event, Evicted, EvictionRan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka.core.due import DueLeases
    from eureka.core.instant import Instant
    from eureka.core.lease import Lease
    from eureka.core.leases import Leases
    from eureka.core.policy import Policy

T = TypeVar("T")

LOOKS: Final = 4000  # leases looked at in one go: 2 ms on the machine this was written on
VICTIMS: Final = 200  # leases taken in one go: 5 ms, most of it for what the lists show


class Chance(Protocol):
    """The one thing asked of a `random.Random`."""

    def sample(self, population: Sequence[T], k: int) -> list[T]:
        """Return k members, chosen at random."""
        ...


class Removal(Protocol):
    """How a registry gives up a lease."""

    def __call__(self, lease: Lease, *, now: Instant) -> Changed:
        """Remove the lease; return what that changed."""


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


class EvictionRun:
    """
    A run under way: it looks at what is due, then chooses its victims, then takes them.

    A large one does so in several goes, so that others are served in between;
    whoever renews until it is taken is spared.
    """

    def __init__(self, compensation: float, *, started: Instant) -> None:
        self.compensation = compensation
        self.started = started
        self.enabled = False
        self.overdue = 0
        self.limit = 0
        self.evicted = 0
        self._unsifted: list[Lease] | None = None
        self._overdue: list[Lease] = []
        self._victims: list[Lease] | None = None

    @property
    def has_chosen(self) -> bool:
        """Whether the victims are known."""
        return self._victims is not None

    @property
    def is_large(self) -> bool:
        """Whether to choose was work enough for one go."""
        return self.overdue > LOOKS

    @property
    def is_over(self) -> bool:
        """Whether all victims are taken."""
        return self._victims is not None and not self._victims

    def look(self, due: DueLeases, *, now: Instant) -> bool:
        """Look at some of what is due; tell whether there is more."""
        if self._unsifted is None:
            if due.look(now=now, most=LOOKS) == LOOKS:
                return True
            self._unsifted = due.looked_at()
            self._unsifted.reverse()
        part = self._unsifted[: -LOOKS - 1 : -1]
        del self._unsifted[-LOOKS:]
        self._overdue += due.overdue(part, now=now, grace=self.compensation)
        return bool(self._unsifted)

    def choose(self, limit: int, *, enabled: bool, rng: Chance) -> None:
        """Choose the victims among the overdue."""
        self.enabled = enabled
        self.overdue = len(self._overdue)
        self.limit = limit
        self._victims = choose_victims(self._overdue, limit, rng=rng)
        self._victims.reverse()
        self._overdue = []

    def take(self) -> list[Lease]:
        """Return the victims of this go."""
        if not self._victims:
            return []
        taken = self._victims[-VICTIMS:]
        del self._victims[-VICTIMS:]
        taken.reverse()
        return taken


class Eviction:
    """The runs of one registry, from its opening on, and what is known of the last one."""

    def __init__(self, policy: Policy) -> None:
        self.runs = 0
        self.last_ms = 0
        self.last_compensation = 0.0
        self._policy = policy
        self._rhythm: EvictionRhythm | None = None
        self._run: EvictionRun | None = None

    def open(self, *, now: float) -> None:
        """Start the rhythm."""
        self._rhythm = EvictionRhythm(self._policy.eviction_interval, now=now)

    def next_deadline(self) -> float | None:
        """
        Return the monotonic second at which there is something to do; None before opening.

        While a run goes on, that of its start.
        """
        if self._rhythm is None:
            return None
        return self._rhythm.due_at if self._run is None else self._run.started.monotonic

    def is_under_way(self, *, now: Instant) -> bool:
        """Start a run if one is due; tell whether one is under way."""
        if self._rhythm is not None and now.monotonic >= self._rhythm.due_at:
            compensation = self._rhythm.start(now=now.monotonic)
            self._run = self._run or EvictionRun(compensation, started=now)
        return self._run is not None

    def go_on(
        self, leases: Leases, remove: Removal, *, enabled: bool, now: Instant, rng: Chance
    ) -> list[Event]:
        """Go on with the run under way, as far as it goes without keeping others waiting."""
        run = self._run
        if run is None:
            return []
        if not run.has_chosen:
            if run.look(leases.due, now=now):
                return []
            limit = eviction_limit(len(leases), self._policy) if enabled else 0
            run.choose(limit, enabled=enabled, rng=rng)
            if run.is_large:
                return []
        events: list[Event] = []
        for lease in run.take():
            is_held = leases.find(lease.instance.key) is lease
            if is_held and lease.is_overdue(now=now, grace=run.compensation):
                overdue_by = now.monotonic - lease.expires_at
                changed = remove(lease, now=now)
                events += (changed, Evicted(changed.after, overdue_by))
                run.evicted += 1
        if run.is_over:
            self._run = None
            self.runs += 1
            self.last_ms = run.started.epoch_ms
            self.last_compensation = run.compensation
            events.append(
                EvictionRan(run.enabled, run.overdue, run.limit, run.evicted, run.compensation)
            )
        return events


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
