"""
A storm: what the fleet does to the registry, as data (`load/storms/*.toml`).

Reading one is strict: an unknown key, a wrong type or a value out of range names file, key,
value and what was expected. This file knows nothing of Locust.
"""

from __future__ import annotations

import difflib
import tomllib
from typing import TYPE_CHECKING

import msgspec

from eureka_tck.complaint import complaint
from eureka_tck.errors import CannotRun, SettingsError

if TYPE_CHECKING:
    from pathlib import Path

MOST_INSTANCES = 1_000_000
LONGEST_MINUTES = 24 * 60


class Storm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """
    One storm. Durations are real seconds: load runs at speed 1.

    `jitter` is the share of the renewal interval by which one renewal may come early or late, as a
    client's timer does; 0 keeps every instance strictly on its phase.
    """

    name: str
    story: str
    instances: int
    minutes: float
    applications: int = 20
    renewal_interval: float = 30.0
    duration: float = 90.0
    jitter: float = 0.0
    connections: int = 16


def storm_names(folder: Path) -> list[str]:
    """Return the names of all storms below `folder`, sorted."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def load_storm(folder: Path, name: str) -> Storm:
    """Return the storm `name`; CannotRun lists the names that exist when it does not."""
    path = folder / f"{name}.toml"
    known = storm_names(folder)
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise CannotRun(
            f"there is no storm called {name!r}", f"{hint}the storms are: {', '.join(known)}"
        )
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: is not TOML: {error}.") from error
    try:
        storm = msgspec.convert(raw, Storm)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}: {complaint(error, raw, Storm)}") from error
    return checked(storm, str(path))


def checked(storm: Storm, source: str) -> Storm:
    """Return `storm` if every figure makes sense; SettingsError names the first that does not."""
    ranges: list[tuple[str, float, float, float]] = [
        ("instances", storm.instances, 1, MOST_INSTANCES),
        ("minutes", storm.minutes, 0.1, LONGEST_MINUTES),
        ("applications", storm.applications, 1, storm.instances),
        ("renewal_interval", storm.renewal_interval, 1, 3600),
        ("duration", storm.duration, storm.renewal_interval, 86_400),
        ("jitter", storm.jitter, 0, 0.5),
        ("connections", storm.connections, 1, 1024),
    ]
    for key, value, low, high in ranges:
        if not low <= value <= high:
            raise SettingsError(
                f"{source}: {key} is {value:g}; it must be from {low:g} to {high:g}"
            )
    return storm
