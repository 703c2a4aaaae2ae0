"""Scenarios: those of the suite load, and every slip in one is named with file, key and value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.promises import PROMISES
from eureka_tck.schedules import draw
from eureka_tck.schedules.scenario import load_scenario, read_scenario
from eureka_tck.suite import suite_root

if TYPE_CHECKING:
    from pathlib import Path

RIGHT = """
name = "story"
title = "a story"
why = "to be told"
nodes = 3
max_speed = 10
promises = ["peers_converge"]

[settings]
"eureka.server.eviction-interval-timer-in-ms" = 7000

[[workload]]
name = "fleet"
kind = "steady-renewals"
instances = 6
lease = 60
interval = 10

[[fault]]
name = "cut"
kind = "partition"
at = 5
lasts = 20
"""


def written(folder: Path, text: str) -> Path:
    """Write the text as a scenario and return its file."""
    file = folder / "story.toml"
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize(
    "name", [file.stem for file in sorted((suite_root() / "chaos/scenarios").glob("*.toml"))]
)
def test_every_scenario_of_the_suite_loads_and_says_why(name: str) -> None:
    """A scenario of the suite is whole, and its reasons are written down."""
    assert load_scenario(name).why.strip()


def test_settings_are_brought_to_one_spelling(tmp_path: Path) -> None:
    """Relaxed names of Spring are read as everywhere else."""
    scenario = read_scenario(written(tmp_path, RIGHT))

    assert scenario.settings == {"eureka.server.evictionIntervalTimerInMs": "7000"}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("nodes = 3", 'nodes = "three"', "nodes is 'three', but it must be a whole number."),
        ("nodes = 3", "nodes = 0", "nodes is 0, but it must be a whole number >= 1."),
        ("nodes = 3", "", "nodes is missing."),
        ("nodes = 3", "nodes = 3\nnodez = 4", "there is no key nodez. Did you mean nodes?"),
        ("lease = 60", "lease = -1", "workload[0].lease is -1, but it must be a number > 0.0."),
        (
            "lease = 60",
            "lease = 10",
            (
                "workload[0].lease is 10, but it must be longer than the interval of 10 s, "
                "or its instances die between two renewals."
            ),
        ),
        (
            'kind = "partition"',
            'kind = "earthquake"',
            "fault[0].kind is 'earthquake', but it must be 'partition' or 'poison' or",
        ),
        (
            'kind = "steady-renewals"',
            'kind = "steady"',
            "workload[0].kind is 'steady', but it must be 'steady-renewals' or",
        ),
        ("at = 5", "at = 5\nlast = 3", "there is no key fault[0].last. Did you mean lasts?"),
        ("[settings]", "[settings]\nx = [1]", "settings.x is [1], but it must be true or false"),
        (
            "at = 5",
            'at = 5\nnode = "d"',
            "fault[0].node is 'd', but it must be 'any' or one of a, b, c.",
        ),
        (
            '"peers_converge"',
            '"peers_diverge"',
            f"promises names 'peers_diverge'; the promises are: {', '.join(PROMISES)}.",
        ),
        (
            'name = "story"',
            'name = "tale"',
            "name is 'tale', but it must be 'story', as the file is",
        ),
        ('name = "cut"', 'name = "fleet"', "the name 'fleet' is given twice;"),
        (
            "eviction-interval-timer-in-ms",
            "eviction-interval",
            "there is no setting eureka.server.eviction-interval.",
        ),
        ("= 7000", '= "soon"', "is 'soon', but it must be a whole number."),
        ("[settings]", "[settings", "is not TOML:"),
    ],
)
def test_slip_in_a_scenario_is_named(tmp_path: Path, old: str, new: str, problem: str) -> None:
    """The error names the file, the key, the value and what it must be."""
    file = written(tmp_path, RIGHT.replace(old, new, 1))

    with pytest.raises(SettingsError) as caught:
        read_scenario(file)

    assert str(file) in str(caught.value)
    assert problem in str(caught.value)


def test_partition_of_a_lone_node_is_refused(tmp_path: Path) -> None:
    """A node without peers cannot be cut off from them."""
    with pytest.raises(SettingsError, match="nodes is 1: it has none"):
        read_scenario(written(tmp_path, RIGHT.replace("nodes = 3", "nodes = 1")))


def test_unknown_scenario_is_an_error_with_the_list() -> None:
    """Who asks for a scenario that is not there learns which there are."""
    with pytest.raises(CannotRun, match=r"there is no scenario 'partition-two'") as caught:
        load_scenario("partition-two")

    assert "partition-one" in caught.value.way_out


def test_missing_file_is_an_error() -> None:
    """A file of the user's own that is not there is named."""
    with pytest.raises(SettingsError, match="cannot be read"):
        read_scenario(suite_root() / "chaos" / "nowhere.toml")


@pytest.mark.parametrize(
    "name", sorted(file.stem for file in (suite_root() / "chaos" / "scenarios").glob("*.toml"))
)
def test_scenario_of_the_suite_can_be_played_and_says_why(name: str) -> None:
    """Each can be read and drawn, and says at length why its figures are as they are."""
    scenario = load_scenario(name)

    assert draw(scenario, 1).scenario == name
    assert len(scenario.why.splitlines()) >= 8
    assert not scenario.title.endswith(".")


def test_toxic_without_its_amount_is_refused(tmp_path: Path) -> None:
    """A delay of no time at all is a slip."""
    fault = 'kind = "poison"\ntoxic = "latency"'
    with pytest.raises(SettingsError, match=r"fault\[0\]\.delay is 0, but latency is nothing"):
        read_scenario(written(tmp_path, RIGHT.replace('kind = "partition"', fault)))


def test_clock_shift_without_a_shift_is_refused(tmp_path: Path) -> None:
    """A clock that neither jumps nor drifts is right."""
    with pytest.raises(SettingsError, match=r"fault\[0\] shifts no clock: jump is 0 and rate is 1"):
        read_scenario(written(tmp_path, RIGHT.replace('"partition"', '"clock-shift"')))


def test_rolling_restart_becomes_a_death_of_each_node() -> None:
    """One node after the other ends, and no two are away at once."""
    rolling = load_scenario("rolling-restart")
    strikes = draw(rolling, 1).strikes

    assert [strike.fault.name for strike in strikes] == ["upgrade-a", "upgrade-b", "upgrade-c"]
    assert [(strike.begins, strike.ends) for strike in strikes] == [(3, 13), (33, 43), (63, 73)]
