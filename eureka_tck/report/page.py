"""
The page of a conformance run: `index.html`, complete without script, opened from disk.

This file decides what stands where; the words come from the report and `sentence.py`,
the shapes and the markup from `templates/`, what a row shows of its evidence from `evidence.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.report.axis import axis_of
from eureka_tck.report.environment import KEYS, render
from eureka_tck.report.evidence import Desk, Evidence
from eureka_tck.report.figures import counted, duration, size
from eureka_tck.report.model import LEVELS
from eureka_tck.report.run_page import Fact, Link
from eureka_tck.report.sentence import worded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eureka_tck.report.model import Chapter, JudgedTest, Report, RowVerdict

GROUPS: Final[Mapping[str, tuple[str, str]]] = {
    "fail": ("Failed", "broken here and not listed as a known deviation"),
    "upass": (
        "Unexpected pass",
        "listed as a known deviation, but the target keeps the row; this fails the run too",
    ),
    "inc": (
        "Inconclusive",
        "the mechanism under test never fired, or the harness was too late to judge",
    ),
    "dev": ("Known deviation", "ran and failed as the expectations say"),
    "ref": ("Differs", "not as the reference happens to do; no failure of another registry"),
    "na": ("Not applicable", "no verdict on the target: something is missing to judge them"),
    "pass": ("Passed", ""),
    "none": ("Not judged", "rows of the catalogue that no test of this run judges"),
}
"""Keys of the rows in order of attention, their word, and what it means."""

WORDS: Final[Mapping[str, str]] = {
    "Conformant": "pass",
    "As expected": "pass",
    "Not conformant": "fail",
    "Not as expected": "fail",
    "Inconclusive": "inc",
}
FIRST: Final = 12
"""How many failures are named on top of the page; the rows below have all of them."""


@dataclass(frozen=True, slots=True)
class ShownTest:
    """A test that decides its row, with its evidence."""

    judged: JudgedTest
    key: str
    word: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row as the page shows it: `tests` with evidence, `passed` by name only."""

    row: RowVerdict
    key: str
    word: str
    headline: str
    note: str
    seconds: float
    tests: tuple[ShownTest, ...]
    passed: tuple[JudgedTest, ...]

    @property
    def id(self) -> str:
        """The requirement's permanent id."""
        return self.row.id


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of one verdict, under its title."""

    key: str
    title: str
    meaning: str
    rows: tuple[ShownRow, ...]


@dataclass(frozen=True, slots=True)
class Cells:
    """The rows of one chapter and level: one mark each; `kept` of `judged`."""

    level: str
    rows: tuple[ShownRow, ...]

    @property
    def judged(self) -> int:
        """Rows about which the run says something."""
        return sum(row.key not in ("inc", "na", "none") for row in self.rows)

    @property
    def kept(self) -> int:
        """Rows that the target keeps."""
        return sum(row.key in ("pass", "upass") for row in self.rows)

    @property
    def label(self) -> str:
        """What a reader without eyes is told: the figures, then each row that is not passed."""
        others = [f"{row.id} {row.word.lower()}" for row in self.rows if row.key != "pass"]
        return "; ".join([f"{self.level}: {self.kept} of {self.judged} kept", *others])


def render_page(report: Report) -> str:
    """Return the page of a conformance run as HTML."""
    report = worded(report)
    rows = _rows(report)
    return render(
        "conformance.html.j2",
        "copy.js",
        "rows.js",
        page_title=f"{report.verdict_word}: {report.target}, eureka-tck {report.suite}",
        heading=f"{report.suite.capitalize()} of {report.target}",
        links=[Link("report.json"), Link("junit.xml")],
        key=WORDS.get(report.verdict_word, "none"),
        word=report.verdict_word,
        exit_code=report.exit_code,
        sentence=report.verdict_sentence,
        lead=report.rest_sentence,
        first=[row for row in rows if row.key in ("fail", "upass")],
        most_first=FIRST,
        facts=_facts(report),
        report=report,
        groups=_groups(rows),
        chapters=[(chapter, _cells(rows, chapter)) for chapter in _chapters(report)],
        whole=_cells(rows, None),
        levels=LEVELS,
        summary=_summary(rows),
        rows=rows,
        axis=axis_of(report.spans, report.seconds),
    )


def _rows(report: Report) -> list[ShownRow]:
    """Return all rows, in order of attention, then of level and catalogue."""
    keyed = [(_key(row), row) for row in report.rows]
    order = list(GROUPS)
    keyed.sort(key=lambda pair: (order.index(pair[0]), LEVELS.index(pair[1].level)))
    desk = Desk()
    return [_shown(key, row, desk) for key, row in keyed]


def _key(row: RowVerdict) -> str:
    return "ref" if row.level == "REF" and row.verdict == "failed" else KEYS[row.verdict]


def _shown(key: str, row: RowVerdict, desk: Desk) -> ShownRow:
    order = list(KEYS)
    telling = sorted(
        (test for test in row.tests if test.verdict != "passed"),
        key=lambda test: order.index(test.verdict),
    )
    is_told = key in ("fail", "ref") and bool(row.sentence)
    return ShownRow(
        row=row,
        key=key,
        word="Not built yet" if row.is_unbuilt else GROUPS[key][0],
        headline=row.sentence if is_told else row.text,
        note="" if is_told else _note(row),
        seconds=sum(test.result.seconds for test in row.tests),
        tests=tuple(
            ShownTest(
                test, KEYS[test.verdict], test.verdict.capitalize(), desk.evidence(test.result)
            )
            for test in telling
        ),
        passed=tuple(test for test in row.tests if test.verdict == "passed"),
    )


def _note(row: RowVerdict) -> str:
    """Return the smaller line: why a row has the verdict it has, where that is not plain."""
    if row.verdict in ("passed", None):
        return row.reason
    if row.verdict == "known deviation":
        reasons = dict.fromkeys(test.expectation.reason for test in row.tests if test.expectation)
        return " ".join(reason for reason in reasons if reason) or row.reason or row.sentence
    return row.reason or row.sentence


def _groups(rows: Sequence[ShownRow]) -> list[Group]:
    groups = [
        Group(key, title, meaning, tuple(row for row in rows if row.key == key))
        for key, (title, meaning) in GROUPS.items()
    ]
    return [group for group in groups if group.rows]


def _chapters(report: Report) -> list[Chapter]:
    present = {row.chapter for row in report.rows}
    return [chapter for chapter in report.chapters if chapter.prefix in present]


def _cells(rows: Sequence[ShownRow], chapter: Chapter | None) -> list[Cells]:
    """Return one entry a level, its rows in the order of their ids."""
    chosen = [row for row in rows if chapter is None or row.row.chapter == chapter.prefix]
    return [
        Cells(level, tuple(sorted((row for row in chosen if row.row.level == level), key=_by_id)))
        for level in LEVELS
    ]


def _by_id(row: ShownRow) -> tuple[str, int, str]:
    prefix, _, number = row.id.rpartition("-")
    return prefix, int(number) if number.isascii() and number.isdigit() else 0, row.id


def _summary(rows: Sequence[ShownRow]) -> list[tuple[str, str, list[int]]]:
    """Return key, word and the counts by level, for each verdict there is."""
    counts = [
        (
            key,
            word,
            [sum(row.key == key and row.row.level == level for row in rows) for level in LEVELS],
        )
        for key, (word, _) in GROUPS.items()
    ]
    return [entry for entry in counts if sum(entry[2])]


def _facts(report: Report) -> list[Fact]:
    machine = report.machine
    load = "" if machine.load is None else f"load {machine.load:.1f} at start"
    faster = report.registry_seconds / report.seconds if report.seconds else 0.0
    late = (
        "" if report.lateness is None else f"the harness was at most {report.lateness:.2f} s late"
    )
    ratio = f"{faster:.1f} × faster than real time" if faster > 1 else ""
    return [
        Fact("Target", report.target, _prose(_versions(report, judge=False))),
        Fact(
            "Suite",
            f"{report.suite}, depth {report.depth}",
            _prose(
                [*_versions(report, judge=True), f"catalogue of {counted(len(report.rows), 'row')}"]
            ),
        ),
        Fact("Backend", report.backend, _nodes(report)),
        Fact("Speed", f"× {report.speed:g}", "at most; a profile may be slower"),
        Fact("Seed", str(report.seed)),
        Fact(
            "Machine",
            f"{counted(machine.cores, 'core')}, {size(machine.memory_bytes)}, {machine.system}",
            load,
        ),
        Fact("Took", duration(report.seconds), f"started {report.started}"),
        Fact("Registry time judged", duration(report.registry_seconds), _prose([ratio, late])),
    ]


def _versions(report: Report, *, judge: bool) -> list[str]:
    own = ("eureka-tck", "catalogue")
    return [f"{name} {text}" for name, text in report.versions.items() if (name in own) == judge]


def _nodes(report: Report) -> str:
    if not report.settings:
        return ""
    nodes = sum(profile.nodes for profile in report.settings)
    return f"{counted(nodes, 'node')} in {counted(len(report.settings), 'profile')}"


def _prose(parts: Sequence[str]) -> str:
    return "; ".join(part for part in parts if part)
