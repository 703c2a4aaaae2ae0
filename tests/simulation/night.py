"""
The judge's scenarios by the thousand, one process and no wait: for the night.

What breaks is told with the command that asks the same of real processes, and kept as a run's
folder that `eureka-tck rejudge` and `eureka-tck chaos --replay` read.
"""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from time import process_time
from typing import TYPE_CHECKING

from eureka_tck.history import HistoryWriter
from eureka_tck.schedules.explore import explore
from eureka_tck.schedules.recipe import Recipe, save_recipe
from eureka_tck.schedules.scenario import load_scenario
from eureka_tck.schedules.schedule import draw
from eureka_tck.suite import suite_root
from tests.simulation.drama import play_scenario, why_not

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from eureka_tck.schedules.scenario import Scenario
    from tests.simulation.drama import Judged

ALL = "all"


def scenario_names() -> tuple[str, ...]:
    """Return the names of all written scenarios."""
    return tuple(sorted(path.stem for path in (suite_root() / "chaos/scenarios").glob("*.toml")))


def play_written(names: str, seeds: range, out: Path | None) -> int:
    """Play these scenarios, or all, with each seed; 1 if a promise was broken."""
    chosen = scenario_names() if names == ALL else names.split(",")
    scenarios = [load_scenario(name) for name in chosen]
    for scenario in scenarios:
        if why := why_not(scenario):
            _say(f"{scenario.name} is not played here: {why}.")
    playable = [one for one in scenarios if not why_not(one)]
    return _play(((one, seed) for one in playable for seed in seeds), out)


def play_drawn(seeds: range, out: Path | None) -> int:
    """Play what nobody wrote, drawn from each seed; 1 if a promise was broken."""
    return _play(((explore(seed), seed) for seed in seeds), out)


def replay_line(scenario: Scenario, seed: int) -> str:
    """Return the command that plays the same on real processes."""
    known = scenario.name in scenario_names()
    what = ["--scenario", scenario.name] if known else ["--explore", "1"]
    return shlex.join(["eureka-tck", "chaos", *what, "--seed", str(seed)])


def _play(runs: Iterable[tuple[Scenario, int]], out: Path | None) -> int:
    began = process_time()
    found: Counter[str] = Counter()
    played = failed = 0
    seconds = 0.0
    for scenario, seed in runs:
        if why := why_not(scenario):
            _say(f"seed {seed} is not played here: {why}.")
            continue
        judged = play_scenario(scenario, seed, replay_line(scenario, seed))
        played += 1
        seconds += judged.history.events[-1].at
        found.update(one.finding for one in judged.judgements)
        failed += bool(judged.broken)
        for said in judged.broken.values():
            _say(f"{scenario.name}, seed {seed}: {said}")
        if judged.broken:
            _say(f"  on real processes: {replay_line(scenario, seed)}")
            if out is not None:
                folder = _keep(scenario, seed, judged, out)
                _say(f"  judge it again:    {shlex.join(['eureka-tck', 'rejudge', str(folder)])}")
    took = process_time() - began
    promises = ", ".join(f"{number} {finding}" for finding, number in found.most_common())
    _say(
        f"{played} runs, {failed} with a broken promise; promises: {promises or 'none'}; "
        f"{seconds / 3600:.1f} registry hours in {took:.1f} s of processor time"
    )
    return 1 if failed else 0


def _keep(scenario: Scenario, seed: int, judged: Judged, out: Path) -> Path:
    """Write a run's folder: its history and its recipe."""
    folder = out / f"{scenario.name}-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    with HistoryWriter(folder, judged.history.header) as writer:
        for event in judged.history.events:
            writer.write(event)
    schedule = draw(scenario, seed)
    save_recipe(
        Recipe(scenario=scenario, schedule=schedule, target="python", backend="process"), folder
    )
    return folder


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
