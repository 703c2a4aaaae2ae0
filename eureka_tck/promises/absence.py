"""
Where and when a live instance was missing, and whether the protocol allows it there.

A node other than its home may miss it for one reason only: a fault kept the renewals away for
longer than the lease lasts, and self-preservation did not have to keep it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka_tck.history.spans import SHIFTS_CLOCK
from eureka_tck.promises.preservation import Protection, is_cut_off, protection
from eureka_tck.promises.rules import LEASE_FACTOR, SLACK, Rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eureka_tck.history.samples import Sample
    from eureka_tck.history.spans import FaultSpan
    from eureka_tck.promises.lives import Life, Lives


@dataclass(frozen=True, slots=True)
class Absence:
    """
    A node did not show a live instance from `seen_gone` on; it showed it last at `last_seen`.

    The answer that lacked it was asked for at `asked`: it may be as old as that.
    """

    life: Life
    node: str
    last_seen: float
    asked: float
    seen_gone: float
    back_at: float | None


@dataclass(frozen=True, slots=True)
class Threat:
    """
    A fault kept a live instance's renewals from a node until its lease there had run out.

    `must_keep` says that self-preservation has to keep it; `why_not` why it need not.
    A shifted clock threatens every lease at once, and none may go by it.
    """

    life: Life
    node: str
    span: FaultSpan
    lease_end: float
    must_keep: bool
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Excuse:
    """Between the two instants the node may miss the instance."""

    instance: str
    node: str
    began: float
    ended: float

    def covers(self, instance: str, node: str, asked: float, answered: float) -> bool:
        """Whether it is the reason why the node missed the instance in an answer."""
        return (
            self.instance == instance
            and self.node == node
            and self.began <= answered
            and asked <= self.ended
        )


@dataclass(frozen=True, slots=True)
class Exposure:
    """All threats of a history and the excuses that follow from faults."""

    threats: tuple[Threat, ...]
    excuses: tuple[Excuse, ...]


def exposure(lives: Lives, spans: Sequence[FaultSpan], rules: Mapping[str, Rules]) -> Exposure:
    """Return what each fault put at risk, by the settings and the lives alone."""
    threats: list[Threat] = []
    excuses: list[Excuse] = []
    for span in spans:
        renewing = [life for life in lives.at(span.began) if life.renewed]
        for node, of_node in rules.items():
            owed = protection(node, span, renewing, of_node)
            for life in lives.lives:
                if life.until < span.began or life.since > span.ended:
                    continue
                if node in span.nodes or life.home in span.nodes:
                    excuses.append(_excuse(life, node, span, of_node))
                if span.kind == SHIFTS_CLOCK and life.renewed:
                    threats.append(Threat(life, node, span, span.began, must_keep=True))
                if not is_cut_off(node, life.home, span):
                    continue
                if not span.stops_all:  # renewals may get through: nothing is known of the lease
                    excuses.append(_excuse(life, node, span, of_node))
                    continue
                threat, excuse = _weigh(life, node, span, owed, of_node)
                excuses += [excuse] if excuse else []
                threats += [threat] if threat else []
    return Exposure(tuple(threats), tuple(excuses))


def absences(life: Life, node: str, readings: Sequence[Sample]) -> list[Absence]:
    """
    Return the stretches in which the node, having shown the live instance, did not.

    One that was never shown at all is not looked for here: its home would refuse its renewal.
    What an older registration left is not the live one: the cancellation between the two may come
    late, and so may the newer one after it.
    """
    found: list[Absence] = []
    last_seen: float | None = None
    gone: Sample | None = None
    for reading in readings:
        if not life.covers(reading.began, reading.ended):
            continue
        seen = reading.present.get(life.instance)
        if seen is not None and 0 < seen.dirty_ms < life.since_ms:
            continue
        if seen is not None:
            if gone is not None and last_seen is not None:
                found.append(_absence(life, node, last_seen, gone, reading.ended))
            last_seen, gone = reading.ended, None
        elif last_seen is not None and gone is None:
            gone = reading
    if gone is not None and last_seen is not None:
        found.append(_absence(life, node, last_seen, gone, None))
    return found


def _absence(
    life: Life, node: str, last_seen: float, gone: Sample, back_at: float | None
) -> Absence:
    return Absence(life, node, last_seen, gone.began, gone.ended, back_at)


def _weigh(
    life: Life, node: str, span: FaultSpan, owed: Protection, rules: Rules
) -> tuple[Threat | None, Excuse | None]:
    """Return the threat to a life behind the cut, if its lease ran out, and what it excuses."""
    known_until = span.began - rules.propagation()
    lease_end = life.lease_end_elsewhere(known_until, LEASE_FACTOR)
    if lease_end is None:  # the node did not know it, or not for certain
        return None, _excuse(life, node, span, rules)
    why_not = _why_not(lease_end - span.began, owed, rules)
    ran_out = lease_end < min(span.healing, life.until)
    threat = Threat(life, node, span, lease_end, must_keep=not why_not, why_not=why_not)
    if why_not:
        return (threat if ran_out else None), _excuse(life, node, span, rules)
    # Protection may end before the first renewal after the heal has reached the node.
    soonest = span.healing + owed.earliest_end
    latest = span.ended + rules.coming_back(life.interval).seconds
    excuse = Excuse(life.instance, node, soonest, latest) if soonest < latest else None
    return (threat if ran_out else None), excuse


def _why_not(left: float, owed: Protection, rules: Rules) -> str:
    if not rules.self_preservation:
        return "self-preservation is off"
    if not owed.is_owed:
        return (
            f"{owed.rest:g} renewals a minute go on and the threshold is {owed.threshold}, "
            "so it need not protect itself"
        )
    if left <= owed.latest_start + SLACK:
        return (
            f"its lease there ends {left:.1f} s after the cut, and protection may come as late "
            f"as {owed.latest_start:.1f} s after it"
        )
    return ""


def _excuse(life: Life, node: str, span: FaultSpan, rules: Rules) -> Excuse:
    back = span.ended + rules.coming_back(life.interval).seconds
    return Excuse(life.instance, node, span.began, back)
