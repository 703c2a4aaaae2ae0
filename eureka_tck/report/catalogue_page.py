"""
The catalogue as one page: every row with why, source, known deviations, needs and its tests.

It needs no script and nothing beside it; the tests are linked where they lie.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from eureka_tck.errors import CannotRun
from eureka_tck.report.environment import render
from eureka_tck.report.figures import counted
from eureka_tck.report.model import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from eureka_tck.report.model import Expectation
    from eureka_tck.verdict.catalogue import Catalogue, Requirement
    from eureka_tck.verdict.selection import Claim

NOTES: Final = {
    "why": "Why",
    "deviation": "Java reference deviates",
    "spring": "Spring",
    "reference": "Java reference",
    "notes": "Note",
    "source": "Source",
}
"""What a row says beside its sentence, and what a reader calls it."""


@dataclass(frozen=True, slots=True)
class Note:
    """One line about a row."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class TestLine:
    """A test function: its name, where it lies, and how many cases it has."""

    __test__ = False  # pytest: the name is the domain's, not a test class

    name: str
    href: str
    docstring: str
    cases: int


@dataclass(frozen=True, slots=True)
class RowLine:
    """A row as the page shows it."""

    id: str
    level: str
    text: str
    notes: tuple[Note, ...]
    tests: tuple[TestLine, ...]


@dataclass(frozen=True, slots=True)
class ChapterBlock:
    """A chapter as the page shows it; `levels` counts its rows in the order of LEVELS."""

    prefix: str
    title: str
    legend: str
    levels: tuple[int, ...]
    tests: int
    rows: tuple[RowLine, ...]


def write_catalogue(
    file: Path,
    catalogue: Catalogue,
    claims: Sequence[Claim],
    suite: Path,
    deviations: Mapping[str, Sequence[Expectation]],
) -> None:
    """
    Write the page.

    Args:
        file: where it goes.
        catalogue: the rows.
        claims: all tests of the suite.
        suite: the folder they lie in.
        deviations: the expectations of each target, by its name.
    """
    to_suite = os.path.relpath(suite.resolve(), file.resolve().parent)
    by_row: dict[str, list[Claim]] = {}
    for claim in claims:
        for row in claim.requirements:
            by_row.setdefault(row, []).append(claim)
    chapters = [
        ChapterBlock(
            prefix=chapter.prefix,
            title=chapter.title,
            legend=chapter.legend,
            levels=tuple(sum(row.level == one for row in chapter.requirement) for one in LEVELS),
            tests=len({c.test for row in chapter.requirement for c in by_row.get(row.id, [])}),
            rows=tuple(
                RowLine(
                    row.id,
                    row.level,
                    row.text,
                    tuple(notes_of(row, catalogue, by_row.get(row.id, []), deviations)),
                    tuple(_tests(by_row.get(row.id, []), to_suite)),
                )
                for row in chapter.requirement
            ),
        )
        for chapter in catalogue.files
    ]
    judged = sum(bool(row.tests) for chapter in chapters for row in chapter.rows)
    text = render(
        "catalogue.html.j2",
        page_title="The Eureka protocol, as a catalogue of requirements",
        heading="catalogue",
        links=[],
        sentence=f"The Eureka protocol in {counted(len(catalogue), 'requirement')}",
        lead=f"{judged} of them are judged, by {counted(len(claims), 'test')}. "
        "A row opens to say why it matters, where it comes from, who breaks it and what judges it.",
        chapters=chapters,
        version=version("eureka-tck"),
    )
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    except OSError as error:
        raise CannotRun(f"{file} cannot be written: {error.strerror}.") from error


def notes_of(
    row: Requirement,
    catalogue: Catalogue,
    claims: Iterable[Claim],
    deviations: Mapping[str, Sequence[Expectation]],
) -> Iterator[Note]:
    """Return all that is known of a row beside its sentence."""
    for key, name in NOTES.items():
        if text := getattr(row, key):
            yield Note(name, text)
    breakers = [
        target
        for target, entries in deviations.items()
        if any(e.requirement == row.id and e.kind == "known deviation" for e in entries)
    ]
    if breakers:
        yield Note("Shown to break it", ", ".join(breakers))
    if needs := sorted({need for claim in claims for need in claim.needs}):
        yield Note("Needs", ", ".join(needs))
    if reason := catalogue.unjudged(row):
        yield Note("Not judged", reason)


def _tests(claims: Iterable[Claim], to_suite: str) -> Iterator[TestLine]:
    """Join the cases of a test function to one line."""
    functions: dict[str, list[Claim]] = {}
    for claim in claims:
        functions.setdefault(claim.test.split("[")[0], []).append(claim)
    for name, cases in functions.items():
        file, _, function = name.partition("::")
        yield TestLine(
            function,
            f"{quote(to_suite)}/{quote(file)}#L{cases[0].line}",
            cases[0].docstring,
            len(cases),
        )
