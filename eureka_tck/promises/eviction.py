"""
No live instance is evicted: not at its home node, and at no other where it must be kept.

"Never" is judged against a control: an instance that nobody renewed has to go from every node,
once before the first fault and once after the last, or nothing shows that evictions happen at all.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.history.samples import readings
from eureka_tck.history.spans import SHIFTS_CLOCK, fault_spans, lateness, starved
from eureka_tck.promises.absence import absences, exposure
from eureka_tck.promises.judgement import Budget, Finding, Judgement, Violation
from eureka_tck.promises.lives import lives
from eureka_tck.promises.rules import LEASE_FACTOR, rules_of_nodes
from eureka_tck.promises.words import at_nodes, capital, listed
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eureka_tck.history.reader import History
    from eureka_tck.history.samples import Sample
    from eureka_tck.history.spans import FaultSpan
    from eureka_tck.promises.absence import Absence, Exposure, Threat
    from eureka_tck.promises.lives import Lives, Refusal

NAME: Final = "no_live_instance_is_evicted"
STATEMENT: Final = (
    "An instance that renews on schedule is never evicted: not at its home node, and not at a node "
    "that a fault keeps from its renewals, where self-preservation has to keep it."
)
ROWS: Final = ("LEASE-05", "PRESERVE-05", "PRESERVE-13")

CONTROLS_TOLD: Final = 3
"""Dead instances whose evictions are told one by one."""


@dataclass(frozen=True, slots=True)
class Eviction:
    """The node showed a dead instance until `last_seen`, and from `seen_gone` on no more."""

    node: str
    instance: str
    last_seen: float
    seen_gone: float


@dataclass(frozen=True, slots=True)
class _Case:
    """All that the judgement rests on."""

    taken: Mapping[str, Sequence[Sample]]
    spans: Sequence[FaultSpan]
    who: Lives
    threats: Sequence[Threat]
    evictions: Sequence[Eviction]


def no_live_instance_is_evicted(history: History) -> Judgement:
    """Judge that no node ever dropped an instance that renewed as it should."""
    taken, spans, who = readings(history), fault_spans(history), lives(history)
    risk = exposure(who, spans, rules_of_nodes(history.header))
    case = _Case(taken, spans, who, risk.threats, evictions(taken, who, spans))
    missing = [
        absence
        for life in who.lives
        for node, of_node in taken.items()
        for absence in absences(life, node, of_node)
    ]
    blamed = [
        one
        for one in missing
        if not any(
            excuse.covers(one.life.instance, one.node, one.asked, one.seen_gone)
            for excuse in risk.excuses
        )
    ]
    refused = [
        one
        for one in who.refusals
        if not any(excuse.covers(one.instance, one.home, one.at, one.at) for excuse in risk.excuses)
    ]
    sure = [
        one
        for one in blamed
        if not _is_late(history, risk, one.life.instance, one.node, one.seen_gone)
        and not _is_starved(history, one)
    ]
    surely = [one for one in refused if not _is_late(history, risk, one.instance, one.home, one.at)]
    violations = sorted(
        [_of_absence(one) for one in sure] + [_of_refusal(one) for one in surely],
        key=lambda violation: (violation.at, violation.node, violation.instance),
    )
    renewing = {life.instance for life in who.lives if life.renewed}
    late = len(blamed) + len(refused) - len(violations)
    finding, said = _finding(history, case, violations, late)
    return Judgement(
        promise=NAME,
        statement=STATEMENT,
        rows=ROWS,
        finding=finding,
        said=said,
        judged=(
            f"{counted(len(renewing), 'live instance')}, "
            f"{counted(sum(map(len, taken.values())), 'sample')} of "
            f"{counted(len(taken), 'node')}"
        ),
        budget=Budget(seconds=0.0, formula="a live instance is never absent"),
        measured=max((_length(one, taken) for one in blamed), default=0.0),
        violations=tuple(violations),
        notes=(*_allowed(len(missing) - len(blamed)), *_controls(case.evictions)),
    )


def evictions(
    taken: Mapping[str, Sequence[Sample]], who: Lives, spans: Sequence[FaultSpan]
) -> tuple[Eviction, ...]:
    """
    Return what was rightly evicted: instances that nobody renewed and nobody cancelled.

    What a node no longer shows that lost its memory meanwhile was not evicted.
    """
    found: list[Eviction] = []
    for node, of_node in taken.items():
        last_seen: dict[str, float] = {}
        for reading in of_node:
            for instance in last_seen.keys() - reading.present.keys():
                seen = last_seen[instance]
                forgot = any(
                    node in one.forgets and one.covers(seen, reading.ended) for one in spans
                )
                if not forgot and _is_dead(instance, reading, who):
                    found.append(Eviction(node, instance, seen, reading.ended))
                del last_seen[instance]
            last_seen |= dict.fromkeys(reading.present.keys() & who.known, reading.ended)
    return tuple(sorted(found, key=lambda one: one.seen_gone))


def _is_dead(instance: str, reading: Sample, who: Lives) -> bool:
    cancels = who.cancelled.get(instance, ())
    return not any(at <= reading.ended for at in cancels) and not any(
        life.since <= reading.ended and reading.began <= life.until for life in who.of(instance)
    )


def _is_late(history: History, risk: Exposure, instance: str, node: str, at: float) -> bool:
    """Whether the node was excused until lately, and this machine was late by as much."""
    ended = (
        one
        for one in risk.excuses
        if (one.instance, one.node) == (instance, node) and one.ended < at
    )
    last = max(ended, key=lambda one: one.ended, default=None)
    return last is not None and at - last.ended <= lateness(history, last.began, at)


def _is_starved(history: History, absence: Absence) -> bool:
    """Whether a peer of its home heard nothing of it for a lease, for this machine's fault."""
    life = absence.life
    return absence.node != life.home and starved(
        history, LEASE_FACTOR * life.lease, life.interval, absence.seen_gone
    )


