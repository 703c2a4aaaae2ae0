"""
What a run found, as values: the schema of `report.json`.

This file owns the shape of a stored report and nothing else:
it reads no file (`store.py`), writes no page (`page.py`) and judges nothing (`eureka_tck.verdict`).
A change that an older reader would misread raises `SCHEMA` and is written into the changelog.
Instants are registry seconds since the cluster's birth, durations are real seconds,
unless a field's name says `registry`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from msgspec import Struct

from eureka_tck.wire.exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Iterable

SCHEMA: Final = 1

Level: TypeAlias = Literal["MUST", "SHOULD", "REF"]
Outcome: TypeAlias = Literal["passed", "failed", "inconclusive", "not applicable"]
Verdict: TypeAlias = Literal[
    "failed",
    "unexpected pass",
    "inconclusive",
    "known deviation",
    "not applicable",
    "passed",
]
Kind: TypeAlias = Literal["known deviation", "not built yet"]
Frequency: TypeAlias = Literal["always", "sometimes"]

LEVELS: Final[tuple[Level, ...]] = get_args(Level)
ATTENTION: Final[tuple[Verdict, ...]] = get_args(Verdict)
"""All verdicts, in the order in which a reader's attention is due."""

NO_JUDGEMENT: Final[frozenset[Verdict]] = frozenset({"not applicable", "inconclusive"})
"""Verdicts that say nothing about the target; they are never in a denominator."""


class Moment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of a test's timeline; `at` is in registry seconds, None where it has no instant."""

    text: str
    at: float | None = None


class Mark(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    Where an exchange is wrong: the first line of its answer that contains `text`.

    `exchange` counts from 0 in `TestResult.exchanges`; the page shows `expected` below the line.
    """

    exchange: int
    text: str
    expected: str


class TestResult(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one test found, before any expectation is applied to it."""

    __test__ = False  # pytest: the name is the domain's, not a test class

    id: str
    requirements: tuple[str, ...]
    outcome: Outcome
    docstring: str = ""
    sentence: str = ""
    given: str = ""
    expected: str = ""
    actual: str = ""
    timeline: tuple[Moment, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    marks: tuple[Mark, ...] = ()
    script: str = ""
    logs: dict[str, str] = {}
    traceback: str = ""
    late: bool = False
    lateness: float | None = None
    profile: str = ""
    speed: float = 1.0
    attempt: int = 1
    seconds: float = 0.0
    registry_seconds: float = 0.0
    rerun: str = ""


class Expectation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    An entry of `fixtures/expectations/`: how a target is known to break a row.

    `also` are wrong answers that will do beside `actual`: those of a mixed cluster's other members.
    """

    requirement: str
    test: str
    kind: Kind
    actual: str
    reason: str
    hurts: str = ""
    frequency: Frequency = "always"
    versions: str = ""
    reference: str = ""
    also: tuple[str, ...] = ()

    @property
    def wrong_answers(self) -> tuple[str, ...]:
        """Return all texts of which a failure must have one."""
        return (self.actual, *self.also)


class JudgedTest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A test's result and what it means for the row once the expectation is applied."""

    result: TestResult
    verdict: Verdict
    sentence: str = ""
    expectation: Expectation | None = None


class RowVerdict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    A requirement and the worst verdict of its tests.

    `verdict` is None where no test of this run judges the row; `reason` then says why.
    """

    id: str
    level: Level
    chapter: str
    text: str
    why: str = ""
    verdict: Verdict | None = None
    sentence: str = ""
    reason: str = ""
    tests: tuple[JudgedTest, ...] = ()

    @property
    def is_unbuilt(self) -> bool:
        """Whether the row deviates only because the target does not claim to have it yet."""
        kinds = {test.expectation.kind for test in self.tests if test.expectation}
        return self.verdict == "known deviation" and kinds == {"not built yet"}


class Chapter(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A chapter of the catalogue: the ids' prefix is its key (`RowVerdict.chapter`)."""

    prefix: str
    title: str


class Setting(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One effective setting of a profile, by Spring's name, and where its value comes from."""

    name: str
    value: str
    origin: str = ""


class ProfileFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A named set of settings as it was used in this run."""

    name: str
    why: str = ""
    nodes: int = 1
    speed: float = 1.0
    settings: tuple[Setting, ...] = ()


class Span(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    Where time went, in real seconds since the gate began.

    A profile is `judged` from its first test to its last; within that its nodes are `waiting`
    for their turn to start, and `starting`.
    """

    profile: str
    kind: Literal["judged", "waiting", "starting"]
    begin: float
    end: float
    node: str = ""
    attempt: int = 1


class Machine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the run was made; `load` is the one-minute load average at its start."""

    system: str
    cores: int
    memory_bytes: int
    load: float | None = None


class Total(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many rows of one level have which verdict; `not_judged` have none."""

    level: Level
    verdicts: dict[Verdict, int]
    not_judged: int = 0

    def __getitem__(self, verdict: Verdict) -> int:
        return self.verdicts.get(verdict, 0)

    @property
    def rows(self) -> int:
        """All rows of the level in the catalogue."""
        return self.judged + self.not_judged + sum(self[verdict] for verdict in NO_JUDGEMENT)

    @property
    def judged(self) -> int:
        """The rows about which the run says something: the denominator of every sentence."""
        return sum(count for verdict, count in self.verdicts.items() if verdict not in NO_JUDGEMENT)


class Report(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    A whole run.

    `started` is UTC in ISO 8601; `problems` are sentences that decide the exit code
    without belonging to a row, such as an expectation that names no test.
    The three wordings may be left empty: `sentence.worded` fills them in.
    """

    schema: int = SCHEMA
    suite: str
    target: str
    backend: str
    speed: float
    seed: int
    depth: str
    command: str
    started: str
    seconds: float
    registry_seconds: float
    exit_code: int
    verdict_word: str = ""
    verdict_sentence: str = ""
    rest_sentence: str = ""
    strict: bool = False
    totals: tuple[Total, ...]
    chapters: tuple[Chapter, ...]
    rows: tuple[RowVerdict, ...]
    settings: tuple[ProfileFacts, ...] = ()
    versions: dict[str, str] = {}
    machine: Machine
    problems: tuple[str, ...] = ()
    lateness: float | None = None
    spans: tuple[Span, ...] = ()


def tally(rows: Iterable[RowVerdict]) -> tuple[Total, ...]:
    """Count rows by level and verdict: the `totals` of a report, one entry a level."""
    rows = tuple(rows)
    return tuple(_total(level, [row for row in rows if row.level == level]) for level in LEVELS)


def _total(level: Level, rows: list[RowVerdict]) -> Total:
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in ATTENTION}
    return Total(
        level=level,
        verdicts={verdict: count for verdict, count in counts.items() if count},
        not_judged=sum(row.verdict is None for row in rows),
    )
