"""
The catalogue: what a registry, or a client, must do, row by row.

Its files are data under `conformance/requirements/`, one a chapter.
Ids are permanent: never renumbered, a retired one never reused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from eureka_tck.complaint import read_toml
from eureka_tck.errors import CannotRun
from eureka_tck.report.model import Chapter, Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

ROW_ID: Final = re.compile(r"[A-Z]+-\d{2}")


class Requirement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    One row.

    `deviation` is how the Java reference breaks it, `spring` and `reference` how it reads there
    (a reading that passes), `notes` what a tester must know, `source` where the rule lives in
    the reference's code; `unjudged` is why nobody can judge it from outside, where that is so.
    """

    id: str
    level: Level
    text: str
    why: str
    deviation: str = ""
    spring: str = ""
    reference: str = ""
    notes: str = ""
    source: str = ""
    unjudged: str = ""

    @property
    def chapter(self) -> str:
        """The prefix of the chapter it belongs to."""
        return self.id.partition("-")[0]


class ChapterFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    A file of the catalogue; `number` orders the chapters, `legend` explains its letters.

    `unjudged` says why no row of the chapter is judged, where that is so.
    """

    prefix: str
    title: str
    number: float
    legend: str = ""
    unjudged: str = ""
    requirement: tuple[Requirement, ...]


class Catalogue:
    """All rows, in the order of their chapters."""

    def __init__(self, files: Iterable[ChapterFile]) -> None:
        self.files = tuple(sorted(files, key=lambda file: file.number))
        self._rows = {row.id: row for file in self.files for row in file.requirement}

    @property
    def chapters(self) -> tuple[Chapter, ...]:
        """The chapters as a report names them."""
        return tuple(Chapter(prefix=file.prefix, title=file.title) for file in self.files)

    def unjudged(self, row: Requirement) -> str:
        """Return why this row is not judged from outside; empty where it should be."""
        chapter = next(file for file in self.files if file.prefix == row.chapter)
        return row.unjudged or chapter.unjudged

    def __contains__(self, identity: object) -> bool:
        return identity in self._rows

    def __getitem__(self, identity: str) -> Requirement:
        return self._rows[identity]

    def __iter__(self) -> Iterator[Requirement]:
        return iter(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)


def load_catalogue(folder: Path) -> Catalogue:
    """Read all files of the folder; CannotRun names file, row and what is wrong with it."""
    paths = sorted(folder.glob("*.toml"))
    if not paths:
        raise CannotRun(f"the catalogue is not here: no .toml file in {folder}.")
    files = [_load(path) for path in paths]
    seen: dict[str, Path] = {}
    for path, file in zip(paths, files, strict=True):
        for row in file.requirement:
            if row.id in seen:
                raise CannotRun(f"{path}: the id {row.id} stands in {seen[row.id]} already.")
            seen[row.id] = path
    return Catalogue(files)


def _load(path: Path) -> ChapterFile:
    file = read_toml(path, ChapterFile)
    for row in file.requirement:
        if not ROW_ID.fullmatch(row.id) or row.chapter != file.prefix:
            raise CannotRun(f"{path}: {row.id!r} is not an id of the chapter {file.prefix}.")
    return file
