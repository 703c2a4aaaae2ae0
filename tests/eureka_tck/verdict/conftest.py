"""Results, claims and a small catalogue, to be changed by each test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from eureka_tck.report.model import Expectation, TestResult
from eureka_tck.verdict.catalogue import Catalogue, ChapterFile, Requirement
from eureka_tck.verdict.selection import Claim

if TYPE_CHECKING:
    from collections.abc import Callable

TEST = "test_register.py::test_a_body_that_cannot_be_parsed_is_refused[null]"


@pytest.fixture
def catalogue() -> Catalogue:
    """Give a catalogue of five rows in two chapters."""
    return Catalogue(
        [
            ChapterFile(
                prefix="RENEW",
                title="Renewing",
                number=2,
                requirement=(_row("RENEW-01", "MUST"), _row("RENEW-09", "REF")),
            ),
            ChapterFile(
                prefix="REG",
                title="Registering",
                number=1,
                requirement=(
                    _row("REG-01", "MUST"),
                    _row("REG-04", "MUST", deviation="500 for null."),
                    _row("REG-10", "SHOULD"),
                ),
            ),
        ]
    )


def _row(identity: str, level: Any, deviation: str = "") -> Requirement:  # noqa: ANN401 - a level
    return Requirement(
        id=identity,
        level=level,
        text=f"{identity} is kept.",
        why="Somebody is hurt.",
        deviation=deviation,
        source="Source.java",
    )


@pytest.fixture
def result() -> Callable[..., TestResult]:
    """Make a result; a passed one of REG-04 unless told otherwise."""
    base = TestResult(id=TEST, requirements=("REG-04",), outcome="passed", profile="open")
    return lambda **changes: msgspec.structs.replace(base, **changes)


@pytest.fixture
def expectation() -> Callable[..., Expectation]:
    """Make an expectation: REG-04 answers 500, always."""
    base = Expectation(
        requirement="REG-04",
        test=TEST,
        kind="known deviation",
        actual="500",
        reason="The parser gives up.",
    )
    return lambda **changes: msgspec.structs.replace(base, **changes)


@pytest.fixture
def claim() -> Callable[..., Claim]:
    """Make a claim of the same test."""

    def make(test: str = TEST, *rows: str, **more: Any) -> Claim:  # noqa: ANN401 - any field of it
        return Claim(test, rows or ("REG-04",), **more)

    return make
