"""Several runs for one answer: shrinking keeps what breaks, exploring names the seeds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec
import pytest
from msgspec.structs import replace

from eureka_tck.commands import series
from eureka_tck.commands.performance import Played
from eureka_tck.errors import CannotRun
from eureka_tck.promises.account import ChaosReport
from eureka_tck.promises.expectation import Judged
from eureka_tck.promises.judgement import Judgement
from eureka_tck.schedules import draw, load_scenario
from eureka_tck.schedules.recipe import Recipe, load_recipe, save_recipe

if TYPE_CHECKING:
    from pathlib import Path

    from eureka_tck.promises.expectation import Verdict

SCENARIO = load_scenario("restart-during-cut")
RECIPE = Recipe(scenario=SCENARIO, schedule=draw(SCENARIO, 1), target="python", backend="process")


def report(verdict: Verdict, seed: int = 1) -> ChaosReport:
    """Return the report of a run with one promise of that verdict."""
    judgement = Judgement(
        promise="peers_converge",
        statement="",
        rows=(),
        finding="kept",
        said="",
        judged="",
        budget=None,
        measured=None,
    )
    return ChaosReport(
        scenario="s",
        title="",
        why="",
        target="python",
        backend="process",
        speed=1,
        seed=seed,
        started="",
        seconds=None,
        registry_seconds=0,
        exit_code={"broken": 1, "inconclusive": 2}.get(verdict, 0),
        verdict=verdict,
        headline="",
        verdict_sentence="",
        lead="",
        promises=(Judged(judgement=judgement, verdict=verdict),),
        faults=(),
        story=(),
        calls=(),
        lateness=0,
        settings={},
        versions={},
        machine="",
        command="",
    )


@dataclass
class Stage:
    """Plays nothing: a recipe breaks the promise as long as it has this fault and workload."""

    out: Path
    played: list[Recipe] = field(default_factory=list)

    def perform(self, recipe: Recipe, _: Path, command: str) -> Played:
        """Return what would have come of it."""
        assert command.startswith("eureka-tck chaos")
        self.played.append(recipe)
        folder = self.out / str(len(self.played))
        folder.mkdir()
        save_recipe(recipe, folder)
        faults = {strike.fault.name for strike in recipe.schedule.strikes}
        casts = {cast.name for cast in recipe.schedule.casts}
        breaks = "killed" in faults and "newcomers" in casts
        return Played(report("broken" if breaks else "kept"), folder)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Give a stage, and the run that broke the promise in its folder."""
    stage = Stage(tmp_path)
    monkeypatch.setattr(series, "perform", stage.perform)
    save_recipe(RECIPE, tmp_path)
    (tmp_path / "report.json").write_bytes(msgspec.json.encode(report("broken")))
    return stage


