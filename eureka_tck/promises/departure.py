"""
Instances that ended, by a cancellation or by falling silent, and until when a node may show them.

What a node may know comes from what clients sent; how long it may keep it, from its settings and
from whether it told that leases expire.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka_tck.history.spans import LOSES, UNANSWERED, applied_by
from eureka_tck.promises.expiry import expiry_of
from eureka_tck.promises.judgement import Budget
from eureka_tck.promises.lives import DURATION, INTERVAL
from eureka_tck.promises.rules import LEASE_FACTOR, RETRY, SLACK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eureka_tck.history.operations import Operation
    from eureka_tck.history.samples import Sample
    from eureka_tck.history.spans import FaultSpan
    from eureka_tck.promises.evidence import Evidence
    from eureka_tck.promises.expiry import Expiry
    from eureka_tck.promises.rules import Rules


@dataclass(frozen=True, slots=True)
class Departure:
    """
    An instance that ended: `at` is the end of its cancellation, or of its last call.

    `last_sent` is the last instant at which a call may have started its lease anew, `until` the
    begin of the next call that may bring it back (infinite: there was none).
    """

    instance: str
    home: str
    is_cancelled: bool
    at: float
    last_sent: float
    lease: float
    interval: float
    is_renewed: bool
    until: float


@dataclass(frozen=True, slots=True)
class Stay:
    """
    How a node showed an instance after it ended.

    `due` is the instant after which it must not show it, `gone` the one at which it was seen to be
    gone for good (None: it was not), `shown` the last reading that showed it.
    """

    departure: Departure
    node: str
    due: float
    budget: Budget
    gone: float | None
    shown: Sample | None
    watched_until: float

    @property
    def is_over(self) -> bool:
        """Whether the node showed it for certain after it was due to be gone."""
        return self.shown is not None and self.shown.began > self.due

    @property
    def is_open(self) -> bool:
        """Whether it was still shown at the end, and not due yet."""
        return self.gone is None and not self.is_over

    @property
    def seconds(self) -> float:
        """How long it took to go, or how long it was watched."""
        return (self.watched_until if self.gone is None else self.gone) - self.departure.at


def departures(evidence: Evidence) -> tuple[Departure, ...]:
    """Return every instance that ended, once for each end."""
    return tuple(
        found
        for instance, calls in evidence.by_instance().items()
        for found in _departures(instance, calls, evidence.spans)
    )


def is_over(one: Departure, end: float) -> bool:
    """Whether it ended for certain: even a client that is late would have called by the end."""
    return one.is_cancelled or one.last_sent + max(one.lease, 2 * one.interval) < end


def _departures(
    instance: str, calls: Sequence[Operation], spans: Sequence[FaultSpan]
) -> list[Departure]:
    found: list[Departure] = []
    lease, interval = DURATION, INTERVAL
    known: Operation | None = None  # the last call that the registry did
    last_sent, renewed = -math.inf, False
    for number, call in enumerate(calls):
        if call.verb == "register":
            lease, interval, renewed = call.lease or lease, call.interval or interval, False
        if call.verb == "cancel" and call.ok and call.completed is not None:
            later = calls[number + 1 :]
            if known is not None and not _is_pending(calls[:number], call, spans):
                found.append(
                    Departure(
                        instance,
                        call.node,
                        is_cancelled=True,
                        at=call.completed,
                        last_sent=last_sent,
                        lease=lease,
                        interval=interval,
                        is_renewed=renewed,
                        until=next(
                            (one.invoked for one in later if one.verb != "cancel"), math.inf
                        ),
                    )
                )
            known = None
            continue
        if call.outcome != "refused":
            last_sent = max(last_sent, applied_by(call, spans))
            renewed = renewed or call.verb != "register"
            known = call if call.ok else known
    if known is not None:
        found.append(
            Departure(
                instance,
                known.node,
                is_cancelled=False,
                at=last_sent,
                last_sent=last_sent,
                lease=lease,
                interval=interval,
                is_renewed=renewed,
                until=math.inf,
            )
        )
    return found


def _is_pending(before: Sequence[Operation], cancel: Operation, spans: Sequence[FaultSpan]) -> bool:
    """Whether a call that may still be applied was under way when the instance was cancelled."""
    return any(
        call.outcome == "unknown"
        and cancel.invoked < max(call.invoked + UNANSWERED, applied_by(call, spans))
        for call in before
    )


def is_sure(evidence: Evidence, stay: Stay) -> bool:
    """Whether it was shown after its due by more than this machine was late meanwhile."""
    shown = stay.due if stay.shown is None else stay.shown.began
    return evidence.is_sure(stay.departure.at, stay.due, shown)


@dataclass(frozen=True, slots=True)
class Leavings:
    """Follows departures through the readings of every node."""

    evidence: Evidence
    expiry: Mapping[str, Expiry]

    @classmethod
    def of(cls, evidence: Evidence) -> Leavings:
        """Prepare what all departures share."""
        return cls(evidence, {node: expiry_of(evidence, node) for node in evidence.rules})

    def stay(self, one: Departure, node: str) -> Stay | None:
        """Return how the node showed it after its end; None where the node was not read."""
        rules = self.evidence.rules[node]
        due, budget = self._due(one, node, rules)
        gone: float | None = None
        shown: Sample | None = None
        watched = -math.inf
        for reading in self.evidence.taken[node]:
            if reading.began < one.at or reading.ended > one.until:
                continue
            watched = reading.ended
            if one.instance in reading.present:
                gone, shown = None, reading
            elif gone is None:
                gone = reading.ended
        if math.isinf(watched):
            return None
        return Stay(one, node, due, budget, gone, shown, watched)

    def _due(self, one: Departure, node: str, rules: Rules) -> tuple[float, Budget]:
        if one.is_cancelled:
            if self._forgot(one, node):
                return self._lease_due(one, node, rules)
            if node == one.home:
                at_home = rules.cache
                formula = f"U = {at_home:g} s at the node that was told"
                return one.at + at_home, Budget(seconds=at_home, formula=formula)
            heal = self._heal_in_time(one, node, rules)
            if heal is not None:
                after = rules.arriving() if heal == one.at else rules.catching_up()
                return heal + after.seconds, after
        return self._lease_due(one, node, rules)

    def _heal_in_time(self, one: Departure, node: str, rules: Rules) -> float | None:
        """
        Return when the cancellation could first reach the node; None if it was dropped by then.

        A task is tried for `kept` seconds; one attempt may be under way when the link comes back.
        """
        heal = one.at
        for span in sorted(self.evidence.spans, key=lambda span: span.began):
            if span.keeps_apart(node, one.home) and span.covers(
                one.at - rules.catching_up().seconds, heal + rules.propagation()
            ):
                heal = max(heal, span.ended)
        in_time = heal - one.at < rules.kept - rules.peer_timeout - RETRY
        is_lost = any(
            span.keeps_apart(node, one.home)
            and span.kind in LOSES
            and span.covers(one.at - rules.propagation(), heal)
            for span in self.evidence.spans
        )
        return heal if in_time and not is_lost else None

    def _forgot(self, one: Departure, node: str) -> bool:
        """Whether the node, or the one that was told, lost its memory of the cancellation."""
        return any(
            {node, one.home} & span.forgets and span.ended > one.at for span in self.evidence.spans
        )

    def _lease_due(self, one: Departure, node: str, rules: Rules) -> tuple[float, Budget]:
        """Return when its lease is out and so many runs have been that it must be gone."""
        factor = LEASE_FACTOR if one.is_renewed else 1
        learnt = one.last_sent if node == one.home else self._learnt(one, node, rules)
        for span in self.evidence.spans:  # a copy at a start makes a fresh lease (SYNC-08)
            if node in span.forgets and one.last_sent < span.ended < math.inf:
                learnt = max(learnt, span.ended + rules.peer_timeout + SLACK)
        lease_end = learnt + factor * one.lease
        runs = self._runs(one, node, rules, lease_end)
        out = self.expiry[node].after_runs(lease_end, runs)
        slack = SLACK + rules.cache
        bare = factor * one.lease + runs * rules.eviction_interval + slack
        waited = out + slack - one.at - bare
        formula = (
            f"{factor}·D + {runs}·E + U + {SLACK:g} = {factor}·{one.lease:g} + "
            f"{runs}·{rules.eviction_interval:g} + {rules.cache:g} + {SLACK:g} s"
        )
        if math.isinf(out):
            return out, Budget(seconds=bare, formula=f"{formula}, once leases expire")
        late = f", and {waited:.1f} s in which a fault or protection kept it" if waited > 0 else ""
        return out + slack, Budget(seconds=round(bare + waited, 1), formula=formula + late)

    def _learnt(self, one: Departure, node: str, rules: Rules) -> float:
        """Return when the node can last have learnt of a renewal: one that waited counts late."""
        learnt = one.last_sent + rules.propagation()
        kept_until = one.last_sent + max(one.interval, rules.kept)
        for span in self.evidence.spans:
            if span.keeps_apart(node, one.home) and span.covers(one.last_sent - 1, kept_until):
                learnt = max(learnt, min(span.ended, kept_until) + RETRY + rules.propagation())
        return learnt

    def _runs(self, one: Departure, node: str, rules: Rules, lease_end: float) -> int:
        """Return the runs until it is its turn, all that ended at once being before it."""
        reading = next(
            (some for some in self.evidence.taken[node] if some.ended >= min(lease_end, one.until)),
            None,
        )
        if reading is None:
            return 1
        alive = {life.instance for life in self.evidence.who.at(reading.ended)}
        expired = len(reading.present.keys() - alive)
        return max(1, rules.runs(expired, len(reading.present)))
