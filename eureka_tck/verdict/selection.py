"""
Which tests of a suite run, in which order: what stands in a test's marker, and what was asked for.

    EVICT-03            a row
    RENEW               a chapter
    EVICT-02[20-3]      the tests of a row with these parameters
    test_renew.py::test_a_renewal_is_200    a test, by its id or its name alone
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.verdict.requirement import DEFAULT_PROFILE, DEFAULT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from eureka_tck.verdict.catalogue import Catalogue
    from eureka_tck.verdict.order import Order


LOOKS_LIKE_A_NAME: Final = re.compile(r"[A-Z]+|[A-Za-z]+-\d*")
"""A row or a chapter, also a mistyped one: it is never taken for a text."""

QUICK_CASES: Final = 4
"""Cases of one test that a quick gate makes: a table of forms or values has up to a hundred, and
what is wrong with one of them is mostly wrong with a quarter of all."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a test says of itself; `seconds` are registry seconds, `line` is of its file."""

    test: str
    requirements: tuple[str, ...]
    profile: str = DEFAULT_PROFILE
    needs: frozenset[str] = frozenset()
    seconds: float = DEFAULT_SECONDS
    depth: Literal["quick", "full"] = "quick"
    docstring: str = ""
    line: int = 0

    @property
    def parameters(self) -> str:
        """What stands between the brackets of a parametrised test, "" without."""
        match = re.search(r"\[(.*)\]$", self.test)
        return match.group(1) if match else ""

    @property
    def select(self) -> str:
        """Return the word of `--select` that brings this test back."""
        if not self.requirements:
            return self.test
        row = self.requirements[0]
        return f"{row}[{self.parameters}]" if self.parameters else row


def claim_of(item: pytest.Item) -> Claim | None:
    """Return what the test claims, None for a test that judges no row."""
    marks = list(item.iter_markers("requirement"))
    if not marks:
        return None
    mark = marks[0]
    return Claim(
        test=item.nodeid,
        requirements=tuple(str(row) for one in reversed(marks) for row in one.args),
        profile=str(mark.kwargs.get("profile", DEFAULT_PROFILE)),
        needs=frozenset(mark.kwargs.get("needs", ())),
        seconds=float(mark.kwargs.get("seconds", DEFAULT_SECONDS)),
        depth="full" if item.get_closest_marker("deep") else mark.kwargs.get("depth", "quick"),
        docstring=docstring_of(item),
        line=line_of(item),
    )


def line_of(item: pytest.Item) -> int:
    """Return where a test begins in its file; pytest's own answer costs a walk over paths."""
    code = getattr(getattr(item, "function", None), "__code__", None)
    return int(code.co_firstlineno) if code is not None else (item.location[1] or 0) + 1


def docstring_of(item: pytest.Item) -> str:
    """Return what a test says of itself, in one line."""
    function = getattr(item, "function", None)
    return " ".join((getattr(function, "__doc__", None) or "").split())


def check(claim: Claim, catalogue: Catalogue, capabilities: Collection[str]) -> None:
    """Refuse a test whose marker names what does not exist."""
    for row in claim.requirements:
        if row not in catalogue:
            raise pytest.UsageError(f"{claim.test}: {row} is no row of the catalogue")
    if unknown := claim.needs - set(capabilities):
        raise pytest.UsageError(
            f"{claim.test} needs {', '.join(sorted(unknown))}, which is no capability; "
            f"known: {', '.join(sorted(capabilities))}"
        )


def chosen(claims: Sequence[Claim], order: Order, catalogue: Catalogue) -> tuple[Claim, ...]:
    """
    Return the tests that an order asks for.

    Where nothing is named, a quick gate makes no more than `QUICK_CASES` of the cases of each
    test: the first, the last, and some between them.
    """
    wanted = tuple(claim for claim in claims if is_wanted(claim, order, catalogue))
    if order.depth != "quick" or order.only or order.select:
        return wanted
    alike: dict[tuple[str, tuple[str, ...]], list[Claim]] = {}
    for claim in wanted:
        function = claim.test.partition("[")[0]
        alike.setdefault((function, claim.requirements), []).append(claim)
    kept = {claim.test for cases in alike.values() for claim in _spread(cases)}
    return tuple(claim for claim in wanted if claim.test in kept)


def _spread(cases: Sequence[Claim]) -> list[Claim]:
    """Return the cases that a quick gate makes of a test's."""
    last = len(cases) - 1
    if last < QUICK_CASES:
        return list(cases)
    return [cases[round(place * last / (QUICK_CASES - 1))] for place in range(QUICK_CASES)]


def is_wanted(claim: Claim, order: Order, catalogue: Catalogue) -> bool:
    """Say whether the order asks for this test."""
    if order.only:
        return claim.test in order.only
    if order.depth == "quick" and claim.depth == "full":
        return False
    if order.levels and not any(catalogue[row].level in order.levels for row in claim.requirements):
        return False
    return not order.select or any(matches(word, claim, catalogue) for word in order.select)


def matches(word: str, claim: Claim, catalogue: Catalogue) -> bool:
    """
    Say whether a word of `--select` means this test.

    A word is a row, a chapter, a case of a row or a test. Where it is none of these and looks like
    none, it is a text: it means the tests that say it, and those of rows that say it.
    """
    if "::" in word or ".py" in word or word.startswith("test_"):
        file, _, function = claim.test.partition("::")
        names = {claim.test, file, function}
        return word in names | {one.partition("[")[0] for one in names}
    row, bracket, parameters = word.partition("[")
    if bracket and parameters.removesuffix("]") != claim.parameters:
        return False
    wanted = row.upper()
    if is_named(wanted, catalogue) or LOOKS_LIKE_A_NAME.fullmatch(row):
        return any(wanted in {one, one.partition("-")[0]} for one in claim.requirements)
    text = " ".join(word.casefold().split())
    rows = [catalogue[one].text for one in claim.requirements if one in catalogue]
    said = (claim.docstring, *rows)
    return any(text in " ".join(one.casefold().split()) for one in said)


def is_named(word: str, catalogue: Catalogue) -> bool:
    """Say whether there is a row or a chapter of that name."""
    return word in catalogue or any(word == chapter.prefix for chapter in catalogue.chapters)


def check_words(words: Iterable[str], claims: Sequence[Claim], catalogue: Catalogue) -> None:
    """Refuse a `--select` that means nothing: CannotRun says what is wrong with which word."""
    for word in words:
        if any(matches(word, claim, catalogue) for claim in claims):
            continue
        if is_named(word.partition("[")[0].upper(), catalogue):
            raise CannotRun(
                f"--select {word}: no test of this suite judges it (yet).",
                "`eureka-tck gate --dry-run` lists the tests, `eureka-tck catalogue` the rows.",
            )
        raise CannotRun(
            f"--select {word}: there is no such row, chapter or test, and none that says so.",
            "Rows look like EVICT-03, chapters like EVICT; `eureka-tck catalogue` lists them, "
            "`eureka-tck gate --dry-run` the tests.",
        )
