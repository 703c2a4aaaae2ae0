"""
The page of a run that facts and tables tell: chaos and load, in the same style as conformance.

    write_simple(folder, RunPage(
        title="Chaos on python, scenario partition-one",
        verdict="failed",
        verdict_word="Not conformant",
        sentence="python breaks 1 promise of 2: node b evicted 3 live instances.",
        lead="The cut lasted 45 s. 1 promise held.",
        facts=[Fact("Seed", "11", "reproduced in 5 of 5 runs")],
        tables=[Table("Promises", ("Promise", "Budget", "Measured"), [...], numbers={1, 2})],
        links=[Link("history.jsonl"), Link("locust.html", "Locust's own report")],
        command="eureka-tck chaos --scenario partition-one --seed 11",
        exit_code=1,
    ))

Promises are kept or broken, budgets met or broken: a row of a table says its own word.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from eureka_tck.errors import CannotRun
from eureka_tck.report.environment import KEYS, render, visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from eureka_tck.report.drawing import Chart
    from eureka_tck.report.model import Verdict
    from eureka_tck.report.timeline import Timeline

FILE: Final = "index.html"

AROUND: Final = 20.0
"""s on each side of a fault that a closer look shows."""
FAULTS_ZOOMED: Final = 4


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact about the run: its name, its value with unit, and a smaller line below it."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A file beside the page, by its path from the run's folder."""

    path: str
    label: str = ""

    @property
    def text(self) -> str:
        """What the reader clicks at."""
        return self.label or self.path

    @property
    def href(self) -> str:
        """The address: always a path below the folder, never a scheme."""
        return f"./{quote(visible(self.path))}"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with a smaller line below its text."""

    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table; with a verdict it has that shape and colour, and its own word for it."""

    cells: Sequence[Cell | str]
    verdict: Verdict | None = None
    word: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a title; `numbers` are the columns of figures, counted from 0."""

    title: str
    head: Sequence[str]
    rows: Sequence[Row]
    lead: str = ""
    numbers: frozenset[int] | set[int] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """
    A line of "how long until …"; the shares are of the longest time of the table.

    A share is None where there is no such time: nothing bounds it, or nothing was measured.
    """

    until: str
    computed: str
    formula: str
    measured: str
    computed_share: float | None
    measured_share: float | None
    is_over: bool
    setting: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Zoom:
    """A stretch of the time axis that a reader can look at closely."""

    said: str
    began: float
    ended: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """
    All that the page says; `verdict` picks the shape and colour of `verdict_word`.

    `timeline` stands behind the first table, `waits` and `charts` behind it.
    """

    title: str
    verdict: Verdict
    verdict_word: str
    sentence: str
    lead: str = ""
    facts: Sequence[Fact] = ()
    tables: Sequence[Table] = ()
    links: Sequence[Link] = ()
    command: str = ""
    exit_code: int = 0
    timeline: Timeline | None = None
    waits: Sequence[Wait] = ()
    charts: Sequence[Chart] = ()


def write_simple(folder: Path, page: RunPage) -> Path:
    """Write the page as `index.html` into the run's folder and return its path."""
    text = render(
        "run.html.j2",
        *(("copy.js", "timeline.js") if page.timeline else ("copy.js",)),
        page_title=f"{page.verdict_word}: {page.title}",
        heading=page.title,
        key=KEYS[page.verdict],
        word=page.verdict_word,
        exit_code=page.exit_code,
        sentence=page.sentence,
        lead=page.lead,
        facts=page.facts,
        tables=[_shown(table) for table in page.tables],
        timeline=page.timeline,
        zooms=zooms_of(page.timeline) if page.timeline else (),
        waits=page.waits,
        charts=page.charts,
        links=page.links,
        again=page.command,
        version=version("eureka-tck"),
    )
    file = folder / FILE
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise CannotRun(f"{file} cannot be written: {error.strerror}.") from error
    return file


def zooms_of(timeline: Timeline) -> list[Zoom]:
    """Return the whole run, the stretch around each of the first faults, and what came after."""
    zooms = [Zoom("Whole run", timeline.began, timeline.end)]
    first = timeline.bands[:FAULTS_ZOOMED]
    for number, band in enumerate(first, 1):
        around = max(AROUND, 0.25 * (band.ended - band.began))
        name = "Around the fault" if len(timeline.bands) == 1 else f"Fault {number}"
        began = max(timeline.began, band.began - around)
        ended = min(timeline.end, band.ended + around)
        zooms.append(Zoom(name, round(began, 1), round(ended, 1)))
    healed = max((band.ended for band in timeline.bands), default=timeline.end)
    if healed < timeline.end:
        zooms.append(
            Zoom("After the heal", round(max(timeline.began, healed - 5), 1), timeline.end)
        )
    return zooms


def _shown(table: Table) -> dict[str, object]:
    return {
        "title": table.title,
        "lead": table.lead,
        "head": table.head,
        "numbers": table.numbers,
        "is_judged": any(row.verdict for row in table.rows),
        "rows": [
            {
                "key": KEYS[row.verdict],
                "word": row.word or (row.verdict or "").capitalize(),
                "cells": [cell if isinstance(cell, Cell) else Cell(cell) for cell in row.cells],
            }
            for row in table.rows
        ],
    }
