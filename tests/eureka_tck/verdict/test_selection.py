"""Which tests a word of `--select` means, and in which order they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.verdict.collection import collect
from eureka_tck.verdict.order import Order
from eureka_tck.verdict.requirement import requirement
from eureka_tck.verdict.selection import (
    QUICK_CASES,
    Claim,
    check,
    check_words,
    chosen,
    is_wanted,
    matches,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eureka_tck.verdict.catalogue import Catalogue

EVICT = Claim("test_evict.py::test_the_cap[20-3]", ("EVICT-02", "PRESERVE-07"), "evict")


@pytest.mark.parametrize(
    "word",
    [
        "EVICT-02",
        "evict-02",
        "EVICT",
        "PRESERVE",
        "PRESERVE-07",
        "EVICT-02[20-3]",
        "test_evict.py",
        "test_evict.py::test_the_cap",
        "test_evict.py::test_the_cap[20-3]",
        "test_the_cap",
        "test_the_cap[20-3]",
    ],
)
def test_a_word_means_row_chapter_case_or_test(word: str, catalogue: Catalogue) -> None:
    """Rows and chapters in any case, a case by its parameters, a test by its id."""
    assert matches(word, EVICT, catalogue)


@pytest.mark.parametrize(
    "word", ["EVICT-03", "EVIC", "EVICT-02[1-1]", "test_evict.py::test_the", "test_evict", "RENEW"]
)
def test_a_word_means_no_more_than_it_says(word: str, catalogue: Catalogue) -> None:
    """Beginnings of words, other rows and other parameters are not meant."""
    assert not matches(word, EVICT, catalogue)


@pytest.mark.parametrize(
    ("word", "means"),
    [
        ("at most  THREE", True),
        ("REG-04 is  kept", True),
        ("at least three", False),
        ("EVIC", False),
    ],
)
def test_other_words_mean_what_a_row_or_a_test_says(
    word: str, *, means: bool, catalogue: Catalogue
) -> None:
    """In any case and with any blanks; what looks like a name is never taken for a text."""
    claim = Claim("t.py::x", ("REG-04",), docstring="One run evicts at most three.")

    assert matches(word, claim, catalogue) == means


def test_a_failure_names_the_word_that_brings_its_test_back(catalogue: Catalogue) -> None:
    """The re-run line selects the row with the test's parameters."""
    assert EVICT.select == "EVICT-02[20-3]"
    assert Claim("t.py::x", ("REG-01",)).select == "REG-01"
    assert matches(EVICT.select, EVICT, catalogue)


def test_only_wanted_tests_run(claim: Callable[..., Claim], catalogue: Catalogue) -> None:
    """Levels, depth, words and a second pass's list each leave out what they do not name."""
    must = claim("t.py::a", "REG-04")
    should = claim("t.py::b", "REG-10", depth="full")

    def wanted(**more: object) -> list[str]:
        order = Order(target="python", backend="process", seed=1, **more)  # type: ignore[arg-type]  # a field each
        return [one.test[-1] for one in (must, should) if is_wanted(one, order, catalogue)]

    assert wanted() == ["a", "b"]
    assert wanted(levels=("SHOULD",)) == ["b"]
    assert wanted(depth="quick") == ["a"]
    assert wanted(select=("REG-04",)) == ["a"]
    assert wanted(only=("t.py::b",), select=("REG-04",), depth="quick") == ["b"]


def test_a_quick_gate_makes_few_cases_of_a_test(
    claim: Callable[..., Claim], catalogue: Catalogue
) -> None:
    """The first, the last and two between them; a test with fewer cases is made whole."""
    many = [claim(f"t.py::many[{number}]", "REG-04") for number in range(100)]
    few = [claim(f"t.py::few[{number}]", "REG-04") for number in range(QUICK_CASES)]

    def cases(**more: object) -> list[str]:
        order = Order(target="python", backend="process", seed=1, **more)  # type: ignore[arg-type]  # a field each
        return [one.parameters for one in chosen([*many, *few], order, catalogue)]

    assert cases(depth="quick") == ["0", "33", "66", "99", "0", "1", "2", "3"]
    assert len(cases()) == len(many) + len(few)
    assert len(cases(depth="quick", select=("REG-04",))) == len(many) + len(few)
    assert cases(depth="quick", only=("t.py::many[7]",)) == ["7"]


def test_a_case_may_be_left_out_of_a_quick_gate(tmp_path: Path) -> None:
    """The mark `deep` stands at one case, the others of the test are quick."""
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\n", "utf-8")
    (tmp_path / "test_deep_case.py").write_text(
        """
import pytest
from eureka_tck.verdict import deep, requirement

@requirement("REG-04")
@pytest.mark.parametrize("n", [1, pytest.param(2, marks=deep)])
def test_it(n):
    '''A test.'''
""",
        "utf-8",
    )

    assert [claim.depth for claim in collect(tmp_path)] == ["quick", "full"]


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("RENEW-01", "--select RENEW-01: no test of this suite judges it (yet)."),
        ("RENEW", "--select RENEW: no test of this suite judges it (yet)."),
        (
            "FOO-01",
            "--select FOO-01: there is no such row, chapter or test, and none that says so.",
        ),
    ],
)
def test_a_word_that_means_nothing_is_refused(
    word: str, says: str, claim: Callable[..., Claim], catalogue: Catalogue
) -> None:
    """A typing error must not end in a gate that judges less than was meant."""
    with pytest.raises(CannotRun) as caught:
        check_words([word], [claim()], catalogue)

    assert caught.value.problem == says


def test_a_marker_names_rows_and_capabilities_that_exist(
    claim: Callable[..., Claim], catalogue: Catalogue
) -> None:
    """A test of an unknown row, or with an unknown need, stops the collection."""
    check(claim("t.py::a", "REG-04", needs=frozenset({"links"})), catalogue, {"links"})

    with pytest.raises(pytest.UsageError, match="REG-99 is no row of the catalogue"):
        check(claim("t.py::a", "REG-99"), catalogue, {"links"})
    with pytest.raises(pytest.UsageError, match="needs lnks, which is no capability"):
        check(claim("t.py::a", "REG-04", needs=frozenset({"lnks"})), catalogue, {"links"})


def test_a_marker_names_a_row() -> None:
    """A marker without an id is a mistake."""
    with pytest.raises(ValueError, match="names no row"):
        requirement()
