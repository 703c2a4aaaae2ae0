"""Made-up results for the tests of the report: as real as needed, every figure invented."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import pytest

from eureka_tck.report.model import (
    ATTENTION,
    Chapter,
    Expectation,
    JudgedTest,
    Level,
    Machine,
    Mark,
    Moment,
    Outcome,
    ProfileFacts,
    Report,
    RowVerdict,
    Setting,
    TestResult,
    Verdict,
    tally,
)
from eureka_tck.report.sentence import word_verdict
from eureka_tck.wire.exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Sequence

OUTCOMES: Final[dict[Verdict, Outcome]] = {
    "failed": "failed",
    "unexpected pass": "passed",
    "inconclusive": "inconclusive",
    "known deviation": "failed",
    "not applicable": "not applicable",
    "passed": "passed",
}
CLOSED_FIELDS: Final = frozenset({"level", "outcome", "verdict", "kind", "frequency"})
"""Fields whose values the schema lists: no free text can stand there."""

TITLES: Final = {"REG": "Registering", "RENEW": "Renewing", "EVICT": "Eviction"}

EXCHANGE: Final = Exchange(
    method="PUT",
    url="http://127.0.9.11:8761/eureka/apps/CART/cart-01?status=DOWN",
    request_headers=(("Accept", "application/json"),),
    status=200,
    response_headers=(("Content-Type", "application/json"), ("Content-Length", "26")),
    response_body='{"instance":\n {"status":"DOWN"}}',
    started_at=12.25,
    seconds=0.004,
    curl="curl -i -X PUT 'http://127.0.9.11:8761/eureka/apps/CART/cart-01?status=DOWN'",
)


class Samples:
    """Builds values of the report's model; whatever is not said is a sensible default."""

    exchange = EXCHANGE

    def result(
        self, outcome: Outcome = "passed", *, test: str = "test_renew.py::test_a"
    ) -> TestResult:
        """Return what one test found, with evidence."""
        return TestResult(
            id=test,
            requirements=("RENEW-06",),
            outcome=outcome,
            docstring="A renewal never changes the status.",
            sentence="" if outcome == "passed" else "The renewal changed the status to DOWN.",
            given="CART/cart-01 registered UP; one renewal with status=DOWN in the query",
            expected="200; the instance reads back UP",
            actual="200; the instance reads back DOWN",
            timeline=(Moment(text="register", at=0.0), Moment(text="renew", at=12.25)),
            exchanges=(self.exchange,),
            marks=(Mark(exchange=0, text='"status"', expected='"status":"UP"'),),
            logs={"a": "12:39:12 INFO CART/cart-01 UP -> DOWN (renewal)"},
            profile="plain",
            speed=10.0,
            seconds=0.45,
            registry_seconds=4.5,
            rerun="eureka-tck gate --target python --select RENEW-06 --seed 7",
        )

    def expectation(self, **changes: str) -> Expectation:
        """Return an entry of the expectations."""
        entry = Expectation(
            requirement="RENEW-06",
            test="test_renew.py::test_a",
            kind="known deviation",
            actual="DOWN",
            reason="The reference follows the query.",
            hurts="A renewal in flight undoes an operator's status.",
        )
        return msgspec.structs.replace(entry, **changes)

    def row(
        self,
        row_id: str,
        verdict: Verdict | None = "passed",
        *,
        level: Level = "MUST",
        reason: str = "",
        kind: str = "known deviation",
    ) -> RowVerdict:
        """Return a row with one test, and an expectation where its verdict needs one."""
        expected = verdict in ("known deviation", "unexpected pass")
        test = (
            JudgedTest(
                result=self.result(OUTCOMES[verdict]),
                verdict=verdict,
                sentence="" if verdict == "passed" else "The renewal changed the status to DOWN.",
                expectation=self.expectation(kind=kind) if expected else None,
            )
            if verdict
            else None
        )
        return RowVerdict(
            id=row_id,
            level=level,
            chapter=row_id.partition("-")[0],
            text="The query `status` never changes the stored status.",
            why="A registry that follows the query undoes what an operator did.",
            verdict=verdict,
            sentence=test.sentence if test else "",
            reason=reason,
            tests=(test,) if test else (),
        )

    def rows(
        self, *verdicts: Verdict | None, level: Level = "MUST", chapter: str = "RENEW"
    ) -> tuple[RowVerdict, ...]:
        """Return one row a verdict."""
        return tuple(
            self.row(f"{chapter}-{number:02}", verdict, level=level)
            for number, verdict in enumerate(verdicts, 1)
        )

    def every_verdict(self) -> Report:
        """Return a run that has each verdict, each level, and rows that nothing judges."""
        return self.report(
            (
                *self.rows(*ATTENTION, None),
                *self.rows(
                    "passed", "failed", "known deviation", None, level="SHOULD", chapter="REG"
                ),
                *self.rows("passed", "failed", "inconclusive", level="REF", chapter="EVICT"),
            ),
            exit_code=1,
            problems=("The expectation for EVICT-99 names no test of the suite.",),
        )

    def with_text_everywhere(self, report: Report, text: str) -> Report:
        """Return the report with `text` in the place of every free text, keys included."""

        def changed(value: object, field: str = "") -> object:
            if isinstance(value, str):
                return value if field in CLOSED_FIELDS else text
            if isinstance(value, dict):
                if field in ("logs", "versions"):
                    return {text: text}
                return {key: changed(item, key) for key, item in value.items()}
            if isinstance(value, list | tuple):
                return [changed(item, field) for item in value]
            return value

        builtins = changed(msgspec.to_builtins(report))
        return msgspec.convert(builtins, Report)

    def report(
        self, rows: Sequence[RowVerdict], *, exit_code: int = 0, problems: Sequence[str] = ()
    ) -> Report:
        """Return a whole run with these rows."""
        words = word_verdict("python", rows, exit_code=exit_code)
        prefixes = dict.fromkeys(row.chapter for row in rows)
        return Report(
            suite="conformance",
            target="python",
            backend="process",
            speed=10.0,
            seed=7,
            depth="quick",
            command="eureka-tck gate --target python --seed 7",
            started="2026-11-30T12:36:40Z",
            seconds=58.1,
            registry_seconds=410.0,
            exit_code=exit_code,
            verdict_word=words.word,
            verdict_sentence=words.sentence,
            rest_sentence=words.rest,
            totals=tally(rows),
            chapters=tuple(Chapter(prefix=one, title=TITLES.get(one, one)) for one in prefixes),
            rows=tuple(rows),
            settings=(
                ProfileFacts(
                    name="plain",
                    why="Nothing ever expires.",
                    speed=10.0,
                    settings=(
                        Setting(
                            name="eureka.server.evictionIntervalTimerInMs",
                            value="60000",
                            origin="profile",
                        ),
                    ),
                ),
            ),
            versions={"eureka-tck": "0.1.0", "python": "3.11.2"},
            machine=Machine(system="Debian 12", cores=2, memory_bytes=24 << 30, load=0.4),
            problems=tuple(problems),
        )


@pytest.fixture(name="samples")
def _samples() -> Samples:
    return Samples()
