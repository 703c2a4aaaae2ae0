"""The text of a failure, as style asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.report.model import Moment, TestResult
from eureka_tck.verdict.catalogue import Requirement
from eureka_tck.verdict.message import MOMENTS, failure_message, headline, timeline_text
from eureka_tck.wire.exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Callable

ROW = Requirement(
    id="EVICT-02",
    level="MUST",
    text="One run evicts at most 15 %.",
    why="Or one bad run empties the registry.",
    source="AbstractInstanceRegistry.evict, eureka-core 2.0.6",
)

FAILED = TestResult(
    id="test_evict.py::test_one_run_evicts_at_most_15_percent[20-3]",
    requirements=("EVICT-02",),
    outcome="failed",
    sentence="the number of victims was 5; it must be 3 (20 - int(20 * 0.85)).",
    given="20 instances registered, none renewed; self-preservation off",
    expected="3 (20 - int(20 * 0.85))",
    actual="5",
    timeline=(Moment(text="registered 20", at=0.0), Moment(text="first run", at=5.021)),
    exchanges=(
        Exchange(method="GET", url="http://127.0.7.11:8761/eureka/apps", status=500),
        Exchange(
            method="GET",
            url="http://127.0.7.11:8761/eureka/apps/delta",
            status=200,
            curl="curl -sS http://127.0.7.11:8761/eureka/apps/delta",
        ),
    ),
    logs={"a": "one\ntwo"},
    rerun='eureka-tck gate --target python --seed 7 --select "EVICT-02[20-3]"',
)


def test_a_failure_says_everything_in_its_place() -> None:
    """The first line is the sentence; below it stand rule, arrangement, evidence and re-run."""
    text = failure_message(FAILED, [ROW], "python (process), speed 10, seed 7")

    assert text == (
        "EVICT-02: the number of victims was 5; it must be 3 (20 - int(20 * 0.85)).\n"
        "  Requirement  One run evicts at most 15 %.  [MUST]\n"
        "  Source       AbstractInstanceRegistry.evict, eureka-core 2.0.6\n"
        "  Given        20 instances registered, none renewed; self-preservation off\n"
        "  Expected     3 (20 - int(20 * 0.85))\n"
        "  Actual       5\n"
        "  Timeline     t=0 registered 20 · t=5.02 first run\n"
        "  Exchange     GET http://127.0.7.11:8761/eureka/apps/delta -> 200\n"
        "  Curl         curl -sS http://127.0.7.11:8761/eureka/apps/delta\n"
        "  Target       python (process), speed 10, seed 7\n"
        '  Re-run       eureka-tck gate --target python --seed 7 --select "EVICT-02[20-3]"'
    )


def test_the_log_is_shown_where_the_registry_did_not_answer(
    result: Callable[..., TestResult],
) -> None:
    """Without an answer the end of each node's log is the best evidence there is."""
    silent = Exchange(method="GET", url="http://127.0.0.1/", error="the connection was refused")
    text = failure_message(
        result(outcome="failed", sentence="no.", exchanges=(silent,), logs={"a": "x\ny"}), [], "t"
    )

    assert "Exchange     GET http://127.0.0.1/ -> the connection was refused" in text
    assert text.endswith("  Log of a     the last lines\n    | x\n    | y")


def test_an_inconclusive_test_shows_how_late_the_harness_was(
    result: Callable[..., TestResult],
) -> None:
    """Lateness and the harness's own traceback explain what no registry did."""
    text = failure_message(
        result(outcome="inconclusive", sentence="late.", lateness=2.5, traceback="E  oops"), [], "t"
    )

    assert "  Lateness     2.5 s of the harness at worst\n" in text
    assert text.endswith("  Traceback of the harness\n    | E  oops")


def test_a_headline_is_one_line(result: Callable[..., TestResult]) -> None:
    """Summaries show a line: breaks in a sentence do not tear it apart."""
    assert headline(result(requirements=("A-01", "B-02"), sentence="a\n  b")) == "A-01, B-02: a b"


def test_a_long_timeline_shows_its_end() -> None:
    """What came before is counted, not shown."""
    text = timeline_text([Moment(text=str(number)) for number in range(MOMENTS + 2)])

    assert text.startswith("(2 before) · 2 · 3")
