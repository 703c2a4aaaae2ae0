"""Faults as stretches of time, each with its proof; and how late the harness itself was."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.history.event import ClockRead, FaultBegan, FaultBit, FaultEnded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka_tck.history.operations import Operation
    from eureka_tck.history.reader import History


STOPS_ALL: Final = frozenset({"partition", "wrong-peers"})
"""Kinds of faults during which nothing at all passes their links; over others something may."""

LOSES: Final = frozenset({"wrong-answers", "wrong-peers"})
"""Kinds during which a change may be lost without its sender's learning of it: it never retries."""

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


def lateness(history: History, since: float, until: float = math.inf) -> float:
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
