"""What every promise looks at, read once; and the reasons for which nothing can be said."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka_tck.history.operations import operations
from eureka_tck.history.samples import readings
from eureka_tck.history.spans import fault_spans, lost_time
from eureka_tck.promises.judgement import Judgement
from eureka_tck.promises.lives import lives
from eureka_tck.promises.rules import rules_of_nodes
from eureka_tck.promises.words import at_nodes, capital

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from eureka_tck.history.operations import Operation
    from eureka_tck.history.reader import History
    from eureka_tck.history.samples import Sample
    from eureka_tck.history.spans import FaultSpan
    from eureka_tck.promises.judgement import Budget, Finding, Violation
    from eureka_tck.promises.lives import Lives
    from eureka_tck.promises.rules import Rules


@dataclass(frozen=True, slots=True)
class Evidence:
    """The views of a history that promises are written in."""

    history: History
    taken: Mapping[str, Sequence[Sample]]
    spans: Sequence[FaultSpan]
    calls: Sequence[Operation]
    who: Lives
    rules: Mapping[str, Rules]

    @classmethod
    def of(cls, history: History) -> Evidence:
        """Read the views."""
        return cls(
            history=history,
            taken=readings(history),
            spans=fault_spans(history),
            calls=operations(history),
            who=lives(history),
            rules=rules_of_nodes(history.header),
        )

    @property
    def end(self) -> float:
        """The instant at which a node was read last."""
        return max((of_node[-1].ended for of_node in self.taken.values() if of_node), default=0.0)

    def of_instance(self, instance: str) -> list[Operation]:
        """Return the calls about one instance in the order in which they began."""
        return [call for call in self.calls if call.instance == instance]

    def by_instance(self) -> dict[str, list[Operation]]:
        """Return the calls about each instance in the order in which they began."""
        found: dict[str, list[Operation]] = {}
        for call in self.calls:
            if call.instance:
                found.setdefault(call.instance, []).append(call)
        return found

    def is_excused(self, node: str, home: str, at: float, grace: float) -> bool:
        """Whether a fault keeps the node from what the home knows, or ended less than so ago."""
        return any(
            (node in span.nodes or span.keeps_apart(node, home)) and span.covers(at - grace, at)
            for span in self.spans
        )

    def is_sure(self, since: float, due: float, seen: float) -> bool:
        """Whether what began at `since` was over its due by more than this machine was late."""
        return seen - due > lost_time(self.history, since, seen)

    def open_ends(self) -> str:
        """Return why the run as a whole is no evidence, if it is none."""
        if not self.history.is_complete:
            why = self.history.why_broken_off or "its history has no end"
            return f"The run was broken off: {why}."
        blind = [node for node, of_node in self.taken.items() if not of_node]
        if blind:
            return f"No sample of {at_nodes(blind)} could be read."
        for span in self.spans:
            if span.bit is None:
                return f"{capital(span.said)}: but this was never seen to bite."
            if not math.isfinite(span.ended):
                return f"{capital(span.said)}: but this was never healed."
        return ""


@dataclass(frozen=True, slots=True)
class Wording:
    """The fixed words of a promise: its name, its sentence, and the rows of the catalogue."""

    name: str
    statement: str
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What was judged, with which budget, and the worst that was measured: see `Judgement`."""

    judged: str
    budget: Budget | None
    measured: float | None
    unit: str = "s"
    notes: tuple[str, ...] = ()


def conclude(
    wording: Wording, violations: Iterable[Violation], *, doubt: str, kept: str, figures: Figures
) -> Judgement:
    """
    Return the judgement: broken by any violation, else inconclusive by any doubt, else kept.

    A promise is broken by one thing for certain, and kept only if all was there to judge it by.
    """
    found = tuple(sorted(violations, key=lambda one: (one.at, one.node, one.instance)))
    finding: Finding = "broken" if found else "inconclusive" if doubt else "kept"
    return Judgement(
        promise=wording.name,
        statement=wording.statement,
        rows=wording.rows,
        finding=finding,
        said=_said(found) if found else doubt or kept,
        judged=figures.judged,
        budget=figures.budget,
        measured=figures.measured,
        unit=figures.unit,
        violations=found,
        notes=figures.notes,
    )


def late_too(longest: float, budget: Budget | None) -> str:
    """Return the doubt about a time over its budget that this machine's own lateness explains."""
    if budget is None or longest <= budget.seconds:
        return ""
    return (
        f"The longest took {longest:.1f} s, over the budget of {budget.seconds:g} s, but this "
        "machine was late itself by as much."
    )


def _said(found: Sequence[Violation]) -> str:
    rest = len(found) - 1
    more = f" {rest} more violation{'s follow' if rest > 1 else ' follows'}." if rest else ""
    return found[0].said + more
