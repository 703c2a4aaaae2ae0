"""The newest write wins: after a heal every node holds the registration with the greatest T."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.promises.evidence import Evidence, Figures, Wording, conclude, late_too
from eureka_tck.promises.judgement import Violation
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka_tck.history.operations import Operation
    from eureka_tck.history.reader import History
    from eureka_tck.promises.judgement import Budget, Judgement
    from eureka_tck.promises.lives import Life

WORDING: Final = Wording(
    "newest_write_wins",
    "Of the registrations of one instance, at whichever nodes they were made, the one with the "
    "greatest T is what every node holds after a heal and one renewal.",
    ("CLUSTER-07", "CLUSTER-08", "PEER-05"),
)


@dataclass(frozen=True, slots=True)
class _Write:
    """The newest acknowledged registration of an instance, and who had an older one after it."""

    newest: Operation
    dirty_ms: int
    was_contested: bool


def newest_write_wins(history: History) -> Judgement:
    """Judge which registration of each live instance the nodes held once they could know all."""
    evidence = Evidence.of(history)
    violations: list[Violation] = []
    contested: set[str] = set()
    budgets: list[Budget] = []
    longest = 0.0
    for instance, calls in evidence.by_instance().items():
        write = _newest(evidence, calls)
        lives = [life for life in evidence.who.of(instance) if life.renewed]
        if write is None or not lives:
            continue
        budget = evidence.rules[lives[-1].home].coming_back(lives[-1].interval)
        due = _due(evidence, write, lives[-1], budget)
        was_judged = True
        for node in evidence.taken:
            judged, late, violation = _at_node(evidence, node, write, lives[-1], due, budget)
            was_judged = was_judged and judged > 0
            longest = max(longest, late)
            violations += [violation] if violation else []
        if write.was_contested and was_judged:
            contested.add(instance)
            budgets.append(budget)
    return conclude(
        WORDING,
        violations,
        doubt=evidence.open_ends()
        or ("" if contested else "No node held an older T and was watched until it was due.")
        or late_too(longest, max(budgets, key=lambda one: one.seconds, default=None)),
        kept=(
            f"Every node held the newest of the registrations of "
            f"{counted(len(contested), 'instance')} {longest:.1f} s after the nodes could know it "
            "at the latest."
        ),
        figures=Figures(
            judged=f"{counted(len(contested), 'contested instance')}",
            budget=max(budgets, key=lambda one: one.seconds, default=None),
            measured=longest,
        ),
    )


def _newest(evidence: Evidence, calls: Sequence[Operation]) -> _Write | None:
    """Return the newest registration; None where an unanswered one may be newer."""
    writes = [call for call in calls if call.verb == "register" and call.dirty_ms is not None]
    done = [call for call in writes if call.ok]
    if not done:
        return None
    newest = max(done, key=lambda call: call.dirty_ms or 0)
    dirty_ms = newest.dirty_ms or 0
    if any(call.outcome == "unknown" and (call.dirty_ms or 0) > dirty_ms for call in writes):
        return None
    older = any(
        0 < reading.present[newest.instance].dirty_ms < dirty_ms
        for of_node in evidence.taken.values()
        for reading in of_node
        if newest.completed is not None
        and reading.began > newest.completed
        and newest.instance in reading.present
    )
    return _Write(newest, dirty_ms, older)


def _due(evidence: Evidence, write: _Write, life: Life, budget: Budget) -> float:
    """Return when every node must hold it: the last fault it met, or its own end, and a budget."""
    since = write.newest.completed or write.newest.invoked
    for span in sorted(evidence.spans, key=lambda span: span.began):
        if span.covers(since - budget.seconds, since + budget.seconds):
            since = max(since, span.ended)
    return max(since, life.since) + budget.seconds


def _at_node(
    evidence: Evidence, node: str, write: _Write, life: Life, due: float, budget: Budget
) -> tuple[int, float, Violation | None]:
    """
    Return how often the node had to hold it, how long it held an older one, and the violation.

    The time counts from the instant at which it could know.
    """
    name, judged, longest = write.newest.instance, 0, 0.0
    for reading in evidence.taken[node]:
        seen = reading.present.get(name)
        began_to_know = due - budget.seconds
        if seen is None or reading.began < began_to_know or reading.ended > life.until:
            continue
        if evidence.is_excused(node, write.newest.node, reading.began, budget.seconds):
            continue
        judged += reading.began > due
        if not 0 < seen.dirty_ms < write.dirty_ms:
            continue
        longest = max(longest, reading.began - began_to_know)
        if reading.began > due and evidence.is_sure(began_to_know, due, reading.began):
            return judged, longest, _violation(node, write, seen.dirty_ms, reading.began, due)
    return judged, longest, None


def _violation(node: str, write: _Write, held: int, at: float, due: float) -> Violation:
    newest = write.newest
    return Violation(
        node=node,
        instance=newest.instance,
        at=due,
        until=None,
        said=(
            f"{newest.instance} at {at:.1f} s: node {node} held T {held}, but node {newest.node} "
            f"had accepted T {write.dirty_ms} at {newest.completed or 0.0:.1f} s; every node had "
            f"to hold it by {due:.1f} s."
        ),
    )
