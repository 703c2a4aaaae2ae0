"""
How long each change took until each other node, and each client, was seen to tell it.

A delay ends with the first answer that shows the change, so that it is known to the time between
two readings: never less than the truth.
"""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from eureka_tck.history.copies import copies
from eureka_tck.promises.departure import departures, is_over

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eureka_tck.history.event import Seen
    from eureka_tck.history.operations import Operation
    from eureka_tck.promises.evidence import Evidence

Kind: TypeAlias = Literal["register", "cancel", "status", "death"]
Shows: TypeAlias = "Callable[[Seen | None], bool]"


@dataclass(frozen=True, slots=True)
class Delay:
    """
    From a change at `source` at the instant `at` until `where`, a node or a client, told it.

    `seconds` is None where it was never seen to, `surely` the last instant at which it was seen not
    to. `is_disturbed`: a fault was between the two.
    """

    kind: Kind
    instance: str
    source: str
    where: str
    is_client: bool
    at: float
    seconds: float | None
    surely: float
    is_disturbed: bool


@dataclass(frozen=True, slots=True)
class _Change:
    kind: Kind
    instance: str
    source: str
    at: float
    until: float
    shows: Shows
    status: str | None


def delays(evidence: Evidence) -> list[Delay]:
    """Return the delay of every change at every node but its own, and at every client."""
    held = copies(evidence.history)
    found: list[Delay] = []
    for change in _changes(evidence):
        for node in evidence.taken:
            if node == change.source and change.kind != "death":
                continue
            found.append(_at_node(evidence, change, node))
        for client, of_client in held.items():
            first = bisect.bisect_left(of_client, change.at, key=lambda one: one.at)
            told: float | None = None
            wrong = change.at
            for one in of_client[first:]:
                if one.at > change.until or one.present.get(change.instance) == change.status:
                    told = one.at if one.at <= change.until else None
                    break
                wrong = one.at
            if first < len(of_client):
                node = of_client[first].node
                found.append(_delay(evidence, change, (client, node), (wrong, told)))
    return found


def _at_node(evidence: Evidence, change: _Change, node: str) -> Delay:
    of_node = evidence.taken[node]
    first = bisect.bisect_left(of_node, change.at, key=lambda one: one.began)
    seen: float | None = None
    wrong = change.at
    for reading in of_node[first:]:
        if reading.ended > change.until:
            break
        if change.shows(reading.present.get(change.instance)):
            seen = reading.ended
            break
        wrong = reading.began
    return _delay(evidence, change, (node, node), (wrong, seen))


def _delay(
    evidence: Evidence,
    change: _Change,
    told_by: tuple[str, str],
    between: tuple[float, float | None],
) -> Delay:
    """Return the delay until `told_by`, a client and its node or a node twice, told the change."""
    (where, node), (wrong, seen) = told_by, between
    until = seen if seen is not None else min(change.until, evidence.end)
    disturbed = any(
        span.covers(change.at - evidence.rules[change.source].kept, until)
        and (span.keeps_apart(node, change.source) or {node, change.source} & span.nodes)
        for span in evidence.spans
    )
    return Delay(
        kind=change.kind,
        instance=change.instance,
        source=change.source,
        where=where,
        is_client=where != node,
        at=change.at,
        seconds=None if seen is None else seen - change.at,
        surely=wrong - change.at,
        is_disturbed=disturbed,
    )


def _changes(evidence: Evidence) -> Iterator[_Change]:
    for calls in evidence.by_instance().values():
        ends = [call.invoked for call in calls if call.verb in {"register", "cancel", "status"}]
        for call in calls:
            until = next((at for at in ends if at > call.invoked), math.inf)
            if (change := _of_call(call, until)) is not None:
                yield change
    for one in departures(evidence):
        if not one.is_cancelled and is_over(one, evidence.end):
            yield _Change("death", one.instance, one.home, one.at, math.inf, _is_gone, None)


def _of_call(call: Operation, until: float) -> _Change | None:
    if not call.ok or call.completed is None:
        return None
    if call.verb == "register":
        dirty_ms, status = call.dirty_ms or 0, call.value or "UP"

        def shows(seen: Seen | None) -> bool:
            return seen is not None and seen.dirty_ms >= dirty_ms

        return _Change("register", call.instance, call.node, call.completed, until, shows, status)
    if call.verb == "cancel":
        return _Change("cancel", call.instance, call.node, call.completed, until, _is_gone, None)
    if call.verb == "status":

        def tells(seen: Seen | None) -> bool:
            return seen is not None and seen.status == call.value

        return _Change("status", call.instance, call.node, call.completed, until, tells, call.value)
    return None


def _is_gone(seen: Seen | None) -> bool:
    return seen is None
