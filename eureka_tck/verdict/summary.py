"""What a gate prints: its plan before it runs, its verdicts when it has."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

from eureka_tck.report.figures import counted
from eureka_tck.report.sentence import totals_table, worded
from eureka_tck.verdict.judgement import is_unmet
from eureka_tck.verdict.message import failure_message, one_line
from eureka_tck.verdict.trial import facts_of
from eureka_tck.verdict.wording import figure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eureka_tck.report.model import JudgedTest, Report, RowVerdict, Verdict
    from eureka_tck.verdict.catalogue import Catalogue
    from eureka_tck.verdict.order import Order
    from eureka_tck.verdict.plan import Plan

WIDTH: Final = 100

NAMED: Final = 5
"""So many rows the last line names: it is what stands in a log that was cut."""

SHOWN: Final[tuple[Verdict, ...]] = (
    "not applicable",
    "known deviation",
    "inconclusive",
    "unexpected pass",
)
"""Verdicts that take one line, those that ask least for attention first; failures come last."""


def planned(plan: Plan, *, each_test: bool = False) -> str:
    """Return what will run and how long it will take; with `each_test` every test of it."""
    order, profiles = plan.order, plan.forecast.profiles
    tests, many = counted(len(plan.wanted), "test"), counted(len(profiles), "profile")
    about = f"about {plan.forecast.seconds:.0f} s; seed {order.seed}"
    lines = [f"Judging {order.target} ({order.backend}) by {tests} of {many}, {about}."]
    if each_test:
        for name in sorted(profiles, key=lambda name: -profiles[name]):
            speed = figure(float(plan.speeds[name]))
            lines.append(f"\n{name}  about {profiles[name]:.0f} s at speed {speed}")
            lines += [
                f"  {', '.join(claim.requirements) or 'by a model':<14} {claim.seconds:>6.0f} s  "
                f"{claim.test}"
                for claim in plan.wanted
                if claim.profile == name
            ]
        lines.append("\nSeconds of tests are registry seconds; a profile shares its waits.")
    return "\n".join(lines)


def summary(report: Report, catalogue: Catalogue, order: Order, page: Path) -> str:
    """Return the whole text."""
    return "\n".join(_lines(worded(report), catalogue, order, page))


def _lines(report: Report, catalogue: Catalogue, order: Order, page: Path) -> Iterator[str]:
    for verdict in SHOWN:
        rows = [row for row in report.rows if row.verdict == verdict]
        yield from _block(verdict, [row for row in rows if not row.is_unbuilt], verdict)
        yield from _block("not built yet", [row for row in rows if row.is_unbuilt], verdict)
    failed = [row for row in report.rows if row.verdict == "failed"]
    observed = [row for row in failed if row.level == "REF"]
    yield from _block("other than in the reference, observed only", observed, "failed")
    yield from _failures([row for row in failed if row.level != "REF"], catalogue, order)
    for problem in report.problems:
        yield f"problem: {problem}"
    yield totals_table(report.totals)
    yield ""
    yield from textwrap.wrap(f"{report.verdict_word}. {report.verdict_sentence}", WIDTH)
    for line in report.rest_sentence.splitlines():
        yield from textwrap.wrap(line, WIDTH)
    yield ""
    yield f"Report  {page}"
    yield f"Exit    {report.exit_code}: {meaning(report)}"


def _block(title: str, rows: list[RowVerdict], verdict: Verdict) -> Iterator[str]:
    if rows:
        yield f"{title} ({len(rows)})"
        for row in rows:
            yield from _row_lines(row, verdict)
        yield ""


def _failures(rows: list[RowVerdict], catalogue: Catalogue, order: Order) -> Iterator[str]:
    if rows:
        yield f"failed ({len(rows)})"
    for row in rows:
        for test in row.tests:
            if test.verdict == "failed":
                yield textwrap.indent(_failure(test, catalogue, order), "  ")
                yield ""


def _row_lines(row: RowVerdict, verdict: Verdict) -> Iterator[str]:
    seen: set[str] = set()
    for test in row.tests:
        if test.verdict == verdict and test.sentence not in seen:
            seen.add(test.sentence)
            yield f"  {row.id:<12} {row.level:<6}  {one_line(test.sentence)}"


def _failure(test: JudgedTest, catalogue: Catalogue, order: Order) -> str:
    rows = [catalogue[row] for row in test.result.requirements]
    text = failure_message(test.result, rows, facts_of(order, test.result.speed))
    if test.expectation is not None:
        listed = " or ".join(map(repr, test.expectation.wrong_answers))
        text += f"\n  {'Expectation':<13}{test.expectation.kind}: {listed}"
    return text


def meaning(report: Report) -> str:
    """Say why the exit code is what it is."""
    levels = {"MUST", "SHOULD"} if report.strict else {"MUST"}
    failed = [row.id for row in report.rows if row.verdict == "failed" and row.level in levels]
    unmet = [
        row.id for row in report.rows if row.level != "REF" for test in row.tests if is_unmet(test)
    ]
    inconclusive = [row.id for row in report.rows if row.verdict == "inconclusive"]
    reasons = []
    if failed:
        kind = "row" if report.strict else "MUST row"
        reasons.append(f"{counted(len(failed), kind)} failed{_named(failed)}")
    if unmet or report.problems:
        count = len(unmet) + len(report.problems)
        reasons.append(f"{counted(count, 'expectation')} not met{_named(unmet)}")
    if not reasons and inconclusive:
        reasons.append(f"{counted(len(inconclusive), 'row')} inconclusive{_named(inconclusive)}")
    return " and ".join(reasons) or "all that was judged is kept, or known"


def _named(rows: list[str]) -> str:
    """Return the rows' names in brackets, the first few of many."""
    different = list(dict.fromkeys(rows))
    more = ", …" if len(different) > NAMED else ""
    return f" ({', '.join(different[:NAMED])}{more})" if rows else ""
