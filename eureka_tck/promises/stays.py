"""
Judges how long nodes went on showing what had ended: what cancellations and deaths have in common.

Which departures are owed an end, and in which words that is said, is the promise's affair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka_tck.promises.departure import Leavings, is_sure
from eureka_tck.promises.evidence import Evidence, Figures, Wording, conclude
from eureka_tck.promises.judgement import Violation
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eureka_tck.promises.departure import Departure, Stay
    from eureka_tck.promises.judgement import Judgement


@dataclass(frozen=True, slots=True)
class Words:
    """
    What is said of one kind of end.

    `noun` is an instance that ended so, `none` why nothing could be judged, `kept` and `since` are
    parts of the sentence of a promise that was kept, `ended` tells how one departure came about.
    """

    noun: str
    none: str
    kept: str
    since: str
    ended: Callable[[Departure], str]


def judge_stays(
    evidence: Evidence, wording: Wording, words: Words, ones: Sequence[Departure], *, always: bool
) -> Judgement:
    """
    Judge each departure at every node.

    Where a node need not let an instance go, as it protects itself, `always` leaves the promise
    open while it is shown; else nothing is judged there.
    """
    leavings = Leavings.of(evidence)
    stays = [stay for one in ones for node in evidence.taken if (stay := leavings.stay(one, node))]
    judged = [stay for stay in stays if always or math.isfinite(stay.due)]
    sure = [stay for stay in judged if stay.is_over and is_sure(evidence, stay)]
    worst = max(judged, key=lambda stay: stay.seconds, default=None)
    held = sum(math.isinf(stay.due) and stay.gone is None for stay in stays if not always)
    return conclude(
        wording,
        [_violation(stay, words) for stay in sure],
        doubt=evidence.open_ends() or _doubt(judged, words),
        kept=_kept(judged, worst, words),
        figures=Figures(
            judged=f"{counted(len(ones), words.noun)}, {counted(len(evidence.taken), 'node')}",
            budget=max((one.budget for one in judged), key=lambda one: one.seconds, default=None),
            measured=None if worst is None or worst.gone is None else worst.seconds,
            notes=(f"{held} still shown by nodes that protected themselves",) if held else (),
        ),
    )


def _doubt(stays: Sequence[Stay], words: Words) -> str:
    if not stays:
        return words.none
    late = next((stay for stay in stays if stay.is_over), None)
    if late is not None:
        return (
            f"{late.departure.instance} went late from node {late.node}, but this machine was late "
            "itself by as much."
        )
    left = next((stay for stay in stays if stay.is_open), None)
    if left is None:
        return ""
    when = (
        "and it need not go while the node protects itself"
        if math.isinf(left.due)
        else f"and it is due to go by {left.due:.1f} s"
    )
    return (
        f"{left.departure.instance} was still shown by node {left.node} when it was read last, "
        f"at {left.watched_until:.1f} s, {when}."
    )


def _kept(stays: Sequence[Stay], worst: Stay | None, words: Words) -> str:
    if worst is None:
        return ""
    number = len({stay.departure.instance for stay in stays})
    return (
        f"All {counted(number, words.noun)} {words.kept}, the last {worst.seconds:.1f} s after "
        f"{words.since} ({worst.departure.instance} at node {worst.node})."
    )


def _violation(stay: Stay, words: Words) -> Violation:
    asked = stay.shown.began if stay.shown else stay.due
    return Violation(
        node=stay.node,
        instance=stay.departure.instance,
        at=stay.due,
        until=stay.gone,
        said=(
            f"{words.ended(stay.departure)}, and node {stay.node} still showed it when asked at "
            f"{asked:.1f} s; it had to be gone by {stay.due:.1f} s ({stay.budget.formula}). "
            + ("It never went." if stay.gone is None else f"It was gone at {stay.gone:.1f} s.")
        ),
    )
