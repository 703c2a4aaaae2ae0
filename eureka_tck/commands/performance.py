"""One chaos run from its recipe to its report: a cluster, a history, a judgement."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from eureka_tck.clock import Clock, utc_now
from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.commands.console import say
from eureka_tck.commands.court import SUITE, judge_run, tell
from eureka_tck.faults import refuse_targets
from eureka_tck.history import HistoryWriter
from eureka_tck.history.event import Header
from eureka_tck.report.provenance import this_machine, versions_of
from eureka_tck.run import Run
from eureka_tck.schedules.recipe import save_recipe
from eureka_tck.schedules.runner import play
from eureka_tck.targets import parse_target
from eureka_tck.targets.url import refuse_guests
from eureka_tck.workloads.site import Site
from eureka_tck.workloads.watch import Watch

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

    from eureka_tck.promises.account import ChaosReport
    from eureka_tck.schedules.recipe import Recipe

LINE_EVERY: Final = 15.0
"""Real seconds between two lines of progress where the output is no terminal."""


@dataclass(frozen=True, slots=True)
class Played:
    """A run that is over and judged."""

    report: ChaosReport
    folder: Path


def perform(recipe: Recipe, out: Path, command: str) -> Played:
    """Play a recipe on a cluster of its own and judge it; `command` is what does so again."""
    targets = parse_target(recipe.target)
    refuse_guests(targets, "chaos")
    scenario, schedule = recipe.scenario, recipe.schedule
    spec = spec_of(recipe)
    refuse_targets((strike.fault for strike in schedule.strikes), spec.targets)
    for target in dict.fromkeys(targets):
        target.prepare(recipe.backend)
    with Run.create(SUITE, recipe.target, out, schedule.seed).owned() as made:
        say(f"Seed {made.seed}. {scenario.name} on {recipe.target}: {scenario.title}.")
        taken = Clock()
        save_recipe(recipe, made.folder)
        _record(recipe, spec, made, command)
        report = judge_run(made.folder, seconds=taken.now())
    tell(report, made.folder / "index.html")
    return Played(report, made.folder)


def spec_of(recipe: Recipe) -> ClusterSpec:
    """Return the cluster of a recipe: what its scenario sets wins over the user's own settings."""
    scenario, targets = recipe.scenario, parse_target(recipe.target)
    wished: float = recipe.speed or min(target.default_speed for target in targets)
    return ClusterSpec.of(
        scenario.name,
        targets,
        nodes=scenario.nodes,
        backend=recipe.backend,
        settings={**recipe.settings, **scenario.settings},
        speed=min(wished, scenario.max_speed),
        links=True,
        wall_steps=scenario.steps_clocks,
    )


def _record(recipe: Recipe, spec: ClusterSpec, made: Run, command: str) -> None:
    """Play the schedule on a cluster of its own; the history is in the run's folder."""
    scenario, schedule = recipe.scenario, recipe.schedule
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
