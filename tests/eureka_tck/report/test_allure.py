"""Allure's view of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from eureka_tck.report.allure import write_allure

if TYPE_CHECKING:
    from pathlib import Path

    from eureka_tck.report.model import Report, Verdict
    from tests.eureka_tck.report.conftest import Samples


def results(report: Report, folder: Path) -> list[dict[str, Any]]:
    """Write a run and return the results as Allure reads them, by name."""
    write_allure(report, folder)
    found = [msgspec.json.decode(file.read_bytes()) for file in folder.glob("*-result.json")]
    return sorted(found, key=lambda result: str(result["name"]))


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        ("passed", "passed"),
        ("failed", "failed"),
        ("unexpected pass", "failed"),
        ("inconclusive", "broken"),
        ("known deviation", "skipped"),
        ("not applicable", "skipped"),
    ],
)
def test_each_verdict_has_its_status_in_allure(
    samples: Samples, tmp_path: Path, verdict: Verdict, status: str
) -> None:
    """A known deviation is skipped as an expected failure is; inconclusive is broken."""
    (result,) = results(samples.report(samples.rows(verdict)), tmp_path / "allure")

    assert result["status"] == status


def test_a_result_is_placed_by_chapter_row_and_level(samples: Samples, tmp_path: Path) -> None:
    """Suite, sub-suite and severity come from the catalogue; the duration is the test's."""
    (result,) = results(samples.report(samples.rows("failed"), exit_code=1), tmp_path / "allure")

    labels = {label["name"]: label["value"] for label in result["labels"]}
    assert result["name"] == "RENEW-01: A renewal never changes the status."
    assert labels["parentSuite"] == "conformance on python"
    assert (labels["suite"], labels["subSuite"]) == ("Renewing", "RENEW-01")
    assert labels["severity"] == "critical"
    assert result["stop"] - result["start"] == 450
    assert result["statusDetails"]["message"] == "The renewal changed the status to DOWN."


def test_a_ref_row_that_differs_fails_nobody(samples: Samples, tmp_path: Path) -> None:
    """What the reference happens to do is reported, never failed."""
    (result,) = results(samples.report(samples.rows("failed", level="REF")), tmp_path / "allure")

    assert result["status"] == "skipped"


def test_evidence_is_attached_to_what_did_not_pass(samples: Samples, tmp_path: Path) -> None:
    """Timeline, exchange and log are files beside the result; a passed test has none."""
    report = samples.report(samples.rows("failed", "passed"), exit_code=1)

    failed, passed = results(report, tmp_path / "allure")

    assert [entry["name"] for entry in failed["attachments"]] == [
        "timeline, registry seconds",
        "Exchange 1 of 1, at 12.25 registry s, 4 ms",
        "end of the log of node a",
    ]
    exchange = (tmp_path / "allure" / failed["attachments"][1]["source"]).read_text()
    assert exchange.startswith("PUT /eureka/apps/CART/cart-01?status=DOWN HTTP/1.1\n")
    assert "attachments" not in passed


def test_the_history_of_a_test_goes_on_from_run_to_run(samples: Samples, tmp_path: Path) -> None:
    """The same test of the same target has the same history id, another target another."""
    report = samples.report(samples.rows("passed"))
    other = msgspec.structs.replace(report, target="java:5.0.3")

    first = results(report, tmp_path / "first")
    again = results(report, tmp_path / "first")
    java = results(other, tmp_path / "java")

    assert len(again) == 1
    assert first[0]["historyId"] == again[0]["historyId"] != java[0]["historyId"]
    assert first[0]["testCaseId"] == java[0]["testCaseId"]


def test_hostile_text_leaves_readable_results(samples: Samples, tmp_path: Path) -> None:
    """Half characters and an unreadable start do not keep a result from being written."""
    report = samples.with_text_everywhere(samples.every_verdict(), "../x\ud800\x00")

    found = results(report, tmp_path / "allure")

    assert len(found) == 12
    assert {path.parent for path in tmp_path.rglob("*.*")} == {tmp_path / "allure"}
    assert found[0]["stop"] == 450
