"""
`eureka-tck gate`: judge a registry, requirement by requirement.

Plans the tests, runs them in a process of their own, runs those again more slowly that said
nothing or went wrong while the machine was late, and leaves verdicts, a report and an exit code.
"""

from __future__ import annotations

import argparse
import secrets
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from eureka_tck.clock import Clock, unix_now, utc_now
from eureka_tck.commands.console import add_common, natural, quoted, say, settings_of, words
from eureka_tck.errors import CannotRun
from eureka_tck.report import writer
from eureka_tck.report.figures import counted
from eureka_tck.report.model import LEVELS
from eureka_tck.report.provenance import this_machine
from eureka_tck.run import Run
from eureka_tck.starts import read_starts
from eureka_tck.suite import expectations_file, suite_root
from eureka_tck.targets import parse_target
from eureka_tck.targets.url import OWNER
from eureka_tck.verdict.account import Facts, report_of
from eureka_tck.verdict.contradiction import SECOND_LOOK, doubtful, weighed
from eureka_tck.verdict.execution import Ended, Refused, perform
from eureka_tck.verdict.expectations import UNFILLED, updated, write_expectations
from eureka_tck.verdict.judgement import judge
from eureka_tck.verdict.order import Order
from eureka_tck.verdict.plan import SUITE, Plan, make_plan
from eureka_tck.verdict.progress import Progress
from eureka_tck.verdict.retrial import RETRIALS, Retrial, unsettled
from eureka_tck.verdict.summary import planned, summary
from eureka_tck.verdict.timesheet import Timesheet

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from eureka_tck.report.model import Kind, Report, TestResult

PATIENCE: Final = 3.0
SILENCE_AT_LEAST: Final = 300.0
"""A pass that tells nothing for so many times its forecast, and so many real seconds, is given up:
a cold JVM that waits for its turn to start was seen to need 90 s."""

