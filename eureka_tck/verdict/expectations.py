"""
What a target is known to break, and with which wrong answer: strict both ways.

    [[expectation]]
    requirement = "REG-04"
    test = "test_register.py::test_a_body_that_cannot_be_parsed_is_refused[null]"
    kind = "known deviation"       # or "not built yet"
    actual = "500"                 # stands in the failure's `actual` or in its sentence
    reason = "…"                   # never empty
    hurts = "…"                    # whom
    frequency = "always"           # or "sometimes": a race; not seen is reported, not a failure

A command rewrites the file from a run's results and keeps what people wrote (`updated`).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from eureka_tck.complaint import read_toml
from eureka_tck.errors import CannotRun
from eureka_tck.report.model import Expectation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from eureka_tck.report.model import Kind, TestResult
    from eureka_tck.verdict.catalogue import Catalogue

ACTUAL_LENGTH: Final = 60
"""Characters of a wrong answer that a new entry takes over."""


class _File(Struct, forbid_unknown_fields=True):
    expectation: tuple[Expectation, ...] = ()


def load_expectations(path: Path, catalogue: Catalogue) -> tuple[Expectation, ...]:
    """Read a target's file, empty where there is none; CannotRun names file, entry, fault."""
    if not path.exists():
        return ()
    entries = read_toml(path, _File).expectation
    seen: set[tuple[str, str]] = set()
    for number, entry in enumerate(entries, 1):
        fault = _fault(entry, catalogue, seen)
        if fault:
            raise CannotRun(f"{path}: expectation {number} ({entry.requirement}) {fault}.")
        seen.add((entry.requirement, entry.test))
    return entries


def _fault(entry: Expectation, catalogue: Catalogue, seen: set[tuple[str, str]]) -> str:
    if entry.requirement not in catalogue:
        return "names no row of the catalogue"
    if (entry.requirement, entry.test) in seen:
        return f"stands twice for {entry.test}"
    for key in ("test", "actual", "reason"):
        if not getattr(entry, key).strip():
            return f"has no {key}: an expectation says which test fails, how, and why"
    return ""


def updated(
    known: Sequence[Expectation],
    results: Iterable[TestResult],
    catalogue: Catalogue,
    kind: Kind,
) -> tuple[Expectation, ...]:
    """
    Return the expectations that these results would meet.

    What people wrote is kept: reason, hurts, kind, frequency, and `actual` while it still matches.
    An entry whose test passed goes, unless it shows only sometimes;
    one whose test did not run, or said nothing, stays.
    A new entry takes the catalogue's word for the deviation as its reason, if there is one.
    """
    by_test = {result.id: result for result in results}
    kept = {
        (entry.requirement, entry.test): entry
        for entry in known
        if (result := by_test.get(entry.test)) is None
        or result.outcome != "passed"
        or entry.frequency == "sometimes"
    }
    for result in by_test.values():
        if result.outcome != "failed":
            continue
        for row in result.requirements:
            key = (row, result.id)
            entry = kept.get(key)
            if entry is None:
                kept[key] = Expectation(
                    requirement=row,
                    test=result.id,
                    kind=kind,
                    actual=telling(result),
                    reason=catalogue[row].deviation if kind == "known deviation" else "",
                )
            elif not shows(entry, result):
                kept[key] = msgspec.structs.replace(entry, actual=telling(result))
    order = {row.id: at for at, row in enumerate(catalogue)}
    return tuple(sorted(kept.values(), key=lambda entry: (order[entry.requirement], entry.test)))


def shows(entry: Expectation, result: TestResult) -> bool:
    """Say whether a failure is the one that is expected."""
    return entry.actual in result.actual or entry.actual in result.sentence


def telling(result: TestResult) -> str:
    """Return the part of a wrong answer that will be the same next time, as far as we can tell."""
    text = result.actual or result.sentence
    if status := re.match(r"\d{3}\b", text):
        return status.group()
    return re.split(r"[{<(]|\d{4,}", text)[0].strip()[:ACTUAL_LENGTH] or text[:ACTUAL_LENGTH]


def write_expectations(path: Path, entries: Iterable[Expectation]) -> None:
    """Write the file; the comment on top of the old one stays."""
    head = ""
    if path.exists():
        head = path.read_text("utf-8").partition("[[expectation]]")[0].strip()
    blocks = [_block(msgspec.to_builtins(entry)) for entry in entries]
    path.write_text("\n\n".join(part for part in [head, *blocks] if part) + "\n", "utf-8")


def _block(entry: Mapping[str, object]) -> str:
    lines = [
        f"{key} = {json.dumps(value, ensure_ascii=False)}"
        for key, value in entry.items()
        if value or key == "reason"
    ]
    return "\n".join(["[[expectation]]", *lines])
