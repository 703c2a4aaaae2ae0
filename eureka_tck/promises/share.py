"""No eviction run takes more than its share: 15 % of the registry, with Spring's settings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from eureka_tck.history.spans import lateness
from eureka_tck.promises.departure import departures
from eureka_tck.promises.evidence import Evidence, Figures, Wording, conclude
from eureka_tck.promises.judgement import Budget, Violation
from eureka_tck.promises.rules import LEASE_FACTOR
from eureka_tck.promises.words import listed
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.history.reader import History
    from eureka_tck.history.samples import Sample
    from eureka_tck.promises.judgement import Judgement

WORDING: Final = Wording(
    "no_run_evicts_too_many",
    "However many leases have run out, one eviction run takes no more than its share of the "
    "registry, so that a mass of false deaths is slow enough to be noticed.",
    ("EVICT-02", "PRESERVE-07"),
)


@dataclass(frozen=True, slots=True)
class Loss:
    """
    What a node lost between two readings to eviction, and how much it could lose at most.

    It was lost between `since`, the age of a list reckoned in, and `at`.
    """

    node: str
    since: float
    at: float
    gone: tuple[str, ...]
    size: int
    runs: int
    allowed: int


def no_run_evicts_too_many(history: History) -> Judgement:
    """Judge every pair of readings by the runs that can have been between them."""
    evidence = Evidence.of(history)
    found = losses(evidence)
    biggest = max(found, key=lambda loss: len(loss.gone) / loss.allowed, default=None)
    return conclude(
        WORDING,
        [_violation(loss) for loss in found if len(loss.gone) > loss.allowed],
        doubt=evidence.open_ends() or _doubt(evidence, found),
        kept=(
            f"At most {len(biggest.gone)} of {biggest.size} instances went between two readings "
            f"(node {biggest.node}, by {biggest.at:.1f} s), of {biggest.allowed} that may."
            if biggest
            else ""
        ),
        figures=Figures(
            judged=counted(sum(len(loss.gone) for loss in found), "eviction"),
            budget=Budget(
                seconds=float(biggest.allowed),
                formula=(
                    "size − int(size × renewalPercentThreshold), "
                    f"{counted(biggest.runs, 'eviction run')}"
                ),
            )
            if biggest
            else None,
            measured=float(len(biggest.gone)) if biggest else 0.0,
            unit="instances",
        ),
    )


def losses(evidence: Evidence) -> list[Loss]:
    """Return what each node lost between two readings, but for cancellations and lost memory."""
    left = _cancelled(evidence)
    found: list[Loss] = []
    for node, of_node in evidence.taken.items():
        for before, after in pairwise(of_node):
            if any(
                node in span.nodes and span.covers(before.began, after.ended)
                for span in evidence.spans
            ):
                continue
            gone = tuple(
                name
                for name in sorted(before.present.keys() - after.present.keys())
                if not any(at <= after.ended for at in left.get(name, ()))
            )
            if gone:
                found.append(_loss(evidence, node, before, after, gone))
    return found


def _cancelled(evidence: Evidence) -> dict[str, list[float]]:
    """Return when each instance was cancelled: what goes after that may have been cancelled."""
    found: dict[str, list[float]] = {}
    for call in evidence.calls:
        if call.verb == "cancel":
            found.setdefault(call.instance, []).append(call.invoked)
    return found


def _loss(
    evidence: Evidence, node: str, before: Sample, after: Sample, gone: tuple[str, ...]
) -> Loss:
    rules = evidence.rules[node]
    late = lateness(evidence.history, before.began, after.ended, sampled=False)
    gap = after.ended - before.began + rules.cache + late
    runs = int(gap // rules.eviction_interval) + 1
    size = len(before.present.keys() | after.present.keys())
    allowed, rest = 0, size
    for _ in range(runs):
        allowed += rules.may_evict(rest)
        rest = size - allowed
    since = before.began - rules.cache
    return Loss(node, since, after.ended, gone, size, runs, max(1, allowed))


def _doubt(evidence: Evidence, found: list[Loss]) -> str:
    if not found:
        return "Nothing was evicted in this run."
    out = {one.instance: one.last_sent + LEASE_FACTOR * one.lease for one in departures(evidence)}
    if any(_overdue(loss, found, out) > loss.allowed for loss in found):
        return ""
    return "No node ever had more leases to evict than one run may take, so the limit never bit."


def _overdue(loss: Loss, found: list[Loss], out: Mapping[str, float]) -> int:
    """Return how many leases were out at the node when it lost some: those and who waited."""
    waiting = {
        name
        for later in found
        if later.node == loss.node and later.at > loss.at
        for name in later.gone
        if out.get(name, math.inf) <= loss.since
    }
    return len(waiting | set(loss.gone))


def _violation(loss: Loss) -> Violation:
    return Violation(
        node=loss.node,
        instance=loss.gone[0],
        at=loss.at,
        until=None,
        said=(
            f"Node {loss.node} lost {len(loss.gone)} of {loss.size} instances between two readings "
            f"by {loss.at:.1f} s ({listed(loss.gone)}); {counted(loss.runs, 'eviction run')} may "
            f"have been between them, which may take {loss.allowed}."
        ),
    )
