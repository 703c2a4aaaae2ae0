"""
`allure-results/`: a run as Allure reads it, one result for each test of each row.

Chapters are suites, rows sub-suites, levels severities.
A known deviation is *skipped* there, as Allure's own adaptors do with a test that must fail;
an inconclusive test is *broken*. A test's own beginning is not recorded:
each starts at the run's start, and its duration is right.
"""

from __future__ import annotations

import hashlib
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from allure_commons.logger import AllureFileLogger
from allure_commons.model2 import Attachment, Label, Parameter, Status, StatusDetails, TestResult

from eureka_tck.report.environment import visible
from eureka_tck.report.evidence import Desk, cut

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eureka_tck.report.evidence import Evidence
    from eureka_tck.report.model import JudgedTest, Level, Report, RowVerdict, Verdict

STATUS: Final[Mapping[Verdict, str]] = {
    "passed": Status.PASSED,
    "failed": Status.FAILED,
    "unexpected pass": Status.FAILED,
    "inconclusive": Status.BROKEN,
    "known deviation": Status.SKIPPED,
    "not applicable": Status.SKIPPED,
}
SEVERITY: Final[Mapping[Level, str]] = {"MUST": "critical", "SHOULD": "normal", "REF": "minor"}


def write_allure(report: Report, folder: Path) -> None:
    """Write the results of a run into the folder, which must be its own."""
    logger = AllureFileLogger(folder, clean=True)  # type: ignore[no-untyped-call]  # untyped class
    titles = {chapter.prefix: chapter.title for chapter in report.chapters}
    desk = Desk()
    for row in report.rows:
        for test in row.tests:
            result = _result(report, row, test, titles.get(row.chapter, row.chapter))
            if test.verdict != "passed":
                _attach(logger, result, desk.evidence(test.result))
            logger.report_result(result)  # type: ignore[no-untyped-call]  # untyped class


def _result(report: Report, row: RowVerdict, test: JudgedTest, chapter: str) -> TestResult:
    start = _epoch_ms(report.started)
    name = visible(test.result.docstring or test.result.id)
    full_name = f"{row.id} {test.result.id}"
    differs = row.level == "REF" and test.verdict == "failed"
    return TestResult(
        uuid=str(uuid.uuid4()),
        name=f"{visible(row.id)}: {name}",
        fullName=visible(full_name),
        historyId=_digest(f"{report.target} {full_name}"),
        testCaseId=_digest(full_name),
        status=Status.SKIPPED if differs else STATUS[test.verdict],
        statusDetails=_details(test),
        stage="finished",
        description=visible(row.text),
        start=start,
        stop=start + round(test.result.seconds * 1000),
        labels=[
            Label("parentSuite", visible(f"{report.suite} on {report.target}")),
            Label("suite", visible(chapter)),
            Label("subSuite", visible(row.id)),
            Label("severity", SEVERITY[row.level]),
            Label("tag", row.level),
            Label("tag", test.verdict),
        ],
        parameters=[
            Parameter("target", visible(report.target)),
            Parameter("profile", visible(test.result.profile)),
            Parameter("speed", f"{test.result.speed:g}", excluded=True),
        ],
    )


def _details(test: JudgedTest) -> StatusDetails | None:
    if test.verdict == "passed":
        return None
    result, expectation = test.result, test.expectation
    reason = f"{expectation.kind}: {expectation.reason}" if expectation else ""
    lines = {
        "Given": result.given,
        "Expected": result.expected,
        "Actual": result.actual,
        "Re-run": result.rerun,
    }
    return StatusDetails(
        message=visible(cut(reason or test.sentence or result.sentence or test.verdict)),
        trace=visible("\n".join(f"{name:<10}{cut(text)}" for name, text in lines.items() if text)),
    )


def _attach(logger: AllureFileLogger, result: TestResult, evidence: Evidence) -> None:
    texts = {"timeline, registry seconds": evidence.timeline, "traceback": evidence.traceback}
    shown = () if result.status == "passed" else (*evidence.folded, *evidence.exchanges)
    for exchange in shown:
        answer = "".join(
            f"\n<< {piece.text} >>\n" if piece.kind == "say" else piece.text
            for piece in exchange.answer
        )
        texts[exchange.title] = f"{exchange.request}\n\n{answer}"
    texts |= {f"end of the log of node {node}": log for node, log in evidence.logs}
    for name, text in texts.items():
        if text:
            source = f"{uuid.uuid4()}-attachment.txt"
            logger.report_attached_data(  # type: ignore[no-untyped-call]  # untyped class
                visible(text), source
            )
            result.attachments.append(Attachment(visible(name), source, "text/plain"))


def _epoch_ms(started: str) -> int:
    """Return the instant in epoch milliseconds; a time without a zone is UTC."""
    try:
        instant = datetime.fromisoformat(started)
    except ValueError:
        return 0
    return round((instant if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp() * 1000)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:32]
