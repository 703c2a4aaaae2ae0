"""Faults as stretches of time, each with its proof; and how late the harness itself was."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from eureka_tck.history.event import ClockRead, FaultBegan, FaultBit, FaultEnded, Sampled
from eureka_tck.history.operations import operations

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeGuard

    from eureka_tck.history.event import Event
    from eureka_tck.history.operations import Operation
    from eureka_tck.history.reader import History


STOPS_ALL: Final = frozenset({"partition", "wrong-peers"})
"""Kinds of faults during which nothing at all passes their links; over others something may."""

LOSES: Final = frozenset({"wrong-answers", "wrong-peers"})
"""Kinds during which a change may be lost without its sender's learning of it: it never retries."""

SLOW: Final = 0.5
"""s from which an answer tells of a machine that is late: one call takes 0.05 s at speed 5, and a
sample with a single read of all that went 0.2 s; on a starved machine 4 s were seen."""

SHIFTS_CLOCK: Final = "clock-shift"

UNANSWERED: Final = 10.0
"""s for which a call without an answer may still be applied: twice the client's time-out."""


@dataclass(frozen=True, slots=True)
class FaultSpan:
    """
    A fault from the first cut to the end of healing.

    `healing` is the instant at which healing began; both ends are infinite where the history ends
    first. `bit` is the instant of the proof, None where there is none. `forgets` are the nodes that
    it makes start again with an empty memory.
    """

    fault: str
    kind: str
    said: str
    links: frozenset[str]
    nodes: frozenset[str]
    began: float
    healing: float
    ended: float
    bit: float | None
    proof: tuple[str, ...]
    forgets: frozenset[str] = frozenset()

    def keeps_apart(self, node: str, home: str) -> bool:
        """Whether the node may not learn of what the home is told while the fault is on."""
        return node != home and (
            f"{home}>{node}" in self.links or node in self.nodes or home in self.nodes
        )

    @property
    def stops_all(self) -> bool:
        """Whether nothing passes its links while it is on."""
        return self.kind in STOPS_ALL

    def covers(self, began: float, ended: float) -> bool:
        """Whether it was on at any instant between the two."""
        return self.began <= ended and began <= self.ended


def fault_spans(history: History) -> tuple[FaultSpan, ...]:
    """Return the faults in the order in which they began."""
    bites = {event.fault: event for event in history.events if isinstance(event, FaultBit)}
    ends = {event.fault: event for event in history.events if isinstance(event, FaultEnded)}
    return tuple(
        _span(event, bites.get(event.fault), ends.get(event.fault))
        for event in history.events
        if isinstance(event, FaultBegan)
    )


def lateness(
    history: History, since: float, until: float = math.inf, *, sampled: bool = True
) -> float:
    """
    Return how late this machine was at worst between the two instants, in registry seconds.

    That is the harness itself, by its own clock, or an answer that took long of a node that nothing
    ailed: a machine with more to do than it can starves its registries too, and sooner.
    Without `sampled` only single calls count: a sample of many reads is long on any machine.
    """
    answers = (
        ended - began
        for began, ended, is_sample in _slow_answers(history)
        if ended >= since and began <= until and (sampled or not is_sample)
    )
    return max([tick_lateness(history, since, until), *answers])


def lost_time(history: History, since: float, until: float) -> float:
    """
    Return for how long between the two instants this machine kept its registries waiting.

    Where a step waits for the one before, each is late by itself: all stretches in which an answer
    took long are lost, not only the longest.
    """
    lost, reached = 0.0, since
    for began, ended, _ in sorted(_slow_answers(history)):
        last = min(ended, until)
        lost += max(0.0, last - max(began, reached))
        reached = max(reached, last)
    return max(lateness(history, since, until), lost + tick_lateness(history, since, until))


def starved(history: History, life: float, interval: float, at: float) -> bool:
    """
    Whether this machine left no renewal the time to reach a peer in the `life` of a lease before.

    Where every answer takes long, calls between nodes run into their time-outs, and a peer rightly
    evicts what it hears of no more. One interval without a slow answer, and a renewal has arrived.
    """
    return lost_time(history, at - life, at) > life - interval


def tick_lateness(history: History, since: float, until: float = math.inf) -> float:
    """Return how late the harness was at worst between the two instants, in registry seconds."""
    worst, before = 0.0, -math.inf
    for event in history.events:
        if isinstance(event, ClockRead):
            if event.at >= since and before <= until:  # it covers (before, at]
                worst = max(worst, event.late)
            before = event.at
    return worst


def applied_by(call: Operation, spans: Iterable[FaultSpan]) -> float:
    """
    Return the instant after which nothing of the call can take effect any more.

    What had no answer may lie in the socket of a frozen node, which reads it when it goes on.
    """
    if call.completed is not None and (call.outcome != "unknown" or call.status is not None):
        return call.completed
    ended = max(call.completed or 0.0, call.invoked + UNANSWERED)
    for span in spans:
        holds = call.node in span.nodes or f"client>{call.node}" in span.links
        if holds and span.covers(call.invoked, ended):
            ended = max(ended, span.ended + UNANSWERED)
    return ended


@lru_cache(maxsize=4)  # it is asked for a thousand times a history
def _slow_answers(history: History) -> tuple[tuple[float, float, bool], ...]:
    """Return when nodes took long that no fault touched: from, to, and whether for a sample."""
    spans = fault_spans(history)
    taken = [
        *((one.node, one.began, one.at, True) for one in history.events if _is_reading(one)),
        *((o.node, o.invoked, o.completed, False) for o in operations(history) if o.status),
    ]
    return tuple(
        (began, ended, is_sample)
        for node, began, ended, is_sample in taken
        if ended is not None
        and ended - began >= SLOW
        and not any(
            span.covers(began, ended) and (node in span.nodes or f"client>{node}" in span.links)
            for span in spans
        )
    )


def _is_reading(event: Event) -> TypeGuard[Sampled]:
    return isinstance(event, Sampled) and not event.error


def _span(begin: FaultBegan, bite: FaultBit | None, end: FaultEnded | None) -> FaultSpan:
    return FaultSpan(
        fault=begin.fault,
        kind=begin.kind,
        said=begin.said,
        links=frozenset(begin.links),
        nodes=frozenset(begin.nodes),
        began=begin.at,
        healing=end.since if end else math.inf,
        ended=end.at if end and not end.error else math.inf,
        bit=bite.at if bite else None,
        proof=bite.proof if bite else (),
        forgets=frozenset(begin.forgets),
    )
