"""
Protection begins and ends when it must: by what a node's own page says, and by who renews.

Four things are owed: that the page agrees with itself (PRESERVE-04), that nothing is evicted while
it says so (PRESERVE-05), that protection is there in time when a fault takes too many renewals away
(PRESERVE-13), and that it ends when enough of those that are registered renew again (PRESERVE-06).
"""

from __future__ import annotations

import bisect
import math
from typing import TYPE_CHECKING, Final

from eureka_tck.history.event import Counted
from eureka_tck.history.spans import lateness
from eureka_tck.promises.evidence import Evidence, Figures, Wording, conclude
from eureka_tck.promises.judgement import Budget, Violation
from eureka_tck.promises.preservation import protection
from eureka_tck.promises.rules import BATCHING, SLACK, WINDOW
from eureka_tck.promises.share import losses
from eureka_tck.promises.words import listed
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka_tck.history.reader import History
    from eureka_tck.promises.judgement import Judgement

WORDING: Final = Wording(
    "protection_follows_renewals",
    "A node protects itself if and only if its renewals are at or below the threshold: in time "
    "after a fault took them away, and no longer than two windows after they are back. Meanwhile "
    "it evicts nothing.",
    ("PRESERVE-04", "PRESERVE-05", "PRESERVE-06", "PRESERVE-10", "PRESERVE-13"),
)

PACE: Final = 1.0
"""s between two windows of which the one with the fewest renewals is looked for."""


def protection_follows_renewals(history: History) -> Judgement:
    """Judge the counters of every node that shows them."""
    evidence = Evidence.of(history)
    found: list[Violation] = []
    began = False
    number = 0
    for node, rules in evidence.rules.items():
        told = [
            event
            for event in history.events
            if isinstance(event, Counted) and event.node == node and rules.self_preservation
        ]
        number += len(told)
        began = began or _begins(told)
        found += [
            *_inconsistent(told),
            *_evicting(evidence, node, told),
            *_late(evidence, node, told),
            *_endless(evidence, node, told),
        ]
    return conclude(
        WORDING,
        found,
        doubt=evidence.open_ends() or _doubt(number, began=began),
        kept=(
            f"In {counted(number, 'reading')} every node protected itself just while its renewals "
            "were at or below its threshold, and it was seen to begin."
        ),
        figures=Figures(
            judged=counted(number, "reading of counters", "readings of counters"),
            budget=Budget(
                seconds=2 * WINDOW + SLACK,
                formula=f"2 windows + {SLACK:g} = 2·{WINDOW:g} + {SLACK:g} s",
            ),
            measured=0.0,
        ),
    )


def _begins(told: Sequence[Counted]) -> bool:
    """Whether the node let leases expire and protected itself after that, as it does at first."""
    opened = next((one.at for one in told if one.expiration_enabled), math.inf)
    return any(one.at > opened and not one.expiration_enabled for one in told)


def _doubt(number: int, *, began: bool) -> str:
    if not number:
        return "No counters could be read of a node with self-preservation."
    return "" if began else "No node was seen to let leases expire and then to protect itself."


def _inconsistent(told: Sequence[Counted]) -> list[Violation]:
    """
    Return the first reading that contradicts itself while its figures stood still.

    A page is made while figures move: a contradiction counts if the readings before and after it
    have the same figures.
    """
    for before, now, after in zip(told, told[1:], told[2:], strict=False):
        figures = {(one.renewals, one.threshold) for one in (before, now, after)}
        should = now.threshold > 0 and now.renewals > now.threshold
        if len(figures) == 1 and now.expiration_enabled != should:
            state = "let leases expire" if now.expiration_enabled else "protected itself"
            return [
                Violation(
                    node=now.node,
                    instance="",
                    at=now.at,
                    until=None,
                    said=(
                        f"Node {now.node} {state} at {now.at:.1f} s with {now.renewals} renewals "
                        f"in the last minute and a threshold of {now.threshold}."
                    ),
                )
            ]
    return []


