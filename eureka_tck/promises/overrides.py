"""
Overrides survive: the status that an operator set last is what every node tells.

Not judged is what only one node knew when it lost its memory: an order that it could not pass on,
because a fault lay between it and its peers from the call to its end, is lost with it for certain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.promises.evidence import Evidence, Figures, Wording, conclude, late_too
from eureka_tck.promises.judgement import Budget, Violation
from eureka_tck.promises.rules import BATCHING, RETRY, SLACK
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka_tck.history.event import Seen
    from eureka_tck.history.operations import Operation
    from eureka_tck.history.reader import History
    from eureka_tck.promises.judgement import Judgement
    from eureka_tck.promises.rules import Rules

WORDING: Final = Wording(
    "overrides_survive",
    "The override that was set last, or its removal, is what every node tells two renewals after "
    "the last fault, whatever was cut, killed or registered anew meanwhile.",
    ("STATUS-02", "CLUSTER-09", "CLUSTER-10", "PEER-05"),
)

NONE: Final = "UNKNOWN"
"""The override of an instance that has none."""


@dataclass(frozen=True, slots=True)
class _Order:
    """One acknowledged status call, in force from its end to the next one's begin."""

    call: Operation
    since: float
    until: float
    interval: float

    @property
    def override(self) -> str:
        """What every node has to tell."""
        return self.call.value if self.call.verb == "status" else NONE


@dataclass(frozen=True, slots=True)
class _Outcome:
    """How a node followed an order: the worst time it was wrong after it could know it."""

    longest: float
    judged: int
    violation: Violation | None


def overrides_survive(history: History) -> Judgement:
    """Judge every status call that was in force for long enough, at every node."""
    evidence = Evidence.of(history)
    orders = _orders(evidence)
    followed = [
        (order, _follow(evidence, order, node)) for order in orders for node in evidence.taken
    ]
    judged = [(order, outcome) for order, outcome in followed if outcome.judged]
    budgets = [_budget(evidence.rules[order.call.node], order) for order, _ in judged]
    longest = max((outcome.longest for _, outcome in judged), default=0.0)
    names = {order.call.instance for order, _ in judged}
    return conclude(
        WORDING,
        [outcome.violation for _, outcome in judged if outcome.violation],
        doubt=evidence.open_ends()
        or ("" if judged else "No override was set or removed and then watched for long enough.")
        or late_too(longest, max(budgets, key=lambda one: one.seconds, default=None)),
        kept=(
            f"Every node told the override that was set last of {counted(len(names), 'instance')}, "
            f"{longest:.1f} s after it could know it at the latest."
        ),
        figures=Figures(
            judged=f"{counted(len(names), 'instance')}, {counted(len(orders), 'status call')}",
            budget=max(budgets, key=lambda one: one.seconds, default=None),
            measured=longest,
        ),
    )


def _budget(rules: Rules, order: _Order) -> Budget:
    seconds = 2 * order.interval + 2 * BATCHING + rules.peer_timeout + RETRY + rules.cache + SLACK
    return Budget(
        seconds=seconds,
        formula=(
            f"2·R + 2·{BATCHING:g} + peer time-out + {RETRY:g} + U + {SLACK:g} = "
            f"{2 * order.interval:g} + {2 * BATCHING:g} + {rules.peer_timeout:g} + {RETRY:g} + "
            f"{rules.cache:g} + {SLACK:g} s"
        ),
    )


def _orders(evidence: Evidence) -> list[_Order]:
    found: list[_Order] = []
    for instance, calls in evidence.by_instance().items():
        lives = evidence.who.of(instance)
        status = [call for call in calls if call.verb in {"status", "remove-status"}]
        for number, call in enumerate(status):
            life = next((one for one in lives if one.since <= call.invoked <= one.until), None)
            if not call.ok or call.completed is None or life is None:
                continue
            if _is_doubtful(status, number):
                continue
            if _is_lost(evidence, call.node, call.completed):
                continue
            after = status[number + 1].invoked if number + 1 < len(status) else math.inf
            found.append(_Order(call, call.completed, min(after, life.until), life.interval))
    return found


def _is_lost(evidence: Evidence, node: str, since: float) -> bool:
    """Whether the node lost its memory before it had the time to tell all its peers."""
    needs = evidence.rules[node].catching_up().seconds
    for death in evidence.spans:
        if node not in death.forgets or death.began < since:
            continue
        free_since = max(
            (
                min(span.ended, death.began)
                for span in evidence.spans
                if span is not death
                and (span.nodes or any(link.startswith(f"{node}>") for link in span.links))
                and span.covers(since, death.began)
            ),
            default=since,
        )
        if death.began - max(free_since, since) < needs:
            return True
    return False


def _is_doubtful(status: Sequence[Operation], number: int) -> bool:
    """Whether another status call so near, or one without an answer, may have come after it."""
    call = status[number]
    return any(
        other.outcome == "unknown" or abs(other.invoked - call.invoked) < 4 * BATCHING
        for other in status[: number + 1]
        if other is not call
    )


def _follow(evidence: Evidence, order: _Order, node: str) -> _Outcome:
    call, budget = order.call, _budget(evidence.rules[node], order)
    longest, judged = 0.0, 0
    for reading in evidence.taken[node]:
        if reading.began < order.since or reading.ended > order.until:
            continue
        seen = reading.present.get(call.instance)
        if seen is None:
            continue  # that it is missing is another promise's affair
        known = _could_know(evidence, order, node, reading.began)
        is_due = reading.began > known + budget.seconds
        judged += is_due
        if _is_told(seen, order):
            continue
        longest = max(longest, reading.began - known)
        if is_due and evidence.is_sure(known, known + budget.seconds, reading.began):
            return _Outcome(longest, judged, _violation(order, node, seen, reading.began, budget))
    return _Outcome(longest, judged, None)


def _could_know(evidence: Evidence, order: _Order, node: str, at: float) -> float:
    """Return from when on nothing kept the node from the order, as seen at an instant."""
    since = order.since
    for span in evidence.spans:
        touches = node in span.nodes or span.keeps_apart(node, order.call.node)
        if touches and span.began <= at and span.ended > since:
            since = max(since, span.ended)
    return since


def _is_told(seen: Seen, order: _Order) -> bool:
    if order.call.verb == "status":
        return seen.status == order.override
    return seen.overridden == NONE


def _violation(order: _Order, node: str, seen: Seen, at: float, budget: Budget) -> Violation:
    call = order.call
    what = f"set to {call.value}" if call.verb == "status" else "freed of its override"
    return Violation(
        node=node,
        instance=call.instance,
        at=at,
        until=None,
        said=(
            f"{call.instance} was {what} at node {call.node}, acknowledged at {order.since:.1f} s, "
            f"and node {node} told status {seen.status}, override {seen.overridden} at "
            f"{at:.1f} s; nothing had kept it from knowing for {budget.seconds:g} s "
            f"({budget.formula})."
        ),
    )
