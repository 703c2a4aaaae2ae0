"""What is wrong with a TOML file that a person wrote: key, value, expectation, in a sentence."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import msgspec

WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}


def complaint(
    error: msgspec.ValidationError, raw: Mapping[str, object], kind: type[msgspec.Struct]
) -> str:
    """Return msgspec's error as a sentence about the file `raw` that should have been a `kind`."""
    what, _, where = str(error).partition(" - at `$")
    key = where.rstrip("`").lstrip(".")
    if unknown := re.search(r"unknown field `(.+)`", what):
        name = f"{key}.{unknown[1]}" if key else unknown[1]
        keys = kind.__struct_encode_fields__
        nearest = difflib.get_close_matches(unknown[1], keys, n=1)
        hint = f" Did you mean {nearest[0]}?" if nearest else ""
        return f"there is no key {name}.{hint}"
    if missing := re.search(r"missing required field `(.+)`", what):
        return f"{f'{key}.' if key else ''}{missing[1]} is missing."
    value = _at(key, raw)
    if expected := re.search(r"Expected `(.+?)`(.*?)(?:, got|$)", what):
        kinds = (WORDS.get(one, one) for one in expected[1].split(" | ") if one != "null")
        return f"{key} is {value!r}, but it must be {' or '.join(kinds)}{expected[2]}."
    return f"{key} is {value!r}, but that is wrong: {what[0].lower()}{what[1:]}."


def _at(key: str, raw: object) -> object:
    """Return what stands at a key such as `fault[0].node`, or as near to it as can be."""
    value = raw
    for part in re.findall(r"[^.\[\]]+", key):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
    return value
