"""
A failure in words: what pytest, the terminal and the log show of a test that did not pass.

    EVICT-02: one run evicted 5 of 20 instances; it must be 3.
      Requirement  One run evicts at most size − int(size × …) of the leases present.  [MUST]
      Source       AbstractInstanceRegistry.evict, eureka-core 2.0.6
      Given        20 instances registered, none renewed; self-preservation off
      Expected     3 (20 − int(20 × 0.85))
      Actual       5
      Timeline     t=0 20 instances registered · t=5.02 the first run
      Exchange     GET http://127.0.7.11:8761/eureka/apps/delta -> 200
      Curl         curl …
      Target       python (process), speed 10, seed 7
      Re-run       eureka-tck gate --target python --seed 7 --select "EVICT-02[20-3]"

The first line is a whole sentence: summaries show only that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.verdict.wording import figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from eureka_tck.report.model import Moment, TestResult
    from eureka_tck.verdict.catalogue import Requirement

LABEL: Final = 13
"""Characters of the column of labels."""

LOG_LINES: Final = 12
"""Lines of a node's log that a message shows; the run's folder has it whole."""

MOMENTS: Final = 12
"""Entries of a timeline that a message shows, the last ones."""


def headline(result: TestResult) -> str:
    """Return the first line: the rows and the sentence."""
    return f"{', '.join(result.requirements) or result.id}: {one_line(result.sentence)}"


def failure_message(
    result: TestResult, rows: Sequence[Requirement], facts: str, *, indent: str = "  "
) -> str:
    """
    Return the whole text.

    Args:
        result: what the test found.
        rows: the rows it judges.
        facts: the target in words: "python (process), speed 10, seed 7".
        indent: what stands before every line but the first.
    """
    lines = [headline(result)]
    lines += [f"{indent}{label:<{LABEL}}{text}" for label, text in _fields(result, rows, facts)]
    answered = result.exchanges and result.exchanges[-1].error is None
    # What a registry that did answer wrote into its log stays in the report.
    logs = {} if answered and result.outcome == "failed" else result.logs
    for node, log in logs.items():
        lines.append(f"{indent}{f'Log of {node}':<{LABEL}}the last lines")
        lines += [f"{indent}  | {line}" for line in log.splitlines()[-LOG_LINES:]]
    if result.script:
        lines.append(f"{indent}{'Script':<{LABEL}}all of it, as shell lines")
        lines += [f"{indent}  {line}" for line in result.script.splitlines()]
    if result.traceback:
        lines.append(f"{indent}Traceback of the harness")
        lines += [f"{indent}  | {line}" for line in result.traceback.splitlines()]
    return "\n".join(lines)


def _fields(
    result: TestResult, rows: Iterable[Requirement], facts: str
) -> Iterator[tuple[str, str]]:
    for row in rows:
        yield "Requirement", f"{row.text}  [{row.level}]"
        if row.source:
            yield "Source", row.source
    told = {
        "Given": result.given,
        "Expected": one_line(result.expected),
        "Actual": one_line(result.actual),
        "Timeline": timeline_text(result.timeline),
    }
    if result.exchanges:
        last = result.exchanges[-1]
        told["Exchange"] = f"{last.method} {last.url} -> {last.error or last.status}"
        told["Curl"] = last.curl
    if result.lateness is not None and result.outcome == "inconclusive":
        told["Lateness"] = f"{figure(result.lateness, 's')} of the harness at worst"
    told["Target"] = facts
    told["Re-run"] = result.rerun
    yield from ((label, text) for label, text in told.items() if text)


def timeline_text(moments: Sequence[Moment]) -> str:
    """Return a timeline in one line; the beginning is left out where it is long."""
    shown = [
        moment.text if moment.at is None else f"t={figure(round(moment.at, 2))} {moment.text}"
        for moment in moments[-MOMENTS:]
    ]
    left_out = len(moments) - len(shown)
    return " · ".join([f"({left_out} before)", *shown] if left_out else shown)


def one_line(text: str) -> str:
    """Return the text without line breaks, so that a summary keeps to its line."""
    return " ".join(text.split())