def _finding(
    history: History, case: _Case, violations: Sequence[Violation], late: int
) -> tuple[Finding, str]:
    if violations:
        return "broken", _broken(violations)
    doubt = (
        _broken_off(history)
        or _unseen(case)
        or _harmless(case)
        or _uncontrolled(case)
        or _belated(late)
    )
    return ("inconclusive", doubt) if doubt else ("kept", _kept(case))


def _broken_off(history: History) -> str:
    if history.is_complete:
        return ""
    why = history.why_broken_off or "its history has no end"
    return f"The run was broken off: {why}."


def _unseen(case: _Case) -> str:
    blind = [node for node, of_node in case.taken.items() if not of_node]
    if blind:
        return f"No sample of {at_nodes(blind)} could be read."
    return "" if case.who.lives else "No instance was ever registered and renewed."


def _harmless(case: _Case) -> str:
    """Return why no lease was at risk, if none was."""
    if not case.spans:
        return "Nothing was broken in this run, so no lease was ever at risk."
    for span in case.spans:
        if span.bit is None:
            return f"{capital(span.said)}: but this was never seen to bite."
    if not case.threats:
        longest = max(case.spans, key=lambda span: span.healing - span.began)
        return (
            f"No lease ran out while a fault was on; the longest lasted "
            f"{longest.healing - longest.began:.1f} s."
        )
    if not any(threat.must_keep for threat in case.threats):
        threat = case.threats[0]
        return (
            f"Every lease that ran out during a fault may rightly have been evicted: at node "
            f"{threat.node}, {threat.why_not}."
        )
    return ""


def _uncontrolled(case: _Case) -> str:
    """Return where no eviction is proven before the first fault or after the last, if nowhere."""
    first = min(span.began for span in case.spans)
    last = max(span.ended for span in case.spans)
    before = {one.node for one in case.evictions if one.seen_gone < first}
    after = {one.node for one in case.evictions if one.seen_gone > last}
    for when, proven in (("before the first fault", before), ("after the last fault", after)):
        silent = [node for node in case.taken if node not in proven]
        if silent:
            return (
                f"No eviction is proven on {at_nodes(silent)} {when}: nothing that had died was "
                "seen to go there, so that nothing living went says little."
            )
    return ""


