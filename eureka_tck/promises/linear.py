"""
Replication is linear: each renewal is counted once at each node, so that nothing echoes.

A registry that sends on what its peers sent it multiplies renewals: it hides dead fleets from
self-preservation, and drowns. Black box, this shows in the renewals that a node counts.
"""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Final

from eureka_tck.history.event import Counted
from eureka_tck.history.spans import lateness
from eureka_tck.promises.evidence import Evidence, Figures, Wording, conclude
from eureka_tck.promises.judgement import Budget, Violation
from eureka_tck.promises.rules import WINDOW
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka_tck.history.reader import History
    from eureka_tck.promises.judgement import Judgement

WORDING: Final = Wording(
    "replication_is_linear",
    "Each renewal that a client sends is counted once at each node, and no node sends on what its "
    "peers sent it.",
    ("REPL-01", "REPL-02", "CLUSTER-04"),
)

STRAY_RENEWALS: Final = 12
"""Renewals a minute of an instance that the run did not register: the nodes' own, every 5 s."""

SEEN_SHARE: Final = 0.5
"""The share of the true renewals below which a counter shows too little to speak of."""


def replication_is_linear(history: History) -> Judgement:
    """Judge the renewals of each complete minute that lay clear of every fault."""
    evidence = Evidence.of(history)
    sent = sorted(
        call.invoked
        for call in evidence.calls
        if call.verb == "renew" and (call.outcome != "refused" or call.status is not None)
    )
    found: list[Violation] = []
    judged, spoke, highest, budget = 0, False, 0.0, None
    for event in history.events:
        if not isinstance(event, Counted) or event.node not in evidence.rules:
            continue
        rules = evidence.rules[event.node]
        back = 2 * WINDOW + rules.propagation()
        if any(span.covers(event.at - back - rules.kept, event.at) for span in evidence.spans):
            continue
        strays = _strays(evidence, event)
        # what was late on its way is counted in a later minute than it was sent in
        late = lateness(history, event.at - back, event.at)
        length = WINDOW + 2 * rules.propagation() + late
        true = _most(sent, event.at - back - late, event.at, length)
        allowed = true + strays * STRAY_RENEWALS
        if not true:
            continue
        judged += 1
        spoke = spoke or event.renewals >= SEEN_SHARE * true
        if event.renewals / allowed >= highest:
            highest = event.renewals / allowed
            budget = Budget(
                seconds=float(allowed),
                formula=(
                    f"the renewals that clients sent in {WINDOW:g} + 2·"
                    f"{rules.propagation():g} s, and {STRAY_RENEWALS} a minute of each node's own"
                ),
            )
        if event.renewals > allowed:
            found.append(
                Violation(
                    node=event.node,
                    instance="",
                    at=event.at,
                    until=None,
                    said=(
                        f"Node {event.node} counted {event.renewals} renewals in a minute by "
                        f"{event.at:.1f} s; clients had sent {true} at most in any such time, to "
                        "all nodes together, and no fault had been on."
                    ),
                )
            )
    most = 0.0 if budget is None else highest * budget.seconds
    return conclude(
        WORDING,
        found,
        doubt=evidence.open_ends()
        or ("" if judged and spoke else "No counter was read of a minute clear of faults."),
        kept=(
            f"No node counted more than {most:.0f} renewals in a minute, and clients had sent "
            "as many."
        ),
        figures=Figures(
            judged=counted(judged, "reading of counters", "readings of counters"),
            budget=budget,
            measured=most,
            unit="renewals",
        ),
    )


def _most(sent: Sequence[float], began: float, ended: float, length: float) -> int:
    """Return the most renewals in any stretch of that length between the two instants."""
    inside = sent[bisect.bisect_left(sent, began) : bisect.bisect_right(sent, ended)]
    return max(
        (bisect.bisect_right(inside, at + length) - number for number, at in enumerate(inside)),
        default=0,
    )


def _strays(evidence: Evidence, event: Counted) -> int:
    """Return how many instances the node listed then that the run did not register."""
    reading = next((one for one in evidence.taken[event.node] if one.ended >= event.at), None)
    return len(reading.present.keys() - evidence.who.known) if reading else 0
