"""
A client's copy equals the registry's: what it tells callers is what its registry told lately.

We read full lists, and clients read deltas. Each is renewed by itself in the response cache, and an
eviction may come in between: a client may know for the cache's age what our list does not yet tell.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.history.copies import copies
from eureka_tck.history.event import READS
from eureka_tck.history.spans import lateness
from eureka_tck.promises.evidence import Evidence, Figures, Wording, conclude
from eureka_tck.promises.judgement import Budget, Violation
from eureka_tck.promises.rules import SLACK
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka_tck.history.copies import Copy
    from eureka_tck.history.reader import History
    from eureka_tck.history.samples import Sample
    from eureka_tck.promises.judgement import Judgement

WORDING: Final = Wording(
    "client_copies_follow",
    "What a client holds after a read, by full lists or by deltas, is what its registry told at "
    "that time, response cache included; and it reads as often as it is set to.",
    ("DELTA-01", "DELTA-05", "CACHE-01", "CACHE-07"),
)


@dataclass(frozen=True, slots=True)
class _Wrong:
    """An instance of which a client told what its registry had not told for `seconds`."""

    copy: Copy
    instance: str
    told: str | None
    true: str | None
    seconds: float


def client_copies_follow(history: History) -> Judgement:
    """Judge every copy by what its registry told within the cache's age of its read."""
    evidence = Evidence.of(history)
    found: list[_Wrong] = []
    checked = changes = 0
    worst = 0.0
    for of_client in copies(history).values():
        held: Copy | None = None
        for copy in of_client:
            has_changed = held is not None and held.present != copy.present
            held = copy
            compared = _compare(evidence, copy) if _is_judged(evidence, copy) else None
            if compared is None:
                continue
            wrong, age = compared
            checked += 1
            changes += has_changed
            worst = max(worst, age)
            found += wrong
    sure = [one for one in found if lateness(history, one.copy.read_at - 5, one.copy.at) < SLACK]
    allowed = max((rules.cache for rules in evidence.rules.values()), default=0.0) + SLACK
    return conclude(
        WORDING,
        [_violation(one, allowed) for one in sure],
        doubt=evidence.open_ends() or _doubt(checked, changes, found),
        kept=f"{counted(checked, 'copy', 'copies')} told what the registry told; "
        f"the oldest value was {worst:.1f} s old when it was read.",
        figures=Figures(
            judged=f"{counted(checked, 'copy', 'copies')}, {counted(changes, 'change')}",
            budget=Budget(seconds=allowed, formula=f"U + {SLACK:g} s, before the read or after it"),
            measured=worst,
        ),
    )


def _is_judged(evidence: Evidence, copy: Copy) -> bool:
    """Whether the registry was read before and after, and no fault was between it and us."""
    return copy.node in evidence.taken and not any(
        (copy.node in span.nodes or f"client>{copy.node}" in span.links)
        and span.covers(copy.read_at - SLACK, copy.at)
        for span in evidence.spans
    )


def _compare(evidence: Evidence, copy: Copy) -> tuple[list[_Wrong], float] | None:
    """Return what was wrong and how old the rest was; None where nobody read the registry then."""
    of_node = evidence.taken[copy.node]
    cache = evidence.rules[copy.node].cache
    window = _around(of_node, copy.read_at - cache - SLACK, copy.read_at + SLACK)
    if window is None:
        return None
    later = _around(of_node, copy.read_at + SLACK, copy.read_at + cache + SLACK)
    wrong: list[_Wrong] = []
    oldest = 0.0
    names = set(copy.present).union(*(reading.present for reading in window))
    for name in sorted(names - _changing(evidence, window)):
        told = copy.present.get(name)
        matching = [reading for reading in window if _status(reading, name) == told]
        if matching:
            oldest = max(oldest, copy.read_at - matching[-1].ended)
        elif later is not None and all(_status(reading, name) != told for reading in later):
            wrong.append(_Wrong(copy, name, told, _status(window[-1], name), cache + SLACK))
    return wrong, max(0.0, oldest)


def _status(reading: Sample, name: str) -> str | None:
    seen = reading.present.get(name)
    return seen.status if seen else None


def _changing(evidence: Evidence, window: Sequence[Sample]) -> set[str]:
    """Return what was being changed meanwhile: it may have been anything between two readings."""
    began, ended = window[0].began, window[-1].ended
    return {
        call.instance
        for call in evidence.calls
        if call.verb not in {"renew", *READS}
        and call.invoked <= ended
        and (call.completed is None or call.completed >= began)
    }


def _around(of_node: Sequence[Sample], began: float, ended: float) -> Sequence[Sample] | None:
    """
    Return the readings from the last one wholly before `began` to the first one after `ended`.

    One that was under way may tell of any instant of its own.
    """
    first = bisect.bisect_right(of_node, began, key=lambda one: one.ended) - 1
    last = bisect.bisect_left(of_node, ended, key=lambda one: one.began)
    return None if first < 0 or last >= len(of_node) else of_node[first : last + 1]


def _doubt(checked: int, changes: int, found: list[_Wrong]) -> str:
    if not checked:
        return "No client kept a copy that could be compared."
    if not changes:
        return "No copy that could be compared had changed, so nothing shows that it follows."
    return "A copy differed, but this machine was late itself then." if found else ""


def _violation(one: _Wrong, allowed: float) -> Violation:
    return Violation(
        node=one.copy.node,
        instance=one.instance,
        at=one.copy.read_at,
        until=None,
        said=(
            f"{one.copy.client} held {one.instance} as {one.told or 'absent'} after its read of "
            f"node {one.copy.node} at {one.copy.read_at:.1f} s, but the node told "
            f"{one.true or 'absent'} and nothing else from {allowed:g} s before that to as long "
            "after it."
        ),
    )