EXAMPLES: Final = """\
examples:
  eureka-tck gate                                     the Python registry, all rows of this suite
  eureka-tck gate --target java:5.0.3                 the Java reference
  eureka-tck gate --select EVICT-03,RENEW             one row and one chapter
  eureka-tck gate --select "EVICT-02[20-3]"           one case of a row, as failures name it
  eureka-tck gate --select "wall clock"               all that speaks of the wall clock
  eureka-tck gate --dry-run                           what would run, and how long

exit codes:
  0  all that was judged is kept, or is a known deviation
  1  a MUST row failed, or an expectation was not met (with --strict a SHOULD row too)
  2  a row was inconclusive
  3  the gate could not run
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "gate",
        help="judge a registry, requirement by requirement",
        description="Judge a registry, requirement by requirement.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_common(parser)
    parser.add_argument(
        OWNER,
        action="store_true",
        help="a running registry (url:) is yours: judge what may harm it too, wherever it is",
    )
    group = parser.add_argument_group("which rows, and how strictly")
    group.add_argument(
        "--select",
        type=words,
        default=(),
        metavar="WORDS",
        help="rows (EVICT-03), chapters (RENEW), cases (EVICT-02[20-3]), tests, or words that a "
        "row or a test says, by commas",
    )
    group.add_argument(
        "--level",
        type=_levels,
        default=(),
        metavar="LEVELS",
        help="only rows of these levels: MUST, SHOULD, REF, by commas",
    )
    group.add_argument("--strict", action="store_true", help="a failed SHOULD row exits 1 too")
    group.add_argument(
        "--depth",
        choices=("quick", "full"),
        default="full",
        help="quick leaves out the long tests, and all but four cases of a test (default: full)",
    )
    group.add_argument(
        "--expectations",
        metavar="TARGET|FILE",
        help="known deviations of another target, or from a file (default: the target's own)",
    )
    group = parser.add_argument_group("how it runs")
    group.add_argument(
        "-n",
        type=natural,
        metavar="N",
        help="profiles side by side (default: at most 8, in Docker 4)",
    )
    group.add_argument("--dry-run", action="store_true", help="list the tests with their times")
    group.add_argument(
        "--update-expectations",
        action="store_true",
        help="rewrite the target's expectations from this run; reasons are kept",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    plan = make_plan(
        Order(
            target=arguments.target,
            backend=arguments.backend,
            here=str(Path.cwd()),
            seed=secrets.randbelow(2**31) if arguments.seed is None else arguments.seed,
            speed=arguments.speed,
            depth=arguments.depth,
            select=arguments.select,
            levels=arguments.level,
            settings=settings_of(arguments),
            owned=arguments.i_own_this_target,
        ),
        expectations=_expectations(arguments),
        workers=arguments.n,
    )
    if arguments.dry_run:
        say(planned(plan, each_test=True))
        return 0
    for target in dict.fromkeys(plan.targets):
        target.prepare(arguments.backend)
    with Run.create(SUITE, arguments.target, arguments.out, plan.order.seed).owned() as made:
        say(planned(plan))  # after all that is refused before a test runs
        report, refused = _Gate(plan, made, arguments).report()
        page = writer.write(report, made.folder)
    if refused is not None:
        say(f"What was found until then: {page}")
        raise refused
    say(summary(report, plan.catalogue, plan.order, page))
    return report.exit_code


@dataclass(frozen=True, slots=True)
class _Gate:
    """One gate while it runs."""

    plan: Plan
    run: Run
    arguments: argparse.Namespace

    def report(self) -> tuple[Report, CannotRun | None]:
        """Run all passes, judge, and return the report; also what broke it off, if anything."""
        plan, clock, machine = self.plan, Clock(), this_machine()
        started, began = utc_now(), unix_now()
        sheet = Timesheet(clock.now)
        refused: CannotRun | None = None
        results: dict[str, TestResult] = {}
        observed = {row.id for row in plan.catalogue if row.level == "REF"}
        try:
            self._pass(plan, results, sheet)
            for retrial in RETRIALS:
                if not (tests := unsettled(results.values(), plan.expectations, observed)):
                    break
                say(_once_more([results[test] for test in tests], retrial))
                self._pass(plan.again(retrial, tests), results, sheet)
            self._look_again(results, sheet, observed)
        except CannotRun as error:
            if not results:
                raise
            refused = error
        judgement = judge(
            results.values(),
            plan.catalogue,
            plan.expectations,
            claims=plan.claims,
            wanted=[claim.test for claim in plan.wanted],
            quick=plan.order.depth == "quick",
        )
        if self.arguments.update_expectations and refused is None:
            self._update(tuple(results.values()))
        report = report_of(
            judgement,
            plan.catalogue,
            tuple(results.values()),
            Facts(
                suite=SUITE,
                order=plan.order,
                command=quoted(self.arguments.argv),
                started=started,
                seconds=clock.now(),
                strict=self.arguments.strict,
                targets=plan.targets,
                profiles=plan.profiles,
                speeds=plan.speeds,
                machine=machine,
                spans=sheet.spans(read_starts(self.run.folder), began),
            ),
            could_not_run=str(refused or ""),
        )
        return report, refused

    def _look_again(
        self, results: dict[str, TestResult], sheet: Timesheet, observed: Collection[str]
    ) -> None:
        """Judge once more what would be complained of."""
        plan = self.plan
        again: dict[str, TestResult] = {}
        if not (tests := doubtful(results.values(), plan.expectations, observed)):
            return
        these = counted(len(tests), "test")
        say(f"{these} not as expected: a second look {SECOND_LOOK.how}.")
        self._pass(plan.again(SECOND_LOOK, tests), again, sheet)
        for test, second in again.items():
            results[test] = weighed(results[test], second, plan.expectations)

    def _pass(self, plan: Plan, results: dict[str, TestResult], sheet: Timesheet) -> None:
        """Run one pass into `results`; CannotRun where a test could not run at all."""
        order = msgspec.structs.replace(
            plan.order,
            run_id=self.run.id,
            run_folder=str(self.run.folder.resolve()),
            profiles={claim.test: claim.profile for claim in plan.wanted},
        )
        progress = Progress(plan.wanted, plan.forecast, Clock().now, sys.stderr, plan.expectations)
        try:
            for event in perform(
                suite_root() / SUITE,
                order,
                self.run,
                workers=plan.workers,
                silence=max(SILENCE_AT_LEAST, PATIENCE * plan.forecast.seconds),
            ):
                if isinstance(event, Refused):
                    raise CannotRun(event.text)
                if isinstance(event, Ended):
                    results[event.result.id] = event.result
                progress.note(event)
                sheet.note(event, order.profiles, order.attempt)
        finally:
            progress.close()

    def _update(self, results: Sequence[TestResult]) -> None:
        plan = self.plan
        path = _expectations(self.arguments)
        kind: Kind = (
            "not built yet"
            if any(target.family == "python" for target in plan.targets)
            else "known deviation"
        )
        entries = updated(plan.expectations, results, plan.catalogue, kind)
        write_expectations(path, entries)
        say(f"{path} has {counted(len(entries), 'expectation')} now.")
        for entry in entries:
            if UNFILLED in entry.reason + entry.hurts:
                say(f"  {entry.requirement} {entry.test}: say why, and whom it hurts.")


def _once_more(results: Sequence[TestResult], retrial: Retrial) -> str:
    """Say which tests another pass asks again, and why."""
    silent = [result for result in results if result.outcome == "inconclusive"]
    doubted = [result for result in results if result.outcome != "inconclusive"]
    why = [f"{counted(len(silent), 'test')} said nothing"] if silent else []
    if doubted:
        why.append(f"{counted(len(doubted), 'test')} went wrong while the machine was late")
    told = [f"  {one.id}: {one.sentence or 'it passed, known to fail'}" for one in doubted]
    return "\n".join([f"{' and '.join(why)}: once more {retrial.how}.", *told])


def _expectations(arguments: argparse.Namespace) -> Path:
    named: str | None = arguments.expectations
    if named is None:
        return expectations_file(arguments.target)
    if named.endswith(".toml"):
        path = Path(named)
        if not path.is_file():
            raise CannotRun(f"--expectations {named}: there is no such file.")
        return path
    path = expectations_file(named)
    if not path.is_file():
        parse_target(named)  # a name mistyped is no target without expectations
    return path


def _levels(text: str) -> tuple[str, ...]:
    levels = tuple(word.upper() for word in words(text))
    if unknown := [level for level in levels if level not in LEVELS]:
        raise argparse.ArgumentTypeError(
            f"{unknown[0]!r} is no level; levels are {', '.join(LEVELS)}"
        )
    return levels
