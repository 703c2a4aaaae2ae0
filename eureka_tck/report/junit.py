"""
`junit.xml`: a run as build servers read it, one test case for each test of each row.

    failed, unexpected pass            failure
    inconclusive                       error: it is never a pass
    known deviation, not applicable    skipped, with the reason
    a REF row that differs             skipped: it fails no registry

Rows that no test judges are not test cases; they are counted in a property of the suite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from eureka_tck.report.environment import visible
from eureka_tck.report.evidence import cut

if TYPE_CHECKING:
    from eureka_tck.report.model import JudgedTest, Report, RowVerdict

MESSAGE_LIMIT: Final = 1000
"""Characters of a message: build servers show it as one line."""


def junit_xml(report: Report) -> bytes:
    """Return the run as JUnit XML: one suite a chapter."""
    xml = JUnitXml(visible(f"eureka-tck {report.suite} on {report.target}"))
    for chapter in report.chapters:
        rows = [row for row in report.rows if row.chapter == chapter.prefix]
        if not any(row.tests for row in rows):
            continue
        suite = TestSuite(visible(f"{chapter.prefix} {chapter.title}"))
        for name, value in _properties(report, rows).items():
            suite.add_property(name, visible(value))
        suite.add_testcases([_case(row, test) for row in rows for test in row.tests])
        suite.timestamp = visible(report.started)
        xml.add_testsuite(suite)
    xml.update_statistics()  # type: ignore[no-untyped-call]  # junitparser types only some
    text: bytes = xml.tostring()  # type: ignore[no-untyped-call]  # the same
    return b"<?xml version='1.0' encoding='utf-8'?>\n" + text + b"\n"


def _properties(report: Report, rows: list[RowVerdict]) -> dict[str, str]:
    return {
        "target": report.target,
        "backend": report.backend,
        "speed": f"{report.speed:g}",
        "seed": str(report.seed),
        "command": report.command,
        "rows": str(len(rows)),
        "rows not judged by this suite": str(sum(row.verdict is None for row in rows)),
    }


def _case(row: RowVerdict, test: JudgedTest) -> TestCase:
    case = TestCase(
        visible(test.result.id), visible(f"{row.level}.{row.id}"), round(test.result.seconds, 3)
    )
    result = _result(row, test)
    if result is not None:
        result.text = visible(_text(test))
        case.result = [result]
    return case


def _result(row: RowVerdict, test: JudgedTest) -> Error | Failure | Skipped | None:
    sentence = test.sentence or test.result.sentence or test.verdict
    message = visible(cut(f"{row.id}: {sentence}", MESSAGE_LIMIT))
    if test.verdict == "passed":
        return None
    if test.verdict in ("failed", "unexpected pass") and row.level != "REF":
        return Failure(message, test.verdict)
    if test.verdict == "inconclusive":
        return Error(message, test.verdict)
    reason = test.expectation.reason if test.expectation else sentence
    kind = "differs from the reference" if test.verdict == "failed" else test.verdict
    return Skipped(visible(cut(f"{kind}: {reason}", MESSAGE_LIMIT)), test.verdict)


def _text(test: JudgedTest) -> str:
    result = test.result
    lines = {
        "Fact": result.docstring,
        "Given": result.given,
        "Expected": result.expected,
        "Actual": result.actual,
        "curl": result.exchanges[-1].curl if result.exchanges else "",
        "Re-run": result.rerun,
        "Traceback": result.traceback,
    }
    return "\n".join(f"{name:<10}{cut(text)}" for name, text in lines.items() if text)