def test_shrinking_leaves_what_it_takes_to_break(
    stage: Stage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other fault and the fleet go, and the last line plays the least that is left."""
    assert series.shrink(tmp_path, tmp_path, tries=40, repeat=1) == 1

    last = capsys.readouterr().out.splitlines()[-1]
    best = load_recipe(tmp_path / last.rpartition("/")[2]).schedule
    assert [strike.fault.name for strike in best.strikes] == ["killed"]
    assert [cast.name for cast in best.casts] == ["newcomers"]
    assert len(best.casts[0].members) == 1
    assert best.strikes[0].ends - best.strikes[0].begins == 5.0
    assert len(stage.played) < 40


def test_shrinking_ends_with_its_tries(stage: Stage, tmp_path: Path) -> None:
    """The best so far is kept when they are used up."""
    series.shrink(tmp_path, tmp_path, tries=3, repeat=1)

    assert len(stage.played) == 3


def test_shrinking_that_is_stopped_tells_the_least_so_far(
    stage: Stage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Ctrl-C at the third try takes nothing away of the second."""

    def perform(recipe: Recipe, out: Path, command: str) -> Played:
        if len(stage.played) > 1:
            raise KeyboardInterrupt
        return stage.perform(recipe, out, command)

    monkeypatch.setattr(series, "perform", perform)
    with pytest.raises(KeyboardInterrupt):
        series.shrink(tmp_path, tmp_path, tries=40, repeat=1)

    assert capsys.readouterr().out.splitlines()[-1].startswith("Run again    eureka-tck chaos")


def test_each_try_is_repeated_until_it_breaks(stage: Stage, tmp_path: Path) -> None:
    """A candidate counts as harmless only when none of its repetitions breaks."""
    series.shrink(tmp_path, tmp_path, tries=2, repeat=3)

    names = [[strike.fault.name for strike in one.schedule.strikes] for one in stage.played]
    assert names == [["killed"], [], [], []]


def test_run_that_broke_nothing_is_not_shrunk(stage: Stage, tmp_path: Path) -> None:
    """There is nothing to look for."""
    (tmp_path / "report.json").write_bytes(msgspec.json.encode(report("kept")))

    with pytest.raises(CannotRun, match="broke no promise, so there is nothing to shrink"):
        series.shrink(tmp_path, tmp_path, tries=2, repeat=1)
    assert stage.played == []


def test_rate_is_told_for_each_promise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How often it broke, of how many runs."""
    runs = [Played(report(verdict), tmp_path) for verdict in ("broken", "kept", "broken")]
    series.tell_rate(runs)

    assert "peers_converge broke in 2 of 3 runs." in capsys.readouterr().out
    assert series.worst_code(runs) == 1


def test_seeds_that_break_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each with its folder, and how to make it smaller."""
    runs = [
        Played(report("kept", 7), tmp_path),
        Played(report("broken", 8), tmp_path / "eight"),
    ]
    series.tell_seeds(runs)

    told = capsys.readouterr().out
    assert f"Seed 8 broke peers_converge: {tmp_path / 'eight'}" in told
    assert "2 drawn scenarios; promises: 1 kept, 1 broken." in told
    assert series.explored_code(runs) == 1


def test_drawn_run_that_shows_nothing_is_told(tmp_path: Path) -> None:
    """One kept promise is enough for a drawn run; none at all is no pass."""
    assert series.explored_code([Played(report("kept"), tmp_path)]) == 0
    assert series.explored_code([Played(report("inconclusive"), tmp_path)]) == 2


def test_scenarios_are_told_line_by_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What became of each, and where its page lies."""
    series.tell_scenarios([Played(report("kept"), tmp_path / "one")])

    assert capsys.readouterr().out.split() == ["KEPT", "s", str(tmp_path / "one")]


def test_what_was_found_before_a_run_could_not_be_made_is_told(
    stage: Stage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A machine that gives up at the second run hides nothing of the first."""

    def perform(recipe: Recipe, out: Path, command: str) -> Played:
        if stage.played:
            raise CannotRun("the engine is gone.")
        return stage.perform(recipe, out, command)

    monkeypatch.setattr(series, "perform", perform)
    with pytest.raises(CannotRun, match="the engine is gone"):
        series.play_all([RECIPE] * 3, tmp_path, "eureka-tck chaos")

    assert capsys.readouterr().out.split() == ["BROKEN", "s", str(tmp_path / "1")]


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (replace(RECIPE, scenario=replace(SCENARIO, nodes=2)), "the nodes of its schedule are not"),
        (
            replace(RECIPE, scenario=replace(SCENARIO, promises=("no_such",))),
            "there is no promise 'no_such'",
        ),
        (
            replace(
                RECIPE,
                schedule=replace(
                    RECIPE.schedule,
                    casts=(
                        replace(
                            RECIPE.schedule.casts[0],
                            members=(replace(RECIPE.schedule.casts[0].members[0], home="z"),),
                        ),
                    ),
                ),
            ),
            "it names node 'z', and its nodes are a, b, c",
        ),
    ],
    ids=["nodes", "promises", "home"],
)
def test_recipe_that_contradicts_itself_is_refused(
    tmp_path: Path, recipe: Recipe, said: str
) -> None:
    """What somebody changed in a recipe is named before a node starts."""
    save_recipe(recipe, tmp_path)

    with pytest.raises(CannotRun) as caught:
        load_recipe(tmp_path)

    assert f"recipe.json cannot be played: {said}" in str(caught.value)
