"""A dead instance, one that fell silent without a word, is gone when its lease is out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from eureka_tck.promises.departure import Leavings, departures, is_over, is_sure
from eureka_tck.promises.evidence import Evidence, Figures, Wording, conclude
from eureka_tck.promises.judgement import Violation
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from eureka_tck.history.reader import History
    from eureka_tck.promises.departure import Stay
    from eureka_tck.promises.judgement import Judgement

WORDING: Final = Wording(
    "dead_instances_go",
    "An instance that nobody renews any more is gone from every node when its lease is out and so "
    "many eviction runs have been that it must have had its turn, while leases expire.",
    ("LEASE-01", "LEASE-02", "EVICT-02", "PRESERVE-06"),
)


def dead_instances_go(history: History) -> Judgement:
    """Judge every instance whose lease ran out before the run ended, at every node."""
    evidence = Evidence.of(history)
    leavings = Leavings.of(evidence)
    dead = [
        one for one in departures(evidence) if not one.is_cancelled and is_over(one, evidence.end)
    ]
    stays = [stay for one in dead for node in evidence.taken if (stay := leavings.stay(one, node))]
    over = [stay for stay in stays if stay.is_over]
    sure = [stay for stay in over if is_sure(evidence, stay)]
    bound = [stay for stay in stays if not math.isinf(stay.due)]
    worst = max(bound, key=lambda stay: stay.seconds, default=None)
    protected = sum(math.isinf(stay.due) and stay.gone is None for stay in stays)
    return conclude(
        WORDING,
        map(_violation, sure),
        doubt=evidence.open_ends() or _doubt(bound),
        kept=_kept(worst, len({stay.departure.instance for stay in bound})),
        figures=Figures(
            judged=f"{counted(len(dead), 'dead instance')}, {counted(len(evidence.taken), 'node')}",
            budget=max((one.budget for one in bound), key=lambda one: one.seconds, default=None),
            measured=None if worst is None or worst.gone is None else worst.seconds,
            notes=(f"{protected} still shown by nodes that protected themselves",)
            if protected
            else (),
        ),
    )


def _doubt(bound: list[Stay]) -> str:
    if not bound:
        return "No instance fell silent while leases expired for long enough."
    late = [stay for stay in bound if stay.is_over]
    if late:
        return (
            f"{late[0].departure.instance} went late from node {late[0].node}, but this machine "
            "was late itself by as much."
        )
    left = [stay for stay in bound if stay.is_open]
    if not left:
        return ""
    return (
        f"{left[0].departure.instance} was still shown by node {left[0].node} when it was read "
        f"last, at {left[0].watched_until:.1f} s; it is due to go by {left[0].due:.1f} s."
    )


def _kept(worst: Stay | None, number: int) -> str:
    if worst is None:
        return ""
    return (
        f"All {counted(number, 'dead instance')} went, the last {worst.seconds:.1f} s after its "
        f"last call ({worst.departure.instance} at node {worst.node})."
    )


def _violation(stay: Stay) -> Violation:
    one, asked = stay.departure, stay.shown.began if stay.shown else stay.due
    return Violation(
        node=stay.node,
        instance=one.instance,
        at=stay.due,
        until=stay.gone,
        said=(
            f"{one.instance} was heard of last at {one.last_sent:.1f} s, and node {stay.node} "
            f"still showed it when asked at {asked:.1f} s; it had to be gone by {stay.due:.1f} s "
            f"({stay.budget.formula}). "
            + ("It never went." if stay.gone is None else f"It was gone at {stay.gone:.1f} s.")
        ),
    )
