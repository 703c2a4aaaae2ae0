"""What is wrong with a TOML file that a person wrote: key, value, expectation, in a sentence."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec
from msgspec import inspect

from eureka_tck.errors import SettingsError

if TYPE_CHECKING:
    from pathlib import Path

Kind = TypeVar("Kind", bound=msgspec.Struct)

WORDS: Final = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}
TYPES: Final[Mapping[str, type]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "array": list,
    "object": dict,
}
ANY_KEY: Final = "[...]"
"""How msgspec names a key of a table whose keys are free."""


def read_toml(path: Path, kind: type[Kind]) -> Kind:
    """Read a file as a `kind`; SettingsError names file, key, value and what it must be."""
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror or error}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: is not TOML: {error}.") from error
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}: {complaint(error, raw, kind)}") from error


def complaint(
    error: msgspec.ValidationError, raw: Mapping[str, object], kind: type[msgspec.Struct]
) -> str:
    """Return msgspec's error as a sentence about the file `raw` that should have been a `kind`."""
    what, _, where = str(error).partition(" - at `$")
    got = re.search(r", got `(.+)`", what)
    key, value = _found(where.rstrip("`").lstrip("."), raw, got[1] if got else "")
    if unknown := re.search(r"unknown field `(.+)`", what):
        name = f"{key}.{unknown[1]}" if key else unknown[1]
        keys = [field.encode_name for field in _fields(_kind_at(key, raw, kind))]
        nearest = difflib.get_close_matches(unknown[1], keys, n=1)
        hint = f" Did you mean {nearest[0]}?" if nearest else ""
        return f"there is no key {name}.{hint}"
    if missing := re.search(r"missing required field `(.+)`", what):
        return f"{f'{key}.' if key else ''}{missing[1]} is missing."
    if expected := re.search(r"Expected `(.+?)`(.*?)(?:, got|$)", what):
        kinds = (WORDS.get(one, one) for one in expected[1].split(" | ") if one != "null")
        return f"{key} is {value!r}, but it must be {' or '.join(kinds)}{expected[2]}."
    if choices := _choices(key, raw, kind):
        return f"{key} is {value!r}, but it must be {' or '.join(map(repr, choices))}."
    return f"{key} is {value!r}, but that is wrong: {what[0].lower()}{what[1:]}."


def _found(where: str, raw: Mapping[str, object], got: str) -> tuple[str, object]:
    """Return the key at which a value of the type `got` stands, and the value."""
    parts = re.findall(r"\[\.\.\.\]|[^.\[\]]+", where)
    wanted = TYPES.get(got)
    for key, value in _walk(parts, "", raw):
        if wanted is None or type(value) is wanted:
            return key, value
    return where, None


def _walk(parts: list[str], key: str, value: object) -> Iterator[tuple[str, object]]:
    """Yield each key that the parts can mean, with its value."""
    if not parts:
        yield key, value
        return
    part, rest = parts[0], parts[1:]
    if isinstance(value, list) and part.isdecimal() and int(part) < len(value):
        yield from _walk(rest, f"{key}[{part}]", value[int(part)])
    elif isinstance(value, Mapping):
        for name in value if part == ANY_KEY else [part]:
            yield from _walk(rest, f"{key}.{name}" if key else str(name), value.get(name))


def _kind_at(key: str, raw: object, kind: type[msgspec.Struct]) -> inspect.Type:
    """Return what must stand at a key such as `fault[0].node`, as far as that is known."""
    at, value = inspect.type_info(kind), raw
    for part in re.findall(r"[^.\[\]]+", key):
        at = _chosen(at, value)
        if isinstance(value, list) and part.isdecimal():
            at = getattr(at, "item_type", inspect.AnyType())
            value = value[int(part)]
        elif isinstance(value, Mapping):
            below = [field.type for field in _fields(at) if field.encode_name == part]
            at = below[0] if below else getattr(at, "value_type", inspect.AnyType())
            value = value.get(part)
    return _chosen(at, value)


def _chosen(at: inspect.Type, value: object) -> inspect.Type:
    """Return the struct of a union that a table's tag chooses."""
    at = at.type if isinstance(at, inspect.Metadata) else at
    if isinstance(at, inspect.UnionType) and isinstance(value, Mapping):
        for one in at.types:
            if isinstance(one, inspect.StructType) and value.get(one.tag_field or "") == one.tag:
                return one
    return at


def _fields(at: inspect.Type) -> tuple[inspect.Field, ...]:
    return at.fields if isinstance(at, inspect.StructType) else ()


def _choices(key: str, raw: Mapping[str, object], kind: type[msgspec.Struct]) -> list[object]:
    """Return what may stand at a key where only some words may."""
    at = _kind_at(key, raw, kind)
    if isinstance(at, inspect.LiteralType):
        return list(at.values)
    parent, _, last = key.rpartition(".")
    above = _kind_at(parent, raw, kind)
    structs = above.types if isinstance(above, inspect.UnionType) else (above,)
    return [
        one.tag
        for one in structs
        if isinstance(one, inspect.StructType) and one.tag_field == last and last
    ]
