"""
`eureka-tck chaos`: play a scenario of faults on a cluster, then judge what it promises.

Plays first and judges afterwards, from the history alone: `eureka-tck rejudge` does the second
half again.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from eureka_tck.clock import Clock, utc_now
from eureka_tck.cluster import Cluster, ClusterSpec
from eureka_tck.commands.console import add_common, quoted, say, settings_of
from eureka_tck.commands.court import SUITE, judge_run, tell
from eureka_tck.faults import refuse_targets
from eureka_tck.history import HistoryWriter
from eureka_tck.history.event import Header
from eureka_tck.report.provenance import this_machine, versions_of
from eureka_tck.run import Run
from eureka_tck.schedules.own_settings import on_own_settings
from eureka_tck.schedules.runner import play
from eureka_tck.schedules.scenario import load_scenario, read_scenario
from eureka_tck.schedules.schedule import draw
from eureka_tck.targets import parse_target
from eureka_tck.targets.url import refuse_guests
from eureka_tck.workloads.site import Site
from eureka_tck.workloads.watch import Watch

if TYPE_CHECKING:
    from typing import TextIO

    from eureka_tck.schedules.scenario import Scenario
    from eureka_tck.targets import Target

LINE_EVERY: Final = 15.0
"""Real seconds between two lines of progress where the output is no terminal."""

EXAMPLES: Final = """\
examples:
  eureka-tck chaos                                    partition-one on the Python registry
  eureka-tck chaos --target java:5.0.3                the same on the Java reference
  eureka-tck chaos --scenario mine.toml --seed 7      a scenario of your own, repeatable
  eureka-tck rejudge reports/latest                   judge the same history again

exit codes:
  0  every promise is kept, or broken in a way that is known of the target
  1  a promise is broken, or one is kept that was known to be broken
  2  a promise could not be judged: the fault never bit, or the run was broken off
  3  the run could not be made
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "chaos",
        help="break a cluster in a planned way and judge what it promises",
        description="Break a cluster in a planned way and judge what it promises.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_common(parser)
    parser.add_argument(
        "--scenario",
        default="partition-one",
        metavar="NAME|FILE",
        help="what happens: a scenario of the suite or a file of yours (default: partition-one)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    scenario = _scenario(arguments.scenario)
    if scenario.yields:
        scenario = on_own_settings(scenario, settings_of(arguments))
    targets = parse_target(arguments.target)
    refuse_guests(targets, "chaos")
    spec = _spec(scenario, targets, arguments)
    refuse_targets((one.fault for one in draw(scenario, 0).strikes), spec.targets)
    for target in dict.fromkeys(targets):
        target.prepare(arguments.backend)
    with Run.create(SUITE, arguments.target, arguments.out, arguments.seed).owned() as made:
        say(f"Seed {made.seed}. {scenario.name} on {arguments.target}: {scenario.title}.")
        taken = Clock()
        _record(scenario, spec, made, _again(arguments, made.seed))
        report = judge_run(made.folder, seconds=taken.now())
    tell(report, made.folder / "index.html")
    say(f"Run again    {report.command}")
    say(f"Judge again  {quoted(['rejudge', str(made.folder)])}")
    return report.exit_code


def _scenario(named: str) -> Scenario:
    return read_scenario(Path(named)) if named.endswith(".toml") else load_scenario(named)


def _spec(
    scenario: Scenario, targets: tuple[Target, ...], arguments: argparse.Namespace
) -> ClusterSpec:
    """
    Return the cluster of the scenario.

    What it sets itself wins over the user's own settings, but in one that yields to them.
    """
    wished: float = arguments.speed or min(target.default_speed for target in targets)
    return ClusterSpec.of(
        scenario.name,
        targets,
        nodes=scenario.nodes,
        backend=arguments.backend,
        settings={**settings_of(arguments), **scenario.settings},
        speed=min(wished, scenario.max_speed),
        links=True,
        wall_steps=scenario.steps_clocks,
    )


def _again(arguments: argparse.Namespace, seed: int) -> str:
    """Return the command line that does the same once more."""
    given = list(arguments.argv)
    return quoted(given if "--seed" in given else [*given, "--seed", str(seed)])


def _record(scenario: Scenario, spec: ClusterSpec, made: Run, command: str) -> None:
    """Play the scenario on a cluster of its own; the history is in the run's folder."""
    schedule = draw(scenario, made.seed)
    progress = Progress(Clock(), sys.stdout)
    say(f"Starting {scenario.nodes} nodes ({spec.backend}, speed {spec.speed:g}).")
    with Cluster(spec, made) as cluster:
        header = Header(
            run=made.id,
            scenario=scenario.name,
            title=scenario.title,
            why=scenario.why.strip(),
            target=_named(spec),
            backend=spec.backend,
            speed=spec.speed,
            seed=made.seed,
            started=utc_now(),
            command=command,
            nodes=spec.node_names,
            settings={node: dict(settings) for node, settings in cluster.settings.items()},
            promises=scenario.promises,
            schedule=msgspec.to_builtins(schedule),
            versions=versions_of(dict.fromkeys(spec.targets)),
            machine=_machine(),
        )
        with HistoryWriter(made.folder, header) as history:
            site = Site(cluster, history, Watch(spec.node_names))
            try:
                play(schedule, site, scenario.budgets, scenario.sample_every, progress.told)
            finally:
                progress.close()


def _named(spec: ClusterSpec) -> str:
    """Return what is judged: one name, or one a node where they differ."""
    names = [target.name for target in spec.targets]
    return names[0] if len(set(names)) == 1 else ",".join(names)


def _machine() -> str:
    machine = this_machine()
    return f"{machine.system}, {machine.cores} cores, {machine.memory_bytes / 2**30:.0f} GiB"


class Progress:
    """One line that is rewritten on a terminal; elsewhere a line a phase, and one now and then."""

    def __init__(self, clock: Clock, out: TextIO) -> None:
        self._clock = clock
        self._out = out
        self._phase = ""
        self._said_at = 0.0

    def told(self, phase: str, seen: str) -> None:
        """Show what goes on; called as often as one likes."""
        now = self._clock.now()
        line = f"{now:5.0f} s  {phase:<11} {seen}"
        if self._out.isatty():
            width = shutil.get_terminal_size().columns - 1
            self._out.write(f"\r{line[:width]:<{width}}")
        elif phase != self._phase or now - self._said_at >= LINE_EVERY:
            self._said_at = now
            self._out.write(f"{line}\n")
        self._phase = phase
        self._out.flush()

    def close(self) -> None:
        """End the line that was being rewritten."""
        if self._out.isatty():
            self._out.write("\n")
            self._out.flush()
