"""A node that comes up with an empty memory soon serves all that its peers know to be alive."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.history.samples import samples
from eureka_tck.history.spans import lateness
from eureka_tck.promises.evidence import Evidence, Figures, Wording, conclude
from eureka_tck.promises.judgement import Violation
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from eureka_tck.history.reader import History
    from eureka_tck.history.spans import FaultSpan
    from eureka_tck.promises.judgement import Budget, Judgement
    from eureka_tck.promises.lives import Life

WORDING: Final = Wording(
    "restarted_node_serves_all",
    "A node that starts again with an empty memory serves every live instance one renewal after "
    "its first answer, whether it copies a peer or waits for heartbeats.",
    ("SYNC-01", "SYNC-02", "SYNC-04", "SYNC-05"),
)


@dataclass(frozen=True, slots=True)
class _Return:
    """One live instance at a node that came up again at `up`; `back` is when it was shown."""

    node: str
    life: Life
    up: float
    budget: Budget
    back: float | None
    missed: float | None

    @property
    def is_over(self) -> bool:
        """Whether it was missing for certain when its budget was over."""
        return self.missed is not None and self.missed > self.up + self.budget.seconds

    @property
    def is_open(self) -> bool:
        """Whether it was still missing when the node was read last, within its budget."""
        return self.back is None and not self.is_over


def restarted_node_serves_all(history: History) -> Judgement:
    """Judge every live instance at every node that lost its memory and came up again."""
    evidence = Evidence.of(history)
    returns = [
        one
        for span in evidence.spans
        for node in span.forgets
        for one in _returns(evidence, span, node)
    ]
    sure = [one for one in returns if one.is_over and not _is_late(history, one)]
    slow = max(returns, key=lambda one: (one.back or one.up) - one.up, default=None)
    measured = 0.0 if slow is None or slow.back is None else slow.back - slow.up
    restarts = len({(one.node, one.up) for one in returns})
    return conclude(
        WORDING,
        map(_violation, sure),
        doubt=evidence.open_ends() or _doubt(evidence, returns),
        kept=(
            f"All {counted(len(returns), 'live instance')} were served {measured:.1f} s after the "
            f"first answer at the latest, in {counted(restarts, 'restart')}."
        ),
        figures=Figures(
            judged=f"{counted(restarts, 'restart')}, {counted(len(returns), 'live instance')}",
            budget=max((one.budget for one in returns), key=lambda one: one.seconds, default=None),
            measured=measured,
        ),
    )


def _first_answer(evidence: Evidence, span: FaultSpan, node: str) -> float | None:
    """Return when the node answered first after it had lost its memory, if it was seen to."""
    was_silent = False
    for sample in samples(evidence.history)[node]:
        if sample.ended < span.began:
            continue
        if sample.error:
            was_silent = True
        elif was_silent or sample.began >= span.ended:
            return sample.ended
    return None


def _returns(evidence: Evidence, span: FaultSpan, node: str) -> list[_Return]:
    up = _first_answer(evidence, span, node)
    if up is None:
        return []
    rules = evidence.rules[node]
    found: list[_Return] = []
    for life in evidence.who.at(up):
        budget = rules.coming_back(life.interval)
        if not life.renewed or life.since > span.began or life.until < up + budget.seconds:
            continue
        if _is_disturbed(evidence, span, node, life, up + budget.seconds):
            continue
        back: float | None = None
        missed: float | None = None
        for reading in evidence.taken[node]:
            if reading.ended < up or reading.ended > life.until:
                continue
            if life.instance in reading.present:
                back = reading.ended
                break
            missed = reading.began
        if back is not None or missed is not None:
            found.append(_Return(node, life, up, budget, back, missed))
    return found


def _is_disturbed(evidence: Evidence, span: FaultSpan, node: str, life: Life, until: float) -> bool:
    """Whether another fault keeps the node from its home meanwhile."""
    return any(
        other is not span
        and other.covers(span.began, until)
        and (node in other.nodes or other.keeps_apart(node, life.home))
        for other in evidence.spans
    )


def _is_late(history: History, one: _Return) -> bool:
    due = one.up + one.budget.seconds
    over = (one.missed if one.missed is not None else due) - due
    return over <= lateness(history, one.up, due)


def _doubt(evidence: Evidence, returns: list[_Return]) -> str:
    if not any(span.forgets and math.isfinite(span.ended) for span in evidence.spans):
        return "No node lost its memory in this run."
    if not returns:
        return "No node was seen to come up again while live instances could be looked for."
    over = [one for one in returns if one.is_over]
    if over:
        return f"{over[0].life.instance} was late at node {over[0].node}, but so was this machine."
    left = [one for one in returns if one.is_open]
    if left:
        return f"{left[0].life.instance} was not watched long enough at node {left[0].node}."
    return ""


def _violation(one: _Return) -> Violation:
    due = one.up + one.budget.seconds
    return Violation(
        node=one.node,
        instance=one.life.instance,
        at=due,
        until=one.back,
        said=(
            f"Node {one.node} answered again from {one.up:.1f} s on with an empty memory, and did "
            f"not serve {one.life.instance} (home {one.life.home}) at {one.missed or due:.1f} s; "
            f"it had to by {due:.1f} s ({one.budget.formula}). "
            + ("It never did." if one.back is None else f"It did at {one.back:.1f} s.")
        ),
    )
