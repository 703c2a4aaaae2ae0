"""
When an instance was alive, by what its registry acknowledged.

"Live" is LEASE-05's word: renewed within D of its registration, and at least every D after that.
Only acknowledged calls count, and they count from the instant they were *sent*, so that a late
harness, a lost answer or a cut client makes an instance less alive here than it may have been
there, never more. A registry is thus never blamed for an eviction that may have been right.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from eureka_tck.history.event import READS
from eureka_tck.history.operations import operations
from eureka_tck.history.spans import applied_by, fault_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eureka_tck.history.event import Verb
    from eureka_tck.history.operations import Operation
    from eureka_tck.history.reader import History
    from eureka_tck.history.spans import FaultSpan

DURATION: Final = 90.0  # s: D of a registration without leaseInfo (REG-07)
INTERVAL: Final = 30.0  # s: R of the same

UNKNOWN_HERE: Final = 404  # the status of a renewal that the node cannot apply (RENEW-02)

CHANGES: Final[frozenset[Verb]] = frozenset({"register", "status", "remove-status", "metadata"})


@dataclass(frozen=True, slots=True)
class Change:
    """A call that changed an instance's data between two instants, for sure or perhaps."""

    began: float
    ended: float
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class Life:
    """
    A stretch in which an instance was live at its home node without a gap.

    `since` is the instant its first call was answered; `until` the last instant at which it is
    certainly still live. `renewed` and `registered` are the instants at which acknowledged calls
    were sent, `changes` those that changed its data, also the ones that nobody acknowledged.
    """

    instance: str
    home: str
    lease: float
    interval: float
    since: float
    until: float
    registered: tuple[float, ...]
    renewed: tuple[float, ...]
    changes: tuple[Change, ...]
    since_ms: int = 0
    """T of the registration that it began with, 0 where it began with another call."""

    def covers(self, began: float, ended: float) -> bool:
        """Whether it was live all the while."""
        return self.since <= began and ended <= self.until

    def last_change(self, by: float) -> float:
        """Return the last instant up to `by` at which its data may have changed."""
        ends = (min(one.ended, by) for one in self.changes if one.began <= by)
        return max(ends, default=self.since)

    def lease_end_elsewhere(self, known_until: float, factor: int) -> float | None:
        """
        Return when its lease runs out at a peer that learnt nothing sent after `known_until`.

        A lease that was renewed lives `factor` times its duration, one that was not just once;
        None where such a peer never knew it.
        """
        renewed = max((at for at in self.renewed if at <= known_until), default=None)
        registered = max((at for at in self.registered if at <= known_until), default=None)
        if renewed is not None and (registered is None or renewed > registered):
            return renewed + factor * self.lease
        if registered is not None:
            return registered + self.lease  # a registration starts a fresh lease (LEASE-03)
        return None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A renewal of a live instance that its home node answered as if it did not know it."""

    instance: str
    home: str
    at: float
    status: int | None
    last_renewed: float


@dataclass(slots=True)
class _Stretch:
    home: str
    lease: float
    interval: float
    since: float
    last_sent: float
    since_ms: int = 0
    registered: list[float] = field(default_factory=list)
    renewed: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Lives:
    """All stretches, all refusals, and which instances were ever cancelled, with the instant."""

    lives: tuple[Life, ...]
    refusals: tuple[Refusal, ...]
    cancelled: dict[str, tuple[float, ...]]
    known: frozenset[str]

    def at(self, instant: float) -> tuple[Life, ...]:
        """Return the lives that were going on at the instant."""
        return tuple(life for life in self.lives if life.since <= instant <= life.until)

    def of(self, instance: str) -> tuple[Life, ...]:
        """Return the lives of one instance."""
        return tuple(life for life in self.lives if life.instance == instance)


def lives(history: History) -> Lives:
    """Return who lived when, from the client calls of the history."""
    spans = fault_spans(history)
    by_instance: dict[str, list[Operation]] = {}
    for operation in operations(history):
        if operation.verb in READS:
            continue
        by_instance.setdefault(operation.instance, []).append(operation)
    found: list[Life] = []
    refusals: list[Refusal] = []
    cancelled: dict[str, tuple[float, ...]] = {}
    for instance, calls in by_instance.items():
        some_lives, some_refusals = _follow(instance, calls, _changes(calls, spans))
        found += some_lives
        refusals += some_refusals
        cancels = tuple(call.invoked for call in calls if call.verb == "cancel")
        if cancels:
            cancelled[instance] = cancels
    return Lives(tuple(found), tuple(refusals), cancelled, frozenset(by_instance))


def _changes(calls: Iterable[Operation], spans: Sequence[FaultSpan]) -> tuple[Change, ...]:
    """Return what changed the instance, or may have: a call that was refused did not."""
    return tuple(
        Change(call.invoked, applied_by(call, spans), is_sure=call.ok)
        for call in calls
        if call.verb in CHANGES and call.outcome != "refused"
    )


def _follow(
    instance: str, calls: Iterable[Operation], changes: Sequence[Change]
) -> tuple[list[Life], list[Refusal]]:
    found: list[Life] = []
    refusals: list[Refusal] = []
    lease, interval = DURATION, INTERVAL
    stretch: _Stretch | None = None
    for call in calls:
        if call.verb == "register":
            lease = call.lease or lease
            interval = call.interval or interval
        ends = _ends(stretch, call)
        if stretch is not None and ends is not None:
            if call.verb == "renew" and call.invoked <= stretch.last_sent + stretch.lease:
                refusals += _refusal(instance, stretch, call)
            found.append(_finished(instance, stretch, ends, changes))
            stretch = None
        if call.ok and call.completed is not None and call.verb != "cancel":
            if stretch is None:
                stretch = _Stretch(call.node, lease, interval, call.completed, call.invoked)
                stretch.since_ms = call.dirty_ms or 0
            stretch.last_sent = call.invoked
            stretch.lease, stretch.interval = min(lease, stretch.lease), interval
            if call.verb == "register":
                stretch.registered.append(call.invoked)
            else:  # a renewal, or a call that renews as one does (LEASE-03)
                stretch.renewed.append(call.invoked)
    if stretch is not None:
        found.append(_finished(instance, stretch, stretch.last_sent + stretch.lease, changes))
    return found, refusals


def _ends(stretch: _Stretch | None, call: Operation) -> float | None:
    """Return when this call, or what it shows, ends the stretch; None if it goes on."""
    if stretch is None:
        return None
    runs_out = stretch.last_sent + stretch.lease
    at_home = call.node == stretch.home
    was_sent = call.outcome != "refused" or call.status is not None
    unknown_there = call.status == UNKNOWN_HERE
    if (call.verb == "cancel" and was_sent) or (at_home and unknown_there):
        return min(call.invoked, runs_out)
    if call.ok and not at_home:  # it has moved to another node
        return min(call.invoked, runs_out)
    at = call.completed if call.completed is not None else call.invoked
    return runs_out if at > runs_out else None


def _refusal(instance: str, stretch: _Stretch, call: Operation) -> list[Refusal]:
    if call.status != UNKNOWN_HERE or call.node != stretch.home:
        return []
    return [Refusal(instance, stretch.home, call.invoked, call.status, stretch.last_sent)]


def _finished(instance: str, stretch: _Stretch, until: float, changes: Sequence[Change]) -> Life:
    until = max(until, stretch.since)
    return Life(
        instance=instance,
        home=stretch.home,
        lease=stretch.lease,
        interval=stretch.interval,
        since=stretch.since,
        until=until,
        registered=tuple(stretch.registered),
        renewed=tuple(stretch.renewed),
        changes=tuple(one for one in changes if one.ended >= stretch.since and one.began <= until),
        since_ms=stretch.since_ms,
    )