def _late(evidence: Evidence, node: str, told: Sequence[Counted]) -> list[Violation]:
    """Return where a fault took so many renewals that protection was due, and it was not there."""
    found: list[Violation] = []
    for span in evidence.spans:
        alive = [life for life in evidence.who.at(span.began) if life.renewed]
        owed = protection(node, span, alive, evidence.rules[node])
        if not owed.is_owed or node in span.nodes or not span.stops_all:
            continue
        late = lateness(evidence.history, span.began, span.healing)
        due = span.began + owed.latest_start + SLACK + late
        wrong = next(
            (one for one in told if due < one.at < span.healing and one.expiration_enabled), None
        )
        if wrong is not None:
            found.append(
                Violation(
                    node=node,
                    instance="",
                    at=due,
                    until=None,
                    said=(
                        f"Node {node} let leases expire at {wrong.at:.1f} s, though {span.said} "
                        f"from {span.began:.1f} s on left it {owed.rest:g} of {owed.full:g} "
                        f"renewals a minute, the threshold is {owed.threshold}, and protection "
                        f"had to be there by {due:.1f} s."
                    ),
                )
            )
    return found


def _evicting(evidence: Evidence, node: str, told: Sequence[Counted]) -> list[Violation]:
    """Return the first loss between readings that all say that the node protects itself."""
    for loss in losses(evidence):
        if loss.node != node:
            continue
        inside = [one for one in told if loss.since - SLACK <= one.at <= loss.at + SLACK]
        before = [one for one in told if one.at < loss.since - SLACK]
        after = [one for one in told if one.at > loss.at + SLACK]
        around = [*before[-1:], *inside, *after[:1]]
        if before and after and not any(one.expiration_enabled for one in around):
            return [
                Violation(
                    node=node,
                    instance=loss.gone[0],
                    at=loss.at,
                    until=None,
                    said=(
                        f"Node {node} lost {listed(loss.gone)} by {loss.at:.1f} s, though it "
                        f"protected itself from {around[0].at:.1f} to {around[-1].at:.1f} s "
                        f"({around[0].renewals} renewals, threshold {around[0].threshold}), and "
                        "nobody had cancelled them."
                    ),
                )
            ]
    return []


def _endless(evidence: Evidence, node: str, told: Sequence[Counted]) -> list[Violation]:
    """Return where a node still protected itself though enough had renewed for two windows."""
    rules = evidence.rules[node]
    for now in told:
        since = now.at - 2 * WINDOW - SLACK
        if now.expiration_enabled or since < 0:
            continue
        steady = [
            life
            for life in evidence.who.lives
            if life.renewed
            and life.since + life.interval <= since
            # alive is not enough: one that fell silent lives until its lease is out
            and life.renewed[-1] >= now.at - life.interval - SLACK
        ]
        grace = max((rules.coming_back(life.interval).seconds for life in steady), default=0.0)
        if any(span.covers(since - grace, now.at) for span in evidence.spans):
            continue
        renewals = _fewest(evidence, since, now.at)
        shown = [
            len(reading.present)
            for reading in evidence.taken[node]
            if since - rules.cache <= reading.ended and reading.began <= now.at
        ]
        # what a default-open count of 1 adds to the clients is one more
        threshold = rules.threshold(max(shown, default=0) + 1)
        if shown and renewals > threshold:
            return [
                Violation(
                    node=node,
                    instance="",
                    at=now.at,
                    until=None,
                    said=(
                        f"Node {node} still protected itself at {now.at:.1f} s ({now.renewals} "
                        f"renewals, threshold {now.threshold}), though {len(steady)} instances had "
                        f"renewed on schedule for two windows, at least {renewals} renewals a "
                        f"minute, and the threshold for {max(shown)} instances is {threshold}."
                    ),
                )
            ]
    return []


def _fewest(evidence: Evidence, since: float, until: float) -> int:
    """Return the fewest renewals that must have reached every node in any such window."""
    sent = sorted(call.invoked for call in evidence.calls if call.verb == "renew" and call.ok)
    late = lateness(evidence.history, since, until)
    length = WINDOW - 2 * BATCHING - late  # what is sent later may be counted in the next window
    fewest, at = len(sent), since
    while at + WINDOW <= until:
        fewest = min(fewest, bisect.bisect_left(sent, at + length) - bisect.bisect_left(sent, at))
        at += PACE
    return max(0, fewest)