def _belated(late: int) -> str:
    """Return what is held against nobody, as this machine was late itself."""
    if not late:
        return ""
    return (
        f"{counted(late, 'live instance')} {'was' if late == 1 else 'were'} missing for longer "
        "than any fault excuses, but this machine was late itself by as much."
    )


def _kept(case: _Case) -> str:
    kept = Counter(threat.node for threat in case.threats if threat.must_keep)
    at_risk = listed([f"{number} at {node}" for node, number in sorted(kept.items())])
    faults = "; ".join(
        f"{span.said}, {span.began:.1f} to {span.ended:.1f} s" for span in case.spans
    )
    if all(span.kind == SHIFTS_CLOCK for span in case.spans):
        return f"No live instance was ever missing, whatever the clocks told ({faults})."
    return (
        f"No live instance was ever missing. The leases that ran out during the fault ({faults}) "
        f"were all kept: {at_risk}."
    )


def _broken(violations: Sequence[Violation]) -> str:
    places = {(one.node, one.instance) for one in violations}
    instances = {instance for _, instance in places}
    nodes = sorted({node for node, _ in places})
    rest = len(violations) - 1
    return (
        f"{counted(len(instances), 'live instance')} {'was' if len(instances) == 1 else 'were'} "
        f"lost at {at_nodes(nodes)}. {violations[0].said}"
        + (f" {counted(rest, 'more violation')} follow{'s' if rest == 1 else ''}." if rest else "")
    )


def _of_absence(absence: Absence) -> Violation:
    life = absence.life
    sent = [at for at in (*life.registered, *life.renewed) if at <= absence.seen_gone]
    back = "" if absence.back_at is None else f" It was back at {absence.back_at:.1f} s."
    return Violation(
        node=absence.node,
        instance=life.instance,
        at=absence.seen_gone,
        until=absence.back_at,
        said=(
            f"{life.instance} was gone from node {absence.node} at {absence.seen_gone:.1f} s, seen "
            f"there last at {absence.last_seen:.1f} s; it renewed at its home {life.home} every "
            f"{life.interval:g} s, last at {max(sent, default=life.since):.1f} s, and its lease is "
            f"{life.lease:g} s.{back}"
        ),
    )


def _of_refusal(refusal: Refusal) -> Violation:
    return Violation(
        node=refusal.home,
        instance=refusal.instance,
        at=refusal.at,
        until=None,
        said=(
            f"{refusal.instance} renewed at its home {refusal.home} at {refusal.at:.1f} s and was "
            f"answered {refusal.status}, though its renewal sent at {refusal.last_renewed:.1f} s "
            "had been accepted."
        ),
    )


def _length(absence: Absence, taken: Mapping[str, Sequence[Sample]]) -> float:
    end = absence.back_at if absence.back_at is not None else taken[absence.node][-1].ended
    return end - absence.seen_gone


def _allowed(excused: int) -> tuple[str, ...]:
    if not excused:
        return ()
    return (f"{counted(excused, 'absence')} during faults, which the settings allow",)


def _controls(evictions: Sequence[Eviction]) -> tuple[str, ...]:
    """Return what was seen to go, as it should: a sentence for each of the first instances."""
    by_instance: dict[str, list[Eviction]] = {}
    for one in evictions:
        by_instance.setdefault(one.instance, []).append(one)
    told = [
        f"{instance}, which nobody renewed, was evicted at "
        + listed([f"{one.node} (by {one.seen_gone:.1f} s)" for one in ones], len(ones))
        for instance, ones in list(by_instance.items())[:CONTROLS_TOLD]
    ]
    if (rest := len(by_instance) - len(told)) > 0:
        told.append(f"so {'was' if rest == 1 else 'were'} {counted(rest, 'other')}")
    return tuple(told)
