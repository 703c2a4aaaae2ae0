"""
`eureka-tck compare`: two runs beside each other, or two registries asked the same.

Of runs it reads the stored reports and starts nothing. With `--live` it starts one node of each
target and plays the same drawn sequences of calls on both.
"""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eureka_tck.backends import NAMES as BACKENDS
from eureka_tck.clock import utc_stamp
from eureka_tck.commands.console import natural, quoted, say
from eureka_tck.errors import CannotRun
from eureka_tck.report import load_comparison, load_report, store
from eureka_tck.report.compare import (
    ComparisonPage,
    Entry,
    Part,
    ShownSide,
    text_of,
    write_page,
)
from eureka_tck.report.difference import compare
from eureka_tck.report.figures import counted
from eureka_tck.report.run_page import FILE, Fact, write_simple

if TYPE_CHECKING:
    from eureka_tck.report.difference import Comparison, RowDifference, Side, TestDifference
    from eureka_tck.report.model import Report, Verdict

EXAMPLES_DRAWN: Final = 200
NAMED: Final = 8
"""Rows that a sentence names one by one."""

EXAMPLES: Final = """\
Two runs: for each requirement that they judge differently, what both say, and the exchange that
shows it. Stamps, ids and durations are no difference.

Two storms: runs of `eureka-tck load`; their figures side by side, with what was run otherwise.

Two registries (--live): sequences of registrations, renewals, cancellations, status and metadata
calls and reads are drawn and sent to both. Where they answer differently, a plain model of the
catalogue says who is wrong, and by which requirement; what stands among the target's known
deviations is marked as known.

examples:
  eureka-tck compare reports/runs/A reports/runs/B       two runs of `eureka-tck gate`
  eureka-tck compare reports/runs/A reports/latest       an earlier run and the last one
  eureka-tck compare reports/runs/A reports/runs/B       two runs of `eureka-tck load`
  eureka-tck compare --live python java:5.0.3            the same sequences on both
  eureka-tck compare --live --seed 7 --examples 1000 python java:4.3.0

exit codes:
  0  nothing differs; with --live: nothing that is not known; of storms: no budget's verdict
  1  something differs
  3  it could not be compared
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "compare",
        help="two runs beside each other, or two registries asked the same",
        description="What differs between two runs, or between two registries asked the same.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "first", metavar="A", help="the folder of a run of gate or load; with --live a target"
    )
    parser.add_argument("second", metavar="B", help="the other one")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("reports"),
        metavar="DIR",
        help="where the page goes (default: reports)",
    )
    group = parser.add_argument_group("two registries")
    group.add_argument(
        "--live", action="store_true", help="A and B are targets: start both and ask them the same"
    )
    group.add_argument("--seed", type=natural, metavar="N", help="repeats all that is drawn")
    group.add_argument(
        "--examples",
        type=natural,
        default=EXAMPLES_DRAWN,
        metavar="N",
        help=f"sequences that are drawn (default: {EXAMPLES_DRAWN})",
    )
    group.add_argument("--backend", default="process", choices=BACKENDS, help="where the nodes run")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compare, print, write the page, and return the exit code."""
    if not arguments.live and any(load_report.is_load(Path(one)) for one in _both(arguments)):
        return _storms(arguments)
    if arguments.live:
        from eureka_tck.commands.live import compared  # noqa: PLC0415 - it starts registries

        seed = secrets.randbelow(2**31) if arguments.seed is None else arguments.seed
        page, file = compared(arguments, seed)
    else:
        page = _page(arguments)
        file = arguments.out / "compare" / utc_stamp() / FILE
    say(text_of(page))
    say(f"\nPage    {write_page(page, file)}")
    say(f"Exit    {page.exit_code}")
    return page.exit_code


def _both(arguments: argparse.Namespace) -> tuple[str, str]:
    return arguments.first, arguments.second


def _storms(arguments: argparse.Namespace) -> int:
    """Compare two runs of `eureka-tck load`."""
    first, second = (load_report.load(Path(one)) for one in _both(arguments))
    page = load_comparison.comparison_page(first, second, quoted(arguments.argv))
    say(load_comparison.text(first, second))
    folder = arguments.out / "compare" / utc_stamp()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotRun(
            f"{folder} cannot be made: {error.strerror}.", "Give another folder with --out."
        ) from error
    say(f"\nPage    {write_simple(folder, page)}")
    say(f"Exit    {page.exit_code}")
    return page.exit_code


def _page(arguments: argparse.Namespace) -> ComparisonPage:
    reports = tuple(_report(Path(one)) for one in _both(arguments))
    one, other = reports
    comparison = compare(one, other)
    whose = _names(one, other)
    differs = bool(comparison.differences)
    verdict: Verdict = "inconclusive" if differs else "passed"
    judged = comparison.same + len(comparison.differences)
    sentence = (
        f"{whose[0]} and {whose[1]} differ in {len(comparison.differences)} of the "
        f"{counted(judged, 'row')} that both judged."
        if differs
        else f"{whose[0]} and {whose[1]} say the same of the {counted(judged, 'row')} both judged."
    )
    return ComparisonPage(
        title=f"{whose[0]} beside {whose[1]}",
        verdict=verdict,
        word="Different" if differs else "The same",
        sentence=sentence,
        entries=[_entry(difference, whose) for difference in comparison.differences],
        rest=_rest(comparison, whose),
        facts=[
            Fact(who, f"{report.target}, {report.backend}", f"seed {report.seed}, {report.started}")
            for who, report in zip(("A", "B"), reports, strict=True)
        ],
        command=quoted(arguments.argv),
        exit_code=int(differs),
    )


def _report(folder: Path) -> Report:
    if not folder.exists():
        raise CannotRun(
            f"{folder} is not there.",
            "Give the folder of a run, such as reports/latest; with --live, A and B are targets.",
        )
    return store.load(folder)


def _names(one: Report, other: Report) -> tuple[str, str]:
    """Return what the two are called: by their targets, unless those are the same."""
    if one.target != other.target:
        return one.target, other.target
    return f"{one.target} (A)", f"{other.target} (B)"


def _entry(difference: RowDifference, whose: tuple[str, str]) -> Entry:
    told = " and ".join(
        f"{verdict} on {who}" for verdict, who in zip(difference.verdicts, whose, strict=True)
    )
    same = difference.verdicts[0] == difference.verdicts[1]
    return Entry(
        title=difference.id,
        level=difference.level,
        text=difference.text,
        word="Otherwise" if same else "Differs",
        verdict=difference.verdicts[1]
        if difference.verdicts[0] == "passed"
        else difference.verdicts[0],
        note=f"{difference.verdicts[0]} on both, in another way" if same else told,
        parts=tuple(_part(test, whose) for test in difference.tests),
    )


def _part(test: TestDifference, whose: tuple[str, str]) -> Part:
    one, other = (_side(who, side) for who, side in zip(whose, test.sides, strict=True))
    return Part((one, other), title=test.id, fact=test.fact)


def _side(who: str, side: Side) -> ShownSide:
    return ShownSide(who, side.verdict or "not judged", side.verdict, side.sentence, side.exchange)


def _rest(comparison: Comparison, whose: tuple[str, str]) -> str:
    told = []
    for who, rows in zip(whose, comparison.only, strict=True):
        if rows:
            more = f" and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
            told.append(f"Only {who} judged {', '.join(rows[:NAMED])}{more}.")
    return " ".join(told)
