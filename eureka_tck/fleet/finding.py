"""
What a storm showed: sentences with a budget and a measured value, from counts alone.

Pure.
A generator that could not keep its own schedule says nothing about the registry: inconclusive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from eureka_tck.fleet.tally import Tally

Outcome = Literal["met", "broken", "inconclusive"]

# One send in a hundred late by more than 0.1 s would colour the p99 by the generator's own doing.
LATE_SHARE: Final = 0.01


@dataclass(frozen=True, slots=True)
class Finding:
    """One budget of the storm: what must hold, the bound, what was measured."""

    name: str
    sentence: str
    budget: str
    measured: str
    outcome: Outcome


def findings(
    tally: Tally,
    listed: AbstractSet[str] | None,
    left: AbstractSet[str] | None,
    *,
    slack: float,
) -> list[Finding]:
    """
    Judge one storm.

    `slack` are the seconds by which a renewal may be late before the registry may rightly have
    forgotten the instance: the lease's duration less the renewal interval.
    `listed` are the ids of the fleet that the registry listed at the end of the storm, `left` those
    it still had after the fleet had cancelled them all; None: could not be read.
    """
    starved = tally.missed > 0 or tally.worst_start_ms > slack * 1000
    wrong: Outcome = "inconclusive" if starved else "broken"
    return [
        _generator(tally),
        Finding(
            "every renewal acknowledged",
            "Every renewal that was sent is answered 200.",
            "0 refused, 0 unanswered",
            f"{tally.acknowledged:,} acknowledged, {tally.refused} refused, "
            f"{tally.unanswered} unanswered of {tally.sent:,} sent",
            _answered(tally, wrong),
        ),
        Finding(
            "whole fleet registered",
            "Every instance's registration is answered 204.",
            f"{tally.instances:,} registered",
            f"{tally.registered:,} registered",
            "met" if tally.registered == tally.instances else "broken",
        ),
        _listing(tally, listed, wrong),
        Finding(
            "nothing left",
            "Once every instance has cancelled, the registry lists none of them.",
            "0 left",
            "not readable" if left is None else f"{len(left)} left",
            "inconclusive" if left is None else "broken" if left else "met",
        ),
    ]


def _generator(tally: Tally) -> Finding:
    late = tally.late / tally.sent if tally.sent else 1.0
    kept = tally.missed == 0 and late <= LATE_SHARE
    return Finding(
        "generator on time",
        "The generator sends every renewal at its intended time; else the storm says nothing.",
        f"0 missed, at most {LATE_SHARE:.0%} sent more than 0.1 s late",
        f"{tally.missed} missed, {late:.1%} late, worst {tally.worst_start_ms:.0f} ms",
        "met" if kept else "inconclusive",
    )


def _answered(tally: Tally, wrong: Outcome) -> Outcome:
    """Return the outcome: a late renewal may be refused, but it has to be answered."""
    if not tally.sent:
        return "inconclusive"
    if tally.unanswered:
        return "broken"
    return wrong if tally.refused else "met"


def _listing(tally: Tally, listed: AbstractSet[str] | None, wrong: Outcome) -> Finding:
    name, sentence = (
        "no live instance lost",
        "At the storm's end the registry lists every instance.",
    )
    budget = f"{tally.instances:,} listed"
    if listed is None:
        return Finding(name, sentence, budget, "the list could not be read", "inconclusive")
    whole = len(listed) == tally.instances
    return Finding(name, sentence, budget, f"{len(listed):,} listed", "met" if whole else wrong)
