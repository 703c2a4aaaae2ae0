"""
What it takes to play a run once more: the scenario, what was drawn of it, and where it was played.

`recipe.json` lies in the folder of every chaos run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from eureka_tck.errors import CannotRun
from eureka_tck.promises import PROMISES
from eureka_tck.schedules.scenario import Scenario
from eureka_tck.schedules.schedule import Schedule

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "recipe.json"


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it was asked for; `settings` are the user's own, `speed` None the target's own."""

    scenario: Scenario
    schedule: Schedule
    target: str
    backend: str
    speed: float | None = None
    settings: dict[str, str] = {}


def save_recipe(recipe: Recipe, folder: Path) -> None:
    """Write it into the folder of its run."""
    text = msgspec.json.format(msgspec.json.encode(recipe), indent=1)
    (folder / FILE).write_bytes(text + b"\n")


def load_recipe(folder: Path) -> Recipe:
    """Return what a run was made of; CannotRun says what is wrong with its folder."""
    path = folder / FILE
    try:
        recipe = msgspec.json.decode(path.read_bytes(), type=Recipe)
    except OSError as error:
        raise CannotRun(
            f"{path} cannot be read: {error.strerror or error}.",
            "Give the folder of a chaos run, such as reports/latest.",
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CannotRun(f"{path} is no recipe of a chaos run: {error}.") from error
    if problem := _contradiction(recipe):
        raise CannotRun(f"{path} cannot be played: {problem}.")
    return recipe


def _contradiction(recipe: Recipe) -> str:
    """Return what is wrong with a recipe whose parts are right each by itself, if anything."""
    nodes = set(recipe.schedule.nodes)
    if recipe.schedule.nodes != recipe.scenario.letters:
        return "the nodes of its schedule are not those of its scenario"
    members = [member for cast in recipe.schedule.casts for member in cast.members]
    places = {place for one in members for place in (one.home, one.elsewhere) if place}
    places |= {strike.fault.node for strike in recipe.schedule.strikes}
    if strangers := sorted(places - nodes):
        return f"it names node {strangers[0]!r}, and its nodes are {', '.join(sorted(nodes))}"
    if gone := [name for name in recipe.scenario.promises if name not in PROMISES]:
        return f"there is no promise {gone[0]!r}; the promises are {', '.join(PROMISES)}"
    return ""
