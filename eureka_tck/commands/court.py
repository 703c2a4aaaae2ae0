"""
The court: judges the history in a run's folder, writes its report and page, tells the verdicts.

`chaos` calls it when the run is over, `rejudge` any time later; both say the same of one history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.commands.console import say
from eureka_tck.errors import CannotRun
from eureka_tck.history import read_history
from eureka_tck.history.event import FILE
from eureka_tck.promises import PROMISES, judge
from eureka_tck.promises.account import ChaosReport, account, save
from eureka_tck.promises.expectation import apply_deviations, deviations_of, notes_on
from eureka_tck.promises.howlong import table_of
from eureka_tck.promises.page import page_of
from eureka_tck.promises.picture import picture
from eureka_tck.report.run_page import Link, write_simple
from eureka_tck.suite import deviations_file

if TYPE_CHECKING:
    from pathlib import Path

SUITE: Final = "chaos"

VIOLATIONS_TOLD: Final = 4
"""Violations of a promise that the terminal shows; the page has more."""


def judge_run(
    folder: Path, *, seconds: float | None = None, into: Path | None = None
) -> ChaosReport:
    """
    Judge the history in a run's folder by today's promises and known deviations.

    Report and page go into that folder, or into another one below it.
    """
    history = read_history(folder)
    header = history.header
    gone = [name for name in header.promises if name not in PROMISES]
    if gone:
        raise CannotRun(
            f"{folder / FILE}: there is no promise {gone[0]!r} any more.",
            f"The promises are: {', '.join(PROMISES)}.",
        )
    deviations = deviations_of(header.target, deviations_file)
    judged = apply_deviations(judge(history, header.promises), deviations, header.scenario)
    report = account(history, judged, seconds)
    save(report, into or folder)
    links = _links(folder, "" if into is None else "../")
    write_simple(into or folder, page_of(report, links, picture(history, judged)))
    return report


def tell(report: ChaosReport, page: Path) -> None:
    """Print the verdicts of a run; `page` is where its page lies."""
    say("")
    for one in report.promises:
        judgement = one.judgement
        say(f"{one.verdict.upper():<16} {judgement.promise}")
        say(f"  {judgement.said}")
        if judgement.budget is not None and judgement.measured is not None:
            say(
                f"  measured {judgement.measured:.1f} {judgement.unit}, "
                f"budget {judgement.budget.seconds:g} {judgement.unit} "
                f"({judgement.budget.formula}); {judgement.judged}"
            )
        for violation in judgement.violations[1:VIOLATIONS_TOLD]:
            say(f"  {violation.said}")
        for note in notes_on(one):
            say(f"  {note}")
    say("")
    for line in table_of(report.how_long):
        say(f"  {line}")
    say("")
    say(f"{report.headline} (exit code {report.exit_code}).")
    say(f"Report       {page}")


def _links(folder: Path, up: str) -> list[Link]:
    logs = sorted(folder.glob("nodes/*/*/node.log"))
    return [
        Link(f"{up}{FILE}"),
        Link("report.json"),
        *(Link(f"{up}{log.relative_to(folder)}", f"log of node {log.parent.name}") for log in logs),
    ]
