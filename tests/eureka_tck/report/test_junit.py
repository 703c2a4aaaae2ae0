"""JUnit's view of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junitparser import JUnitXml

from eureka_tck.report.junit import junit_xml

if TYPE_CHECKING:
    from tests.eureka_tck.report.conftest import Samples


def outcomes(data: bytes) -> dict[str, str]:
    """Return each case's class name and the tag of its result."""
    return {
        str(case.classname): "+".join(result._tag or "" for result in case.result) or "passed"
        for suite in JUnitXml.fromstring(data)
        for case in suite
    }


def test_each_verdict_has_its_place_in_junit(samples: Samples) -> None:
    """Failures fail, inconclusive tests are errors, what is expected or impossible is skipped."""
    found = outcomes(junit_xml(samples.every_verdict()))

    assert found == {
        "MUST.RENEW-01": "failure",
        "MUST.RENEW-02": "failure",
        "MUST.RENEW-03": "error",
        "MUST.RENEW-04": "skipped",
        "MUST.RENEW-05": "skipped",
        "MUST.RENEW-06": "passed",
        "SHOULD.REG-01": "passed",
        "SHOULD.REG-02": "failure",
        "SHOULD.REG-03": "skipped",
        "REF.EVICT-01": "passed",
        "REF.EVICT-02": "skipped",
        "REF.EVICT-03": "error",
    }


def test_a_failure_carries_its_sentence_and_the_way_to_see_it_again(samples: Samples) -> None:
    """The message is the sentence; given, expected, actual, curl and re-run follow."""
    text = junit_xml(samples.report(samples.rows("failed"), exit_code=1)).decode()

    assert 'message="RENEW-01: The renewal changed the status to DOWN." type="failed"' in text
    assert "Actual    200; the instance reads back DOWN" in text
    assert "Re-run    eureka-tck gate --target python --select RENEW-06 --seed 7" in text


def test_totals_and_rows_not_judged_are_stated(samples: Samples) -> None:
    """The file counts its cases, and each suite the rows it has no case for."""
    xml = JUnitXml.fromstring(junit_xml(samples.every_verdict()))

    assert (xml.tests, xml.failures, xml.errors, xml.skipped) == (12, 3, 2, 4)
    properties = {
        one.get("name"): one.get("value") for one in next(iter(xml))._elem.iter("property")
    }
    assert properties["rows"] == "7"
    assert properties["rows not judged by this suite"] == "1"


def test_a_chapter_without_tests_is_no_suite(samples: Samples) -> None:
    """A chapter that nothing judges leaves no empty suite behind."""
    assert b"<testsuite " not in junit_xml(samples.report(samples.rows(None)))


def test_hostile_text_is_well_formed(samples: Samples) -> None:
    """Controls and half characters, which XML forbids, are spelt out."""
    report = samples.with_text_everywhere(samples.every_verdict(), "a<b>]]>&\x00\x1b\ud800\uffff")

    text = junit_xml(report)

    assert len(outcomes(text)) == 3
    assert "⟨U+0000⟩⟨U+001B⟩⟨U+D800⟩⟨U+FFFF⟩".encode() in text
