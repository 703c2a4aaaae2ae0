"""
No divergence without cause: where no fault kept a node from an instance's home, they agree.

Judged for each pair of an instance and a node from the registration on, until the first fault that
keeps the two apart. Changes of one instance less than two batching delays apart may be reordered
on the way (REPL-16 judges that), so that such a pair is left out from then on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from eureka_tck.history.spans import starved
from eureka_tck.promises.evidence import Evidence, Figures, Wording, conclude, late_too
from eureka_tck.promises.judgement import Violation
from eureka_tck.promises.lag import home_says
from eureka_tck.promises.rules import BATCHING, LEASE_FACTOR
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from eureka_tck.history.reader import History
    from eureka_tck.promises.judgement import Budget, Judgement
    from eureka_tck.promises.lives import Life

WORDING: Final = Wording(
    "no_divergence_without_cause",
    "As long as no fault keeps a node from an instance's home, the node tells of it what the home "
    "tells, one batching delay after each change.",
    ("CLUSTER-01", "CLUSTER-02", "REPL-01"),
)

HURRY: Final = 4 * BATCHING
"""s between two changes of one instance, below which their order on the way is not judged here:
two batching delays, twice over since an end of a call is known only to the answer's delay."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """An instance at a node: how long the node was wrong at worst after a change, for certain."""

    life: Life
    node: str
    compared: int
    longest: float
    budget: Budget
    violation: Violation | None


def no_divergence_without_cause(history: History) -> Judgement:
    """Judge that nodes that nothing kept apart agreed about every live instance."""
    evidence = Evidence.of(history)
    followed = [
        _follow(evidence, life, node)
        for life in evidence.who.lives
        if life.renewed
        for node in evidence.taken
        if node != life.home
    ]
    pairs = [pair for pair in followed if pair.compared]
    worst = max(pairs, key=lambda pair: pair.longest, default=None)
    longest = 0.0 if worst is None else worst.longest
    said = f"Nodes that nothing kept apart agreed {longest:.1f} s after each change at the latest."
    return conclude(
        WORDING,
        [pair.violation for pair in pairs if pair.violation],
        doubt=evidence.open_ends()
        or ("" if pairs else "No instance was compared between two nodes when they had to agree.")
        or late_too(longest, worst.budget if worst else None),
        kept=said,
        figures=Figures(
            judged=(
                f"{counted(len({pair.life.instance for pair in pairs}), 'live instance')}, "
                f"{counted(sum(pair.compared for pair in pairs), 'comparison')}"
            ),
            budget=max((pair.budget for pair in pairs), key=lambda one: one.seconds, default=None),
            measured=longest,
        ),
    )


def _follow(evidence: Evidence, life: Life, node: str) -> _Pair:
    budget = evidence.rules[node].arriving()
    until = _judged_until(evidence, life, node)
    calm_since = _calm_since(evidence, life, node)
    compared, longest, right, right_at = 0, 0.0, None, -math.inf
    violation: Violation | None = None
    for reading in evidence.taken[node]:
        if reading.began < calm_since or reading.ended > until:
            continue
        truth = home_says(life, reading, evidence.taken[life.home])
        if truth is None:
            continue
        since = life.last_change(reading.ended)
        wrong_for = reading.began - since
        compared += wrong_for > budget.seconds
        if reading.present.get(life.instance) == truth:
            right, right_at = truth, reading.began
            continue
        longest = max(longest, wrong_for)
        # What it told once and tells no more did not come late: what was before explains nothing.
        late_from = max(since, right_at) if right == truth else since
        is_sure = evidence.is_sure(late_from, since + budget.seconds, reading.began) and not (
            life.instance not in reading.present
            and starved(evidence.history, LEASE_FACTOR * life.lease, life.interval, reading.began)
        )
        if wrong_for > budget.seconds and is_sure and violation is None:
            violation = Violation(
                node=node,
                instance=life.instance,
                at=since + budget.seconds,
                until=None,
                said=(
                    f"{life.instance} at {reading.began:.1f} s: node {node} did not tell what its "
                    f"home {life.home} told, {wrong_for:.1f} s after its last change at "
                    f"{since:.1f} s, and no fault had kept the two apart; the budget is "
                    f"{budget.seconds:g} s."
                ),
            )
    return _Pair(life, node, compared, longest, budget, violation)


def _calm_since(evidence: Evidence, life: Life, node: str) -> float:
    """Return its registration, or the instant at which a fault before it must be over and done."""
    back = evidence.rules[node].coming_back(life.interval).seconds
    ends = (
        span.ended + back
        for span in evidence.spans
        if (span.keeps_apart(node, life.home) or node in span.nodes) and span.ended <= life.since
    )
    return max([life.since, *ends])


def _judged_until(evidence: Evidence, life: Life, node: str) -> float:
    """
    Return the first fault between the two, or the first changes too close to each other.

    A change that nobody acknowledged may come at any time, before the next one or after it.
    """
    faults = (
        span.began
        for span in evidence.spans
        if (span.keeps_apart(node, life.home) or node in span.nodes) and span.ended > life.since
    )
    changes = sorted(one.ended for one in life.changes if one.is_sure)
    hurried = (before for before, after in pairwise(changes) if after - before < HURRY)
    unsure = (one.began for one in life.changes if not one.is_sure)
    return min([life.until, *faults, *hurried, *unsure])
