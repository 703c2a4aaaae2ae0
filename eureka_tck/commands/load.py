"""
`eureka-tck load`: let a storm loose on a registry, and say whether it was still right.

Starts the nodes, runs Locust against them, judges what was counted by the budgets, and leaves
Locust's own report, our page and the counts in the run's folder. With `--capacity` it searches the
largest fleet that keeps the budgets. Load runs in real time: at speed 1 unless asked otherwise.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from eureka_tck.commands.console import add_common, natural, positive, quoted, say, settings_of
from eureka_tck.commands.storm import admit, let_loose, refuse_too_little
from eureka_tck.errors import CannotRun
from eureka_tck.fleet.budget import load_bounds
from eureka_tck.fleet.capacity import Trial, search
from eureka_tck.fleet.staleness import staleness
from eureka_tck.fleet.storm import MOST_INSTANCES, load_storm, resized, storm_names
from eureka_tck.report import load_comparison, load_projection, load_report
from eureka_tck.report.load_page import (
    VERDICTS,
    account,
    capacity_page,
    sentence_of,
    worst,
)
from eureka_tck.run import Run
from eureka_tck.suite import suite_root
from eureka_tck.targets import parse_target
from eureka_tck.targets.url import OWNER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka_tck.fleet.budget import Bounds
    from eureka_tck.fleet.storm import Storm
    from eureka_tck.targets import Target

EXAMPLES: Final = """\
examples:
  eureka-tck load --storm steady --instances 1000 --minutes 1
  eureka-tck load --target java:5.0.3 --storm aligned --processes 2
  eureka-tck load --capacity --storm steady --minutes 1
  eureka-tck load --storm steady --against reports/runs/A      beside an earlier run
  eureka-tck load --project 100000,1000000 --from reports/latest   computed, nothing is started

exit codes:
  0  every budget was met        2  inconclusive: the generator or the machine was the limit
  1  a budget was broken         3  the storm could not run
