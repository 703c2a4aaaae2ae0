"""The judge's scenarios on simulated clusters: played by its runner, judged by its promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.history import read_history
from eureka_tck.promises import judge
from eureka_tck.schedules.explore import explore
from eureka_tck.schedules.recipe import load_recipe
from eureka_tck.schedules.scenario import load_scenario
from tests.simulation.__main__ import main
from tests.simulation.drama import play_scenario, why_not
from tests.simulation.night import replay_line, scenario_names

if TYPE_CHECKING:
    from pathlib import Path

INEXPRESSIBLE = {
    "how-long": "its reads come through the response cache, which is the server's, not the core's"
}

LONG = frozenset({"partition-one", "zone-cut-off", "scale-in"})
"""Scenarios of minutes, of which one seed is enough here."""


@pytest.mark.parametrize("name", sorted(set(scenario_names()) - set(INEXPRESSIBLE)))
def test_every_scenario_keeps_all_its_promises(name: str) -> None:
    """Each of its promises is put to the test, and none is broken."""
    scenario = load_scenario(name)
    played = [play_scenario(scenario, seed) for seed in ((1,) if name in LONG else (1, 2))]

    assert [one.broken for one in played] == [{}] * len(played), replay_line(scenario, 1)
    assert frozenset[str]().union(*(one.kept for one in played)) == set(scenario.promises)


def test_what_cannot_be_played_here_is_named_with_the_reason() -> None:
    """Nothing is left out in silence."""
    reasons = {name: why_not(load_scenario(name)) for name in scenario_names()}

    assert {name: why for name, why in reasons.items() if why} == INEXPRESSIBLE


@pytest.mark.parametrize("seed", [4, 67, 99, 143])
def test_what_nobody_wrote_keeps_its_promises(seed: int) -> None:
    """Seeds that found something once: peers named again, lost memories, lost questions."""
    assert play_scenario(explore(seed), seed).broken == {}, replay_line(explore(seed), seed)


def test_a_scenario_plays_again_in_just_the_same_way() -> None:
    """Every event of the history is the same."""
    scenario = load_scenario("mass-death")

    assert play_scenario(scenario, 5).history.events == play_scenario(scenario, 5).history.events


@pytest.fixture
def greedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every node evict all that is overdue in one run."""
    monkeypatch.setattr("eureka.core.eviction.eviction_limit", lambda size, _: size)


@pytest.mark.usefixtures("greedy")
def test_a_defect_is_found_and_told_how_to_find_on_real_processes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The promise is broken by name, and the command and the folder to look at are printed."""
    code = main(["--scenarios", "mass-death", "--seed", "3", "--out", str(tmp_path)])

    said, kept = capsys.readouterr().out, tmp_path / "mass-death-3"
    history = read_history(kept)
    findings = {one.promise: one.finding for one in judge(history, history.header.promises)}
    assert code == 1
    assert findings["no_run_evicts_too_many"] == "broken"
    assert load_recipe(kept).schedule.seed == 3
    assert "on real processes: eureka-tck chaos --scenario mass-death --seed 3" in said


def test_a_drawn_seed_is_asked_of_real_processes_by_its_number() -> None:
    """`--explore` draws the same there."""
    assert replay_line(explore(7), 7) == "eureka-tck chaos --explore 1 --seed 7"


def test_a_range_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is played."""
    with pytest.raises(SystemExit):
        main(["--explore", "--seeds", "9-3"])

    assert "'9-3' is no seed and no range such as 1-1000" in capsys.readouterr().err
