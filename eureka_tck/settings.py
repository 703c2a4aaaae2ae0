"""
Settings of a registry by Spring's names: read from YAML or properties, brought to one spelling.

Spring reads `eviction-interval-timer-in-ms`, `evictionIntervalTimerInMs` and
`EUREKA_SERVER_EVICTIONINTERVALTIMERINMS` as one name (relaxed binding).
So that a user's file can override what a cluster sets by itself,
all are brought to the spelling of `settings.toml`.
Values stay text: what they mean is the registry's affair, but a number must be one.
"""

from __future__ import annotations

import difflib
import functools
import re
import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Any

from eureka_tck.errors import SettingsError
from eureka_tck.properties import read_properties
from eureka_tck.yaml_documents import read_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

STRICT = (
    "eureka.server.",
    "eureka.instance.registry.",
)  # a name not known here is a slip of the pen
LEGAL: Mapping[str, re.Pattern[str]] = {
    "whole number": re.compile(r"-?\d+"),
    "number": re.compile(r"-?\d+(\.\d*)?([eE][-+]?\d+)?|-?\.\d+"),
    "true or false": re.compile(r"true|false", re.IGNORECASE),
}


def canonical(name: str) -> str:
    """Return the one spelling of a setting's name; a name that is not known keeps its own."""
    known = _known()
    uniform = _uniform(name)
    if uniform in known:
        return known[uniform][0]
    for size in range(len(uniform.split(".")) - 1, 1, -1):  # a key of a map keeps its spelling
        head = ".".join(uniform.split(".")[:size])
        if head in known and known[head][1] == "map":
            return ".".join((known[head][0], *name.split(".")[size:]))
    return name


def normalise(settings: Mapping[str, object], source: str = "the settings") -> dict[str, str]:
    """
    Return the settings by their canonical names, each value as text.

    SettingsError names the source, the key, the value and what it must be.
    """
    found: dict[str, str] = {}
    for name, value in settings.items():
        key = canonical(name)
        text = _as_text(value)
        _check(source, name, key, text)
        found[key] = text
    return found


def load_settings(path: Path) -> dict[str, str]:
    """
    Read a settings file by its suffix: .yml, .yaml or .properties.

    Later documents of one YAML file override earlier ones, as in Spring.
    """
    source = str(path)
    if path.suffix not in {".yml", ".yaml", ".properties"}:
        raise SettingsError(
            f"{source}: the suffix {path.suffix!r} says nothing of its format.",
            "A settings file ends in .yml, .yaml or .properties.",
        )
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise SettingsError(f"{source}: cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{source}: is not UTF-8 text (byte {error.start}).") from error
    if path.suffix == ".properties":
        settings: Mapping[str, object] = dict(read_properties(text, source))
    else:
        settings = read_yaml(text, source)
    found = normalise(settings, source)
    _check_bounds(found, source)
    return found


def as_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings as environment variables, as EUREKA_SERVER_EVICTIONINTERVALTIMERINMS."""
    return {
        re.sub(r"[^A-Z0-9]", "_", name.replace("-", "").upper()): value
        for name, value in settings.items()
    }


def as_arguments(settings: Mapping[str, str]) -> list[str]:
    """Return the settings as arguments of a Spring application, as --server.port=8761."""
    return [f"--{name}={value}" for name, value in sorted(settings.items())]


@functools.cache
def _known() -> Mapping[str, tuple[str, str]]:
    """Return spelling and kind by the name without case, dashes and underscores."""
    return {
        _uniform(name): (name, kind)
        for kind, table in _data().items()
        if kind != "bounds"
        for name in table["names"]
    }


@functools.cache
def _data() -> Mapping[str, Any]:
    text = resources.files("eureka_tck").joinpath("settings.toml").read_text("utf-8")
    return tomllib.loads(text)


@functools.cache
def _groups() -> frozenset[str]:
    """Return the uniform names below which others stand, and which have no value themselves."""
    parts = [name.split(".") for name in _known()]
    heads = {".".join(name[:size]) for name in parts for size in range(1, len(name))}
    return frozenset(heads - _known().keys())


def _uniform(name: str) -> str:
    if re.fullmatch(r"[A-Z0-9_]+", name):  # an environment variable: its underscores are dots
        name = name.replace("_", ".")
    return name.replace("-", "").replace("_", "").lower()


def _check(source: str, name: str, key: str, text: str) -> None:
    uniform = _uniform(re.sub(r"\[\d+\]$", "", key))
    if uniform in _groups() and text not in {"", "{}", "[]"}:
        raise SettingsError(
            f"{source}: {name} is {text!r}, but it must be a group of settings, "
            f"such as {next(one for one, _ in _known().values() if _is_below(one, uniform))}.",
        )
    known = _known().get(uniform)
    if known is None:
        if key.startswith(STRICT) and not _is_in_map(uniform):
            _refuse_unknown(source, name)
        return
    legal = LEGAL.get(known[1])
    if legal is None or "${" in text or legal.fullmatch(text.strip()):
        return
    expected = {"whole number": "a whole number", "number": "a number"}.get(known[1], known[1])
    raise SettingsError(f"{source}: {name} is {text!r}, but it must be {expected}.")


def _is_in_map(uniform: str) -> bool:
    """Say whether a name is a key of a map, as remoteRegionUrlsWithName.far is."""
    parts = uniform.split(".")
    heads = (".".join(parts[:size]) for size in range(2, len(parts)))
    return any(known[1] == "map" for head in heads if (known := _known().get(head)))


def _is_below(name: str, uniform: str) -> bool:
    return _uniform(name).startswith(f"{uniform}.")


def _check_bounds(settings: Mapping[str, str], source: str) -> None:
    """Refuse numbers that make no sense; the kind of each has been checked."""
    for name, (least, *most) in _data()["bounds"].items():
        text = settings.get(name, "")
        if not text.strip() or "${" in text:
            continue
        if float(text) < least or (most and float(text) > most[0]):
            expected = f"from {least} to {most[0]}" if most else f"at least {least}"
            raise SettingsError(f"{source}: {name} is {text}, but it must be {expected}.")


def _refuse_unknown(source: str, name: str) -> None:
    spellings = [spelling for spelling, _ in _known().values()]
    nearest = difflib.get_close_matches(canonical(name), spellings, n=1, cutoff=0.7)
    hint = f"Did you mean {nearest[0]}?" if nearest else ""
    raise SettingsError(f"{source}: there is no setting {name}.", hint)


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
