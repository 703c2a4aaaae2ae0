"""A cancelled instance stays gone; where its cancellation was lost, its lease bounds the ghost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from eureka_tck.promises.departure import Leavings, departures, is_sure
from eureka_tck.promises.evidence import Evidence, Figures, Wording, conclude
from eureka_tck.promises.judgement import Violation
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from eureka_tck.history.reader import History
    from eureka_tck.promises.departure import Stay
    from eureka_tck.promises.judgement import Judgement

WORDING: Final = Wording(
    "cancelled_stays_gone",
    "What was cancelled is gone, at once where it was cancelled and soon at every peer; where a "
    "fault lost the cancellation, it is gone when its lease is out. It never comes back.",
    ("CANCEL-01", "REPL-06", "EVICT-02", "CLUSTER-01"),
)


def cancelled_stays_gone(history: History) -> Judgement:
    """Judge every acknowledged cancellation that no registration followed, at every node."""
    evidence = Evidence.of(history)
    leavings = Leavings.of(evidence)
    cancelled = [one for one in departures(evidence) if one.is_cancelled]
    stays = [
        stay for one in cancelled for node in evidence.taken if (stay := leavings.stay(one, node))
    ]
    over = [stay for stay in stays if stay.is_over]
    sure = [stay for stay in over if is_sure(evidence, stay)]
    worst = max(stays, key=lambda stay: stay.seconds, default=None)
    return conclude(
        WORDING,
        map(_violation, sure),
        doubt=evidence.open_ends() or _doubt(stays),
        kept=_kept(worst, len(cancelled)),
        figures=Figures(
            judged=f"{counted(len(cancelled), 'cancelled instance')}, "
            f"{counted(len(evidence.taken), 'node')}",
            budget=max((one.budget for one in stays), key=lambda one: one.seconds, default=None),
            measured=None if worst is None or worst.gone is None else worst.seconds,
        ),
    )


def _doubt(stays: list[Stay]) -> str:
    if not stays:
        return "Nothing was cancelled for good in this run."
    late = [stay for stay in stays if stay.is_over]
    if late:
        return (
            f"{late[0].departure.instance} went late from node {late[0].node}, but this machine "
            "was late itself by as much."
        )
    left = [stay for stay in stays if stay.is_open]
    if not left:
        return ""
    stay = left[0]
    when = (
        "and it need not go while the node protects itself"
        if math.isinf(stay.due)
        else f"and it is due to go by {stay.due:.1f} s"
    )
    return (
        f"{stay.departure.instance} was still shown by node {stay.node} when it was read last, "
        f"at {stay.watched_until:.1f} s, {when}."
    )


def _kept(worst: Stay | None, number: int) -> str:
    if worst is None:
        return ""
    return (
        f"All {counted(number, 'cancelled instance')} went and stayed gone, the last "
        f"{worst.seconds:.1f} s after its cancellation ({worst.departure.instance} at node "
        f"{worst.node})."
    )


def _violation(stay: Stay) -> Violation:
    one, asked = stay.departure, stay.shown.began if stay.shown else stay.due
    return Violation(
        node=stay.node,
        instance=one.instance,
        at=stay.due,
        until=stay.gone,
        said=(
            f"{one.instance} was cancelled at node {one.home}, acknowledged at {one.at:.1f} s, and "
            f"node {stay.node} still showed it when asked at {asked:.1f} s; it had to be gone by "
            f"{stay.due:.1f} s ({stay.budget.formula}). "
            + ("It never went." if stay.gone is None else f"It was gone at {stay.gone:.1f} s.")
        ),
    )
