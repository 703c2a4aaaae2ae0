"""
`report.json`: written once by a run, read again by later versions, other machines, and hands.

A stored report is bad input like any other:
whatever is wrong with it ends in a `SettingsError` that names the file, the field and the way out.
Its JSON schema stands beside this file as `report.schema.json` (`json_schema`).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

import msgspec

from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.report.model import SCHEMA, Report

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "report.json"
SIZE_LIMIT: Final = 256 * 1024 * 1024
"""Bytes of a report that are read; a run of the whole catalogue writes less than a tenth."""

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class _Head(msgspec.Struct):
    """The one field that every version of the schema has."""

    schema: int


def save(report: Report, path: Path) -> None:
    """
    Write a report; `path` is the file.

    Half a character (a registry may send one escaped in JSON) has no place in UTF-8 and is written
    as U+FFFD.
    """
    try:
        data = msgspec.json.encode(report)
    except UnicodeEncodeError:
        data = msgspec.json.encode(_mended(msgspec.to_builtins(report)))
    unfinished = path.with_name(f"{path.name}.part")
    try:
        unfinished.write_bytes(msgspec.json.format(data, indent=1) + b"\n")
        unfinished.replace(path)
    except OSError as error:
        raise CannotRun(f"{path} cannot be written: {error.strerror}.") from error


def load(path: Path) -> Report:
    """Read a report; `path` is the file or the folder of its run."""
    file = path / FILE if path.is_dir() else path
    data = bounded_bytes(file)
    try:
        head = msgspec.json.decode(data, type=_Head)
        if head.schema > SCHEMA:
            raise SettingsError(
                f"{file}: schema is {head.schema}, and this eureka-tck reads up to {SCHEMA}.",
                "It was written by a newer eureka-tck; read it with that one, or upgrade.",
            )
        if head.schema < 1:
            raise SettingsError(f"{file}: schema is {head.schema}; it must be 1 to {SCHEMA}.")
        return msgspec.json.decode(data, type=Report)
    except msgspec.ValidationError as error:
        raise SettingsError(
            f"{file} is not a report: {_sentence(error)}",
            "It must be as the run wrote it; the schema is eureka_tck/report/report.schema.json.",
        ) from error
    except (ValueError, RecursionError) as error:  # malformed, truncated, not UTF-8, too deep
        raise SettingsError(
            f"{file} is not readable as JSON: {error}.",
            "It must be as the run wrote it; a run that was cut short leaves none.",
        ) from error


def json_schema() -> str:
    """Return the JSON schema of `report.json`, as `report.schema.json` holds it."""
    schema = msgspec.json.schema(Report)
    return json.dumps(schema, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def bounded_bytes(file: Path) -> bytes:
    """Return what a file of a run holds; SettingsError where it cannot be, or is too large."""
    try:
        with file.open("rb") as stream:
            data = stream.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise SettingsError(
            f"{file} cannot be read: {error.strerror}.",
            "Give the folder of a finished run, such as reports/latest.",
        ) from error
    if len(data) > SIZE_LIMIT:
        raise SettingsError(f"{file} is larger than {SIZE_LIMIT >> 20} MiB; no run writes that.")
    return data


def _sentence(error: msgspec.ValidationError) -> str:
    """Turn msgspec's "Expected `int`, got `str` - at `$.seed`" into subject and statement."""
    what, _, where = str(error).partition(" - at ")
    field = where.strip("`").removeprefix("$.") or "its top level"
    return f"at {field}: {what[:1].lower()}{what[1:]}."


def _mended(value: object) -> object:
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mended(item) for item in value]
    return value
