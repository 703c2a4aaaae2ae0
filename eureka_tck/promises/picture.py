"""The picture of a chaos run, made from its history and its verdicts; pure, as promises are."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from eureka_tck.history.event import READS, Counted, Marked
from eureka_tck.history.samples import samples
from eureka_tck.promises.delays import delays
from eureka_tck.promises.departure import departures, is_over
from eureka_tck.promises.evidence import Evidence
from eureka_tck.promises.share import losses
from eureka_tck.promises.surroundings import around
from eureka_tck.report.timeline import (
    Band,
    Cut,
    Dot,
    Flag,
    Lane,
    Latency,
    NodeLines,
    Note,
    Timeline,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eureka_tck.history.reader import History
    from eureka_tck.promises.expectation import Judged
    from eureka_tck.report.timeline import Broken, Line, Strip

FLAGS_SHOWN: Final = 24
LANES_SHOWN: Final = 12
NOTES_SHOWN: Final = 200
DOTS_SHOWN: Final = 2_000
BUCKETS: Final = 120
"""Stretches of time that the latency of calls is summed up in."""

ABSENT: Final = ""


def picture(history: History, judged: Sequence[Judged]) -> Timeline:
    """Return all that the page of the run draws."""
    evidence = Evidence.of(history)
    end = max(evidence.end, history.events[-1].at if history.events else 0.0)
    flags = _flags(judged)
    return Timeline(
        began=round(history.events[0].at, 1) if history.events else 0.0,
        end=round(end, 1),
        sampled_every=_sampled_every(evidence),
        nodes={node: _lines(evidence, node) for node in evidence.taken},
        alive=_alive(evidence),
        bands=tuple(
            Band(
                began=round(span.began, 1),
                ended=round(min(span.ended, end), 1),
                said=span.said,
            )
            for span in evidence.spans
            if span.bit is not None
        ),
        notes=_notes(evidence),
        flags=flags,
        around=tuple(around(evidence, flag) for flag in flags),
        links=_links(evidence, end),
        delays=_dots(evidence),
        latency=_latency(evidence, end),
        lanes=_lanes(evidence, flags),
    )


def _flags(judged: Sequence[Judged]) -> tuple[Flag, ...]:
    """Return the first violations of each promise: one broken all the time hides no other."""
    found = [
        (
            number,
            Flag(
                at=round(one.at, 1),
                until=None if one.until is None else round(one.until, 1),
                known=each.verdict == "known deviation",
                promise=each.judgement.promise,
                node=one.node,
                instance=one.instance,
                said=one.said,
            ),
        )
        for each in judged
        for number, one in enumerate(each.judgement.violations)
    ]
    found.sort(key=lambda one: (one[1].known, one[0], one[1].at))
    return tuple(sorted((flag for _, flag in found[:FLAGS_SHOWN]), key=lambda flag: flag.at))


def _sampled_every(evidence: Evidence) -> float:
    gaps = sorted(
        after.began - before.began
        for of_node in evidence.taken.values()
        for before, after in pairwise(of_node)
    )
    return round(gaps[len(gaps) // 2], 1) if gaps else 0.0


def _lines(evidence: Evidence, node: str) -> NodeLines:
    counted = [
        event
        for event in evidence.history.events
        if isinstance(event, Counted) and event.node == node
    ]
    return NodeLines(
        instances=_broken(evidence, node),
        renewals=_line((one.at, one.renewals) for one in counted),
        threshold=_line((one.at, one.threshold) for one in counted),
        protected=_line((one.at, int(not one.expiration_enabled)) for one in counted),
        evicted=tuple(
            (round(loss.at, 1), float(len(loss.gone)))
            for loss in losses(evidence)
            if loss.node == node
        ),
    )


def _broken(evidence: Evidence, node: str) -> Broken:
    """Return how many instances the node showed, with gaps where it gave no answer."""
    found: list[tuple[float, float | None]] = []
    for sample in samples(evidence.history)[node]:
        number = float(len(sample.present)) if sample.is_reading else None
        if not found or found[-1][1] != number:
            found.append((round(sample.ended, 1), number))
    return tuple(found)


def _line(points: Iterable[tuple[float, float]]) -> Line:
    """Return the changes alone."""
    found: list[tuple[float, float]] = []
    for at, value in points:
        if not found or found[-1][1] != value:
            found.append((round(at, 1), float(value)))
    return tuple(found)


def _alive(evidence: Evidence) -> Line:
    """Return how many instances lived, by what their clients told."""
    ends = {(one.instance, one.at) for one in departures(evidence) if is_over(one, evidence.end)}
    changes = [(at, -1) for _, at in ends]
    for instance, calls in evidence.by_instance().items():
        is_there = False
        of_instance = sorted(at for name, at in ends if name == instance)
        for call in calls:
            if any(at < call.invoked for at in of_instance):
                is_there = False
                of_instance = [at for at in of_instance if at >= call.invoked]
            if call.verb == "register" and call.ok and not is_there:
                changes.append((call.completed or call.invoked, 1))
                is_there = True
    number, points = 0, []
    for at, step in sorted(changes):
        number += step
        points.append((at, float(number)))
    return _line(points)


def _notes(evidence: Evidence) -> tuple[Note, ...]:
    notes = [
        Note(at=round(event.at, 1), kind="phase", said=f"{event.name} {event.said}".strip())
        for event in evidence.history.events
        if isinstance(event, Marked)
    ]
    for call in evidence.calls:
        if call.verb == "cancel" and call.completed is not None:
            said = f"{call.instance} cancelled at node {call.node}: {_ending(call.status)}"
            notes.append(Note(at=round(call.completed, 1), kind="cancel", said=said))
        if call.verb in {"status", "remove-status"} and call.completed is not None:
            what = f"set to {call.value}" if call.verb == "status" else "freed of its override"
            said = f"{call.instance} {what} at node {call.node}: {_ending(call.status)}"
            notes.append(Note(at=round(call.completed, 1), kind="status", said=said))
    notes += [
        Note(at=round(one.at, 1), kind="death", said=f"{one.instance} is not heard of any more")
        for one in departures(evidence)
        if not one.is_cancelled and is_over(one, evidence.end)
    ]
    return tuple(sorted(notes, key=lambda note: note.at)[:NOTES_SHOWN])


def _ending(status: int | None) -> str:
    return "no answer" if status is None else str(status)


def _links(evidence: Evidence, end: float) -> tuple[Cut, ...]:
    nodes = list(evidence.taken)
    names = [f"{one}>{other}" for one in nodes for other in nodes if one != other]
    clients = sorted({link for span in evidence.spans for link in span.links} - set(names))
    return tuple(
        Cut(
            link=name,
            down=tuple(
                (round(span.began, 1), round(min(span.ended, end), 1))
                for span in evidence.spans
                if name in span.links
            ),
        )
        for name in [*names, *clients]
    )


def _dots(evidence: Evidence) -> tuple[Dot, ...]:
    dots = [
        Dot(at=round(one.at, 1), seconds=round(one.seconds, 2), link=f"{one.source}>{one.where}")
        for one in delays(evidence)
        if one.seconds is not None and not one.is_client and one.kind != "death"
    ]
    dots.sort(key=lambda dot: dot.at)
    step = max(1, math.ceil(len(dots) / DOTS_SHOWN))
    return tuple(dots[::step])


def _latency(evidence: Evidence, end: float) -> tuple[Latency, ...]:
    """Return the latency of calls that were answered, in real milliseconds."""
    length = max(1.0, end / BUCKETS)
    speed = evidence.history.header.speed or 1.0
    buckets: dict[int, list[float]] = {}
    for call in evidence.calls:
        if call.completed is not None and call.status is not None and call.verb not in READS:
            taken = (call.completed - call.invoked) / speed * 1000
            buckets.setdefault(int(call.invoked // length), []).append(taken)
    found: list[Latency] = []
    for number, times in sorted(buckets.items()):
        times.sort()
        found.append(
            Latency(
                at=round(number * length, 1),
                p50=round(times[len(times) // 2], 2),
                p99=round(times[min(len(times) - 1, int(len(times) * 0.99))], 2),
            )
        )
    return tuple(found)


def _lanes(evidence: Evidence, flags: Sequence[Flag]) -> tuple[Lane, ...]:
    names = dict.fromkeys(flag.instance for flag in flags if flag.instance)
    return tuple(_lane(evidence, name, flags) for name in list(names)[:LANES_SHOWN])


def _lane(evidence: Evidence, name: str, flags: Sequence[Flag]) -> Lane:
    own = [flag for flag in flags if flag.instance == name]
    wrong: dict[str, tuple[float, float]] = {}
    for flag in own:
        since, until = wrong.get(flag.node, (math.inf, 0.0))
        wrong[flag.node] = (
            min(since, flag.at),
            max(until, evidence.end if flag.until is None else flag.until),
        )
    return Lane(
        instance=name,
        told=_told(evidence, name),
        nodes={
            node: _strip(
                (one.ended, seen.status if (seen := one.present.get(name)) else ABSENT)
                for one in of_node
            )
            for node, of_node in evidence.taken.items()
        },
        wrong=wrong,
        known=all(flag.known for flag in own),
    )


def _told(evidence: Evidence, name: str) -> Strip:
    """Return what the client told its registry: registrations, status calls, its end."""
    points: list[tuple[float, str]] = [(0.0, ABSENT)]
    for call in evidence.of_instance(name):
        if not call.ok or call.completed is None:
            continue
        if call.verb == "register" and points[-1][1] == ABSENT:
            points.append((call.completed, call.value or "UP"))
        elif call.verb == "status":
            points.append((call.completed, call.value))
        elif call.verb == "remove-status":
            points.append((call.completed, "UP"))
        elif call.verb == "cancel":
            points.append((call.completed, ABSENT))
    points += [
        (one.at, ABSENT)
        for one in departures(evidence)
        if one.instance == name and not one.is_cancelled and is_over(one, evidence.end)
    ]
    return _strip(sorted(points, key=lambda point: point[0]))


def _strip(points: Iterable[tuple[float, str]]) -> Strip:
    found: list[tuple[float, str]] = []
    for at, value in points:
        if not found or found[-1][1] != value:
            found.append((round(at, 1), value))
    return tuple(found)
