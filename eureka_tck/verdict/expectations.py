"""
What a target is known to break, and with which wrong answer: strict both ways.

    [[expectation]]
    requirement = "REG-04"
    test = "test_register.py::test_a_body_that_cannot_be_parsed_is_refused[null]"
    kind = "known deviation"       # or "not built yet"
    actual = "500"                 # stands in the failure's `actual` or in its sentence
    reason = "…"                   # never empty
    hurts = "…"                    # whom
    also = ["404"]                 # other wrong answers that will do: of a mixed cluster's members
    frequency = "always"           # or "sometimes": a race; not seen is reported, not a failure

A command rewrites the file from a run's results and keeps what people wrote (`updated`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec
import tomlkit
from msgspec import Struct

from eureka_tck.complaint import read_toml
from eureka_tck.errors import CannotRun
from eureka_tck.report.model import Expectation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from eureka_tck.report.model import Kind, TestResult
    from eureka_tck.verdict.catalogue import Catalogue

TABLES: Final = "expectation"

DEFAULTS: Final = {field.name: field.default for field in msgspec.structs.fields(Expectation)}

UNFILLED: Final = "TO BE FILLED IN"
"""What an update writes where a person must say why, and who is hurt; it is refused when read."""

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
    if not all(text.strip() for text in entry.also):
        return "has an empty text in also: it would be met by whatever goes wrong"
    for key in ("reason", "hurts"):
        if UNFILLED in getattr(entry, key):
            return f"has a {key} that nobody has filled in yet: {entry.test}"
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
    A new entry takes the catalogue's word for the deviation as its reason, if there is one;
    what only a person can say is marked, and the file is refused until it is said.
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
                    reason=(kind == "known deviation" and catalogue[row].deviation) or UNFILLED,
                    hurts=UNFILLED,
                )
            elif not shows(entry, result):
                kept[key] = msgspec.structs.replace(entry, actual=telling(result))
    order = {row.id: at for at, row in enumerate(catalogue)}
    return tuple(sorted(kept.values(), key=lambda entry: (order[entry.requirement], entry.test)))


def shows(entry: Expectation, result: TestResult) -> bool:
    """Say whether a failure is the one that is expected."""
    return any(text in result.actual or text in result.sentence for text in entry.wrong_answers)


def telling(result: TestResult) -> str:
    """Return the part of a wrong answer that will be the same next time, as far as we can tell."""
    text = result.actual or result.sentence
    if status := re.match(r"\d{3}\b", text):
        return status.group()
    return re.split(r"[{<(]|\d{4,}", text)[0].strip()[:ACTUAL_LENGTH] or text[:ACTUAL_LENGTH]


def write_expectations(path: Path, entries: Sequence[Expectation]) -> None:
    """
    Bring the file to these entries; what people wrote in and around those that stay, stays.

    A comment in front of an entry that goes is handed to the next one: it may head a group.
    """
    head, blocks = _split(path.read_text("utf-8") if path.exists() else "")
    wanted = {(entry.requirement, entry.test): entry for entry in entries}
    written: dict[tuple[str, str], str] = {}
    orphaned = ""
    for comment, text in blocks:
        document = tomlkit.parse(text)
        table = document[TABLES][0]
        key = (str(table["requirement"]), str(table["test"]))
        if key not in wanted:
            orphaned = "\n\n".join(part for part in (orphaned, comment) if part)
            continue
        for name, value in msgspec.to_builtins(wanted[key]).items():
            if table.get(name, DEFAULTS.get(name)) != value:
                table[name] = value
        parts = (orphaned, comment, tomlkit.dumps(document).strip())
        written[key] = "\n".join(part for part in parts if part)
        orphaned = ""
    texts = [written.get(key) or _new(entry) for key, entry in wanted.items()]
    whole = "\n\n".join(part for part in (head, *texts, orphaned) if part)
    path.write_text(f"{whole}\n", "utf-8")


def _split(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return what stands on top, and each entry with the comment in front of it."""
    lines = text.splitlines()
    starts = [at for at, line in enumerate(lines) if line.strip() == f"[[{TABLES}]]"]
    blocks = []
    comments = [_comment_before(lines, at) for at in starts]
    for number, at in enumerate(starts):
        last = number + 1 == len(starts)
        end = len(lines) if last else comments[number + 1]
        comment = "" if number == 0 else "\n".join(lines[comments[number] : at]).strip()
        blocks.append((comment, "\n".join(lines[at:end]).strip()))
    return "\n".join(lines[: starts[0]] if starts else lines).strip(), blocks


def _comment_before(lines: Sequence[str], at: int) -> int:
    """Return the line where the comment in front of a line begins."""
    while at and (not lines[at - 1].strip() or lines[at - 1].lstrip().startswith("#")):
        at -= 1
    return at


def _new(entry: Expectation) -> str:
    table = {name: value for name, value in msgspec.to_builtins(entry).items() if value}
    return tomlkit.dumps({TABLES: [table]}).strip()
