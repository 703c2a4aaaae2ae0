"""Scenarios drawn from a seed, and schedules made smaller: pure, and the same every time."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import msgspec
import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.schedules import draw, load_scenario
from eureka_tck.schedules import fault as kinds
from eureka_tck.schedules.explore import explore
from eureka_tck.schedules.recipe import Recipe, load_recipe, save_recipe
from eureka_tck.schedules.shrink import smaller
from eureka_tck.schedules.workload import Workload

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = range(1, 301)
OF_NODES = (kinds.Death, kinds.Pause, kinds.Starvation, kinds.ClockShift)


def test_seed_decides_all_that_is_drawn() -> None:
    """The same seed gives the same scenario, and hardly two seeds the same."""
    assert explore(7) == explore(7)
    assert len({msgspec.json.encode(explore(seed)) for seed in SEEDS}) > 290


def test_seeds_reach_every_kind() -> None:
    """Over many seeds every kind of fault and of workload is drawn, but for controls."""
    drawn = [explore(seed) for seed in SEEDS]
    faults = {type(one) for scenario in drawn for one in scenario.fault}
    workloads = {type(one) for scenario in drawn for one in scenario.workload}

    assert faults == set(get_args(kinds.Fault))
    assert {one.__name__ for one in set(get_args(Workload)) - workloads} == {"Abandoned"}


def test_drawn_faults_do_not_undo_each_other() -> None:
    """There is one fault of nodes at most, and it begins when one of links is proven."""
    for seed in SEEDS:
        faults = explore(seed).fault
        of_nodes = [one for one in faults if isinstance(one, OF_NODES)]
        of_links = [one for one in faults if not isinstance(one, OF_NODES)]
        assert len(of_nodes) <= 1
        assert len(of_links) <= 1
        assert all(one.at >= 20 for one in of_nodes)


def test_every_drawn_scenario_makes_a_schedule() -> None:
    """No seed draws what cannot be written down and read again."""
    for seed in SEEDS:
        recipe = recipe_of(seed)

        assert msgspec.json.decode(msgspec.json.encode(recipe), type=Recipe) == recipe


def test_smaller_schedules_lack_one_thing_each() -> None:
    """Faults and workloads are left out one by one, then halved."""
    said = [what for what, _ in smaller(draw(load_scenario("partition-one"), 7))]

    assert said == [
        "without the fault cut",
        "without the workload fleet",
        "without the workload control-before",
        "without the workload newcomers",
        "without the workload control-after",
        "with 30 of 60 instances of fleet",
        "with 3 of 6 instances of newcomers",
        "with 67.5 s of cut",
    ]


def test_smaller_schedules_end() -> None:
    """Whoever takes the first of them again and again comes to one that cannot be smaller."""
    schedule, steps = draw(load_scenario("partition-one"), 7), 0
    while (step := next(iter(smaller(schedule)), None)) is not None:
        schedule, steps = step[1], steps + 1

    assert steps < 20
    assert len(schedule.casts) == 1
    assert schedule.strikes == ()


def test_recipe_is_kept_in_the_folder_of_its_run(tmp_path: Path) -> None:
    """What was played can be read back and played again."""
    recipe = recipe_of(7)
    save_recipe(recipe, tmp_path)

    assert load_recipe(tmp_path) == recipe


def test_folder_without_a_recipe_is_named(tmp_path: Path) -> None:
    """The error says which file is missing or wrong, and what to give."""
    with pytest.raises(CannotRun, match=r"recipe\.json cannot be read: No such file") as caught:
        load_recipe(tmp_path)
    assert caught.value.way_out == "Give the folder of a chaos run, such as reports/latest."

    (tmp_path / "recipe.json").write_text("{}", "utf-8")
    with pytest.raises(CannotRun, match=r"is no recipe of a chaos run: .*`scenario`"):
        load_recipe(tmp_path)


def recipe_of(seed: int) -> Recipe:
    """Return a drawn recipe."""
    scenario = explore(seed)
    return Recipe(
        scenario=scenario, schedule=draw(scenario, seed), target="python", backend="process"
    )
