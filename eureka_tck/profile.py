"""
A profile: a named set of settings that the tests of one kind share a cluster of.

Profiles are data, `fixtures/profiles/<name>.toml`:

    name = "evict"
    nodes = 1                  # default 1
    links = false              # default false: Toxiproxy only where a test needs it
    wall_steps = false         # default false: what steps a running node's wall clock
    ready = "open"             # or "http": for rows about the time before a node opens
    autostart = true           # default true; false: a recording starts the nodes itself
    locale = "tr_TR"           # default none: the language and country its nodes run in
    scripted = ["one", "two"]  # scripted peers, told to each node; default none
    max_speed = 20             # the highest speed that keeps the tolerances
    seconds = 230              # registry s its tests are predicted to take
    quick_seconds = 90         # default the same: in a quick gate
    why = "…"
    [settings]                 # Spring's names
    [settings_for.c]           # node c's own
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Literal

import msgspec

from eureka_tck.complaint import read_toml
from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.settings import normalise
from eureka_tck.suite import suite_root

if TYPE_CHECKING:
    from pathlib import Path

Value = str | int | float | bool


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One profile; its settings are brought to one spelling when it is loaded."""

    name: str
    max_speed: float
    seconds: float
    why: str
    quick_seconds: float | None = None
    nodes: int = 1
    links: bool = False
    wall_steps: bool = False
    ready: Literal["open", "http"] = "open"
    autostart: bool = True
    scripted: tuple[str, ...] = ()
    locale: str = ""
    settings: dict[str, Value] = msgspec.field(default_factory=dict)
    settings_for: dict[str, dict[str, Value]] = msgspec.field(default_factory=dict)


def load_profile(name: str, folder: Path | None = None) -> Profile:
    """Return a profile by its name; each file is read once, since every test asks for one."""
    folder = folder if folder is not None else suite_root() / "fixtures" / "profiles"
    return _load(name, folder)


@functools.cache
def _load(name: str, folder: Path) -> Profile:
    path = folder / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in folder.glob("*.toml"))) or "none"
        raise CannotRun(f"there is no profile {name!r}.", f"The profiles are: {known}.")
    return read_profile(path)


def load_profiles(folder: Path | None = None) -> dict[str, Profile]:
    """Return all profiles by name."""
    folder = folder if folder is not None else suite_root() / "fixtures" / "profiles"
    return {path.stem: read_profile(path) for path in sorted(folder.glob("*.toml"))}


def read_profile(path: Path) -> Profile:
    """Read one file; SettingsError names file, key, value and what it must be."""
    profile = read_toml(path, Profile)
    if profile.name != path.stem:
        raise SettingsError(f"{path}: name is {profile.name!r}, but it must be {path.stem!r}.")
    for key, value, low in (
        ("nodes", profile.nodes, 1),
        ("max_speed", profile.max_speed, 1),
        ("seconds", profile.seconds, 0),
        ("quick_seconds", profile.quick_seconds or 0, 0),
    ):
        if value < low:
            raise SettingsError(f"{path}: {key} is {value:g}, but it must be at least {low}.")
    source = str(path)
    return msgspec.structs.replace(
        profile,
        settings=normalise(profile.settings, source),
        settings_for={
            node: normalise(own, f"{source}, settings_for.{node}")
            for node, own in profile.settings_for.items()
        },
    )
