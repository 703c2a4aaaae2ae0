"""
Peers converge: once all links are up, every node tells of a live instance what its home tells.

Instances that died or were cancelled are not compared: leases run out at each node by itself, and
a cancellation that was lost is another promise's affair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.history.samples import readings
from eureka_tck.history.spans import fault_spans, lost_time
from eureka_tck.promises.judgement import Finding, Judgement, Violation
from eureka_tck.promises.lag import Lag, calms, differs_during, lag_in
from eureka_tck.promises.lives import lives
from eureka_tck.promises.rules import rules_of_nodes
from eureka_tck.promises.words import at_nodes, capital, listed
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eureka_tck.history.event import Seen
    from eureka_tck.history.reader import History
    from eureka_tck.history.samples import Sample
    from eureka_tck.history.spans import FaultSpan
    from eureka_tck.promises.lives import Lives

NAME: Final = "peers_converge"
STATEMENT: Final = (
    "Once all links are up, every node soon tells of each live instance what its home node tells: "
    "that it is there, its status, its override, its T and its metadata."
)
ROWS: Final = ("CLUSTER-02", "CLUSTER-07", "SYNC-05", "REPL-07")


@dataclass(frozen=True, slots=True)
class _Case:
    """
    All that the judgement rests on.

    `diverged` are the instances and nodes that were seen to differ while a fault was on, or after.
    """

    history: History
    taken: Mapping[str, Sequence[Sample]]
    spans: Sequence[FaultSpan]
    who: Lives
    lags: Sequence[Lag]
    diverged: frozenset[tuple[str, str]]

    @property
    def after(self) -> list[Lag]:
        """The lags after a fault."""
        return [lag for lag in self.lags if lag.calm.after is not None]

    @property
    def made_up(self) -> list[Lag]:
        """The lags after a fault of those that had something to make up."""
        return [lag for lag in self.after if (lag.life.instance, lag.node) in self.diverged]

    @property
    def slowest(self) -> Lag | None:
        """The one of those that took longest, or of all where none had anything to make up."""
        return max(self.made_up or self.after, key=lambda lag: lag.seconds, default=None)


def peers_converge(history: History) -> Judgement:
    """Judge that every node agreed with the home nodes within the budget after each heal."""
    case = _case(history)
    finding, said, over = _finding(case)
    slowest = case.slowest
    strays = _strays(case.taken, case.who.known)
    return Judgement(
        promise=NAME,
        statement=STATEMENT,
        rows=ROWS,
        finding=finding,
        said=said,
        judged=(
            f"{counted(len({lag.life.instance for lag in case.after}), 'live instance')} on "
            f"{counted(len(case.taken), 'node')} after the last heal, "
            f"{counted(len(case.diverged), 'difference')} to make up"
        ),
        budget=max((lag.budget for lag in case.after), key=lambda one: one.seconds, default=None),
        measured=None if slowest is None or slowest.agreed is None else slowest.seconds,
        violations=tuple(map(_violation, sorted(over, key=lambda lag: (lag.due, lag.node)))),
        notes=strays,
    )


def _case(history: History) -> _Case:
    taken, spans, who = readings(history), fault_spans(history), lives(history)
    rules = rules_of_nodes(history.header)
    renewing = [life for life in who.lives if life.renewed]
    pairs = [(life, node) for life in renewing for node in taken if node != life.home]
    end = max((of_node[-1].ended for of_node in taken.values() if of_node), default=0.0)
    lags = [
        lag
        for calm in calms(spans, end)
        for life, node in pairs
        if (lag := lag_in(life, node, calm, taken, rules[node]))
    ]
    diverged = frozenset(
        (life.instance, node)
        for span in spans
        for life, node in pairs
        if differs_during(span, life, node, taken)
    ) | frozenset(
        (lag.life.instance, lag.node)
        for lag in lags
        if lag.calm.after is not None and lag.wrong is not None
    )
    return _Case(history, taken, spans, who, lags, diverged)


def _finding(case: _Case) -> tuple[Finding, str, list[Lag]]:
    over = [lag for lag in case.lags if lag.certainly > lag.budget.seconds]
    sure = [lag for lag in over if lag.certainly > lag.budget.seconds + _lateness(case, lag)]
    if sure:
        return "broken", _broken(sure), sure
    doubt = (
        _broken_off(case) or _untested(case) or _late(case, over) or _unwatched(case) or _moot(case)
    )
    return ("inconclusive", doubt, []) if doubt else ("kept", _kept(case), [])


def _lateness(case: _Case, lag: Lag) -> float:
    return lost_time(case.history, lag.due, lag.due + max(lag.certainly, lag.budget.seconds))


def _broken_off(case: _Case) -> str:
    if case.history.is_complete:
        return ""
    why = case.history.why_broken_off or "its history has no end"
    return f"The run was broken off: {why}."


def _untested(case: _Case) -> str:
    """Return why there was nothing to make up, if there was nothing."""
    blind = [node for node, of_node in case.taken.items() if not of_node]
    if blind:
        return f"No sample of {at_nodes(blind)} could be read."
    if not case.spans:
        return "Nothing was broken in this run, so there was nothing to make up."
    for span in case.spans:
        if span.bit is None:
            return f"{capital(span.said)}: but this was never seen to bite."
        if not math.isfinite(span.ended):
            return f"{capital(span.said)}: but this was never healed."
    if not case.diverged:
        return "The nodes never differed while a fault was on, so there was nothing to make up."
    return ""


def _late(case: _Case, over: Sequence[Lag]) -> str:
    if not over:
        return ""
    lag = max(over, key=lambda one: one.certainly - one.budget.seconds)
    return (
        f"{lag.life.instance} took {lag.certainly:.1f} s at node {lag.node}, over the budget of "
        f"{lag.budget.seconds:g} s; but this machine was {_lateness(case, lag):.1f} s late then."
    )


def _unwatched(case: _Case) -> str:
    """Return who was not watched long enough after the last heal, if anybody."""
    if not case.after:
        return "No node was read after the last heal."
    last = max(span.ended for span in case.spans)
    compared = {(lag.life.instance, lag.node) for lag in case.after}
    for life in case.who.at(last):
        if not life.renewed:
            continue
        missed = [n for n in case.taken if n != life.home and (life.instance, n) not in compared]
        if missed:
            return f"{life.instance} could not be compared at {at_nodes(missed)} after the heal."
    open_ones = [lag for lag in case.after if not lag.is_settled]
    if not open_ones:
        return ""
    lag = open_ones[0]
    return (
        f"{lag.life.instance} still differed at node {lag.node} when it was seen last, "
        f"{lag.seconds:.1f} s after the heal; its budget is {lag.budget.seconds:g} s."
    )


def _moot(case: _Case) -> str:
    """Return why agreement says nothing, if all that had differed did not live to be compared."""
    if case.made_up:
        return ""
    return "All that the nodes had differed in was gone by the heal: there was nothing to make up."


def _kept(case: _Case) -> str:
    healed = max(span.ended for span in case.spans)
    slowest = case.slowest
    if slowest is None:  # not reached: what was not watched is inconclusive
        return f"All nodes agreed after the heal at {healed:.1f} s."
    return (
        f"All nodes agreed {slowest.seconds:.1f} s after the heal at {healed:.1f} s at the latest "
        f"({slowest.life.instance} at node {slowest.node}); "
        f"{counted(len(case.diverged), 'difference')} had arisen meanwhile."
    )


def _broken(over: Sequence[Lag]) -> str:
    worst = max(over, key=lambda lag: lag.certainly)
    nodes = sorted({lag.node for lag in over})
    instances = {lag.life.instance for lag in over}
    return (
        f"{counted(len(instances), 'live instance')} at {at_nodes(nodes)} did not agree with "
        f"{'its' if len(instances) == 1 else 'their'} home in time. {_violation(worst).said}"
    )


def _violation(lag: Lag) -> Violation:
    since = (
        f"all links were up from {lag.calm.began:.1f} s on"
        if lag.calm.after is not None
        else f"no fault was on yet, and it was registered by {lag.life.since:.1f} s"
    )
    end = (
        f"they had not agreed when last seen, at {lag.watched_until:.1f} s"
        if lag.agreed is None
        else f"they agreed at {lag.agreed:.1f} s"
    )
    asked = lag.wrong.began if lag.wrong else lag.due
    seen = lag.wrong.present.get(lag.life.instance) if lag.wrong else None
    return Violation(
        node=lag.node,
        instance=lag.life.instance,
        at=lag.due + lag.budget.seconds,
        until=lag.agreed,
        said=(
            f"{lag.life.instance} at {asked:.1f} s: node {lag.node} {_told(seen, lag.home_said)}, "
            f"its home {lag.life.home} {_told(lag.home_said, seen)}; {since}, the budget of "
            f"{lag.budget.seconds:g} s was over at {lag.due + lag.budget.seconds:.1f} s, and {end}."
        ),
    )


def _told(seen: Seen | None, other: Seen | None = None) -> str:
    """Return what a node told, as far as it differs from what the other one did."""
    if seen is None:
        return "did not know it"
    if other is None:
        return f"told status {seen.status}"
    parts = [
        f"status {seen.status}",
        f"override {seen.overridden}",
        f"T {seen.dirty_ms}",
        f"metadata {seen.data}",
    ]
    theirs = (other.status, other.overridden, other.dirty_ms, other.data)
    ours = (seen.status, seen.overridden, seen.dirty_ms, seen.data)
    parts = [part for part, one, two in zip(parts, ours, theirs, strict=True) if one != two]
    return "told " + ", ".join(parts)


def _strays(taken: Mapping[str, Sequence[Sample]], known: frozenset[str]) -> tuple[str, ...]:
    last = {node: of_node[-1].present.keys() - known for node, of_node in taken.items() if of_node}
    everywhere = frozenset.intersection(*map(frozenset, last.values())) if last else frozenset()
    return tuple(
        f"node {node} lists {listed(sorted(strays))}, which nobody here registered"
        for node, some in sorted(last.items())
        if (strays := frozenset(some) - everywhere)
    )
