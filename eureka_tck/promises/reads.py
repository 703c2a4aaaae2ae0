"""Reads are always answered, but by a node that a fault has put out of action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.history.event import READS
from eureka_tck.history.samples import samples
from eureka_tck.history.spans import lateness
from eureka_tck.promises.evidence import Evidence, Figures, Wording, conclude
from eureka_tck.promises.judgement import Budget, Violation
from eureka_tck.promises.rules import SLACK
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from eureka_tck.history.reader import History
    from eureka_tck.promises.judgement import Judgement

WORDING: Final = Wording(
    "reads_are_answered",
    "A node that runs and can be reached answers every read, however its peers and the links "
    "between them fare.",
    ("REPL-10", "PRESERVE-05", "REGION-02"),
)

LATE: Final = 1.0
"""s of our own lateness from which a read without an answer says nothing of the node."""


@dataclass(frozen=True, slots=True)
class _Read:
    """One read that got no answer; `said` is how it ended."""

    node: str
    began: float
    ended: float
    said: str


def reads_are_answered(history: History) -> Judgement:
    """Judge every read of a node that was neither broken nor out of reach."""
    evidence = Evidence.of(history)
    failed, number, meanwhile = _reads(history, evidence)
    blamed = [one for one in failed if not _is_excused(evidence, one)]
    sure = [one for one in blamed if lateness(history, one.began, one.ended) < LATE]
    return conclude(
        WORDING,
        [_violation(one) for one in sure],
        doubt=evidence.open_ends() or _doubt(blamed, meanwhile),
        kept=(
            f"All {counted(number - len(failed), 'read')} of nodes that ran and could be reached "
            f"were answered, {meanwhile:,} of them while a fault was on."
        ),
        figures=Figures(
            judged=counted(number, "read"),
            budget=Budget(seconds=0.0, formula="no read without an answer"),
            measured=float(len(sure)),
            unit="reads",
            notes=_excused(len(failed) - len(blamed)),
        ),
    )


def _excused(number: int) -> tuple[str, ...]:
    return (f"{counted(number, 'read')} of nodes out of action had no answer",) if number else ()


def _reads(history: History, evidence: Evidence) -> tuple[list[_Read], int, int]:
    """Return the reads without an answer, how many ended, and how many answers during faults."""
    failed: list[_Read] = []
    number = meanwhile = 0
    for of_node in samples(history).values():
        for sample in of_node:
            number += 1
            if sample.error:
                failed.append(_Read(sample.node, sample.began, sample.ended, sample.error))
            else:
                meanwhile += _is_meanwhile(evidence, sample.began, sample.ended)
    for call in evidence.calls:
        if call.verb not in READS or call.completed is None:
            continue
        number += 1
        if call.ok:
            meanwhile += _is_meanwhile(evidence, call.invoked, call.completed)
        else:
            why = call.error or f"the status is {call.status}"
            failed.append(_Read(call.node, call.invoked, call.completed, why))
    return failed, number, meanwhile


def _is_meanwhile(evidence: Evidence, began: float, ended: float) -> bool:
    return any(span.covers(began, ended) for span in evidence.spans)


def _is_excused(evidence: Evidence, one: _Read) -> bool:
    return any(
        (one.node in span.nodes or f"client>{one.node}" in span.links)
        and span.covers(one.began - SLACK, one.ended)
        for span in evidence.spans
    )


def _doubt(blamed: list[_Read], meanwhile: int) -> str:
    if blamed:
        one = blamed[0]
        return (
            f"A read of node {one.node} at {one.began:.1f} s had no answer ({one.said}), but this "
            "machine was late itself then."
        )
    return "" if meanwhile else "No node answered a read while a fault was on."


def _violation(one: _Read) -> Violation:
    return Violation(
        node=one.node,
        instance="",
        at=one.ended,
        until=None,
        said=(
            f"A read of node {one.node} at {one.began:.1f} s had no answer by {one.ended:.1f} s "
            f"({one.said}), though the node ran and could be reached."
        ),
    )