"""
LARGEST: Final = 100_000_000
"""Instances of a fleet that is projected at most: beyond it a slip of the pen is likelier."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "load",
        help="let a storm of instances loose on a registry",
        description="Let a storm of instances loose on a registry: is it still right then?",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_common(parser, speed="load runs in real time: only 1 is taken")
    group = parser.add_argument_group("the storm")
    group.add_argument(
        "--storm",
        default="steady",
        metavar="NAME",
        help=f"one of: {', '.join(storm_names(_suite('storms')))}; or a .toml file "
        "(default: steady)",
    )
    group.add_argument("--instances", type=int, metavar="N", help="size of the fleet")
    group.add_argument("--minutes", type=positive, metavar="M", help="how long it lasts")
    group.add_argument(
        "--budget", type=Path, metavar="FILE", help="budgets (default: load/budgets.toml)"
    )
    group.add_argument(
        "--capacity", action="store_true", help="search the largest fleet that keeps the budgets"
    )
    group.add_argument(
        "--against",
        type=Path,
        metavar="RUN",
        help="hold it against an earlier run: both figures side by side, and what was otherwise",
    )
    group.add_argument(
        "--project",
        type=sizes,
        metavar="N,…",
        help="start nothing: compute what fleets of those sizes would take, "
        "from the runs named by --from",
    )
    group.add_argument(
        "--every",
        type=positive,
        default=load_projection.EVERY,
        metavar="SECONDS",
        help="between two renewals of an instance that is projected (default: 30)",
    )
    group.add_argument(
        "--from",
        dest="runs",
        type=Path,
        action="append",
        default=[],
        metavar="RUN",
        help="a finished storm; a second one on another number of nodes tells what a peer costs",
    )
    group.add_argument(
        "--up-to",
        type=natural,
        default=MOST_INSTANCES,
        metavar="N",
        help="the largest size that --capacity tries; it begins with --instances",
    )
    group.add_argument(
        OWNER, action="store_true", help="storm a registry that runs already and is yours"
    )
    group = parser.add_argument_group("the generator")
    group.add_argument(
        "--processes", type=natural, default=0, metavar="N", help="divide the fleet among N workers"
    )
    group.add_argument(
        "--master",
        type=natural,
        default=0,
        metavar="N",
        help="wait for N workers, started elsewhere by "
        "locust -f load/locustfile.py --worker --master-host HOST",
    )
    group.add_argument(
        "--web",
        type=natural,
        default=0,
        metavar="PORT",
        help="show Locust's web UI at that port of 127.0.0.1 while the storm lasts",
    )
    group.add_argument(
        "--bulk", action="store_true", help="enter requests into Locust's statistics in bulk"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if arguments.project or arguments.runs:
        return _project(arguments)
    storm = resized(
        load_storm(_suite("storms"), arguments.storm), arguments.instances, arguments.minutes
    )
    targets = parse_target(arguments.target)
    admit(targets, storm, arguments)
    file = arguments.budget or _suite("budgets.toml")
    bounds = load_bounds(file, targets[0].family, storm.name)
    refuse_too_little(storm, bounds)
    storm = resized(storm, None, None, storm.settle + staleness(targets, settings_of(arguments)))
    if arguments.against and arguments.capacity:
        raise CannotRun("--against holds a storm against another; --capacity makes many.")
    if arguments.capacity and arguments.up_to < storm.instances:
        raise CannotRun(
            f"--up-to is {arguments.up_to}; the search begins with {storm.instances} instances."
        )
    earlier = load_report.load(arguments.against) if arguments.against else None
    with Run.create("load", arguments.target, arguments.out, arguments.seed).owned() as made:
        if arguments.capacity:
            return _capacity(targets, storm, bounds, made, arguments)
        course = let_loose(targets, storm, bounds, made, arguments, made.folder)
        page, report = account(course, made, arguments, earlier)
        outcome = worst(course.findings)
        say(f"\n{VERDICTS[outcome][1]}: {sentence_of(arguments.target, course)}")
        for one in course.findings:
            said = f"{one.name}: {one.measured} (budget: {one.budget})"
            say(f"  {one.outcome:<12} {said}")
        for problem in course.tally.problems[:5]:
            say(f"  seen         {problem}")
        if earlier is not None:
            say(load_comparison.text(earlier, report))
        say(f"\nreport  {page}\nagain   {quoted(arguments.argv)}")
        return VERDICTS[outcome][2]


def sizes(words: str) -> tuple[int, ...]:
    """Read sizes of fleets, such as 100000,1000000."""
    parts = words.replace("_", "").split(",")
    if not all(part.isdecimal() and 0 < int(part) <= LARGEST for part in parts):
        raise argparse.ArgumentTypeError(
            f"{words!r} must be sizes of fleets from 1 to {LARGEST:,}, as in 100000,1000000"
        )
    return tuple(int(part) for part in parts)


def _project(arguments: argparse.Namespace) -> int:
    """Compute what larger fleets would take; nothing is started."""
    if not arguments.runs:
        raise CannotRun("--project needs a finished storm to compute from.", "Name it with --from.")
    reports = [load_report.load(run) for run in arguments.runs]
    for report in reports:
        asked = arguments.project or load_projection.SIZES
        say(f"{load_projection.text(report, asked, arguments.every)}\n")
    first, *others = (load_projection.costs_of(report) for report in reports)
    for other in others:
        if (peer := load_projection.fan_out(first, other)) is not None:
            say(
                f"Each further peer costs {peer * 1e6:,.0f} µs of processor a renewal, sender and "
                f"receiver together: {other.nodes} node(s) against {first.nodes}."
            )
    return 0


def _capacity(
    targets: Sequence[Target],
    storm: Storm,
    bounds: Bounds,
    made: Run,
    arguments: argparse.Namespace,
) -> int:
    """Search the largest fleet, and say what ran out first."""

    def attempt(instances: int, step: str) -> Trial:
        folder = made.folder / f"{step}-{instances}"
        folder.mkdir()
        sized = resized(storm, instances, None)
        course = let_loose(targets, sized, bounds, made, arguments, folder)
        (folder / "measures.json").write_bytes(msgspec.json.encode(course.measures))
        trial = Trial(
            instances=instances,
            step=step,
            outcome=worst(course.findings),
            renewals=course.tally.acknowledged / (storm.minutes * 60 + storm.settle),
            p99_ms=course.measures.get("renew_p99_ms"),
            busiest=max((cpu for cpu, _ in course.nodes.values()), default=0.0),
            memory=max((memory for _, memory in course.nodes.values()), default=0),
            generator=course.tally.cpu,
            failed=tuple(one.name for one in course.findings if one.outcome != "met"),
        )
        say(f"  {instances:,} instances: {trial.outcome}{trial.told}")
        return trial

    found = search(attempt, storm.instances, arguments.up_to)
    page = capacity_page(found, storm, made, arguments)
    say(f"\n{found.sentence}\n\nreport  {page}\nagain   {quoted(arguments.argv)}")
    return found.exit_code


def _suite(name: str) -> Path:
    return suite_root() / "load" / name
