"""The track record in the README of chaos: each line can be played."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from eureka_tck.promises import PROMISES
from eureka_tck.schedules.scenario import load_scenario

ROOT = Path(__file__).parent.parent
SABOTEURS = ROOT / "tests" / "saboteurs" / "chaos"


def track_record() -> list[list[str]]:
    """Return the cells of each line of the table."""
    text = (ROOT / "chaos" / "README.md").read_text("utf-8").split("## Track record")[1]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


@pytest.mark.parametrize("row", track_record(), ids=lambda row: row[1])
def test_each_line_names_what_plays_it_and_the_promises_that_it_breaks(row: list[str]) -> None:
    """A scenario that there is, a drawn seed, or a wrong registry of ours."""
    _, shown_by, promises, _ = row
    scenarios = re.findall(r"--scenario ([a-z-]+) --seed \d+`", shown_by)
    drawn = re.findall(r"--explore \d+ --seed \d+`", shown_by)
    saboteurs = re.findall(r"saboteur `(\w+)`", shown_by)

    assert scenarios or drawn or saboteurs
    assert all(load_scenario(name).promises for name in scenarios)
    assert all((SABOTEURS / f"{name}.toml").is_file() for name in saboteurs)
    assert set(re.findall(r"`(\w+)`", promises)) <= set(PROMISES)


def test_every_wrong_registry_of_ours_stands_in_it_with_its_promise() -> None:
    """As the matrix says which promise catches it."""
    matrix = tomllib.loads((SABOTEURS / "matrix.toml").read_text("utf-8"))
    told = {row[1]: row[2] for row in track_record()}

    assert {name: told.get(f"saboteur `{name}`") for name in matrix} == {
        name: f"`{case['promise']}`" for name, case in matrix.items()
    }
