"""Every row of the catalogue has a test, or says why nobody can judge it; every test has a row."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from eureka_tck.suite import requirements_folder, suite_root
from eureka_tck.verdict.catalogue import Catalogue, load_catalogue
from eureka_tck.verdict.collection import collect

if TYPE_CHECKING:
    from pathlib import Path

UNJUDGED_AT_MOST = 5
"""Rows, beside the chapter about clients, that nobody can judge from outside."""

BEING_WRITTEN: frozenset[str] = frozenset()
"""Rows whose tests are not there yet; each must go."""


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    """Give the catalogue."""
    return load_catalogue(requirements_folder())


def test_every_row_has_a_test_or_a_reason(catalogue: Catalogue) -> None:
    """A row that is listed and never judged is no requirement."""
    judged = {row for claim in collect(suite_root() / "conformance") for row in claim.requirements}

    bare = {row.id for row in catalogue if row.id not in judged and not catalogue.unjudged(row)}

    assert bare == BEING_WRITTEN


def test_no_row_has_both_a_test_and_a_reason(catalogue: Catalogue) -> None:
    """A reason that outlived the first test of its row would mislead."""
    judged = {row for claim in collect(suite_root() / "conformance") for row in claim.requirements}

    assert [row.id for row in catalogue if row.id in judged and catalogue.unjudged(row)] == []


def test_few_rows_cannot_be_judged_from_outside(catalogue: Catalogue) -> None:
    """They stay in the catalogue, with the reason."""
    assert sum(bool(row.unjudged) for row in catalogue) <= UNJUDGED_AT_MOST


MARKS = {"requirement", "model_based"}
"""A test names its rows, or a model does, which names with each prediction the rows it is by."""

FILES = sorted((suite_root() / "conformance").glob("test_*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_test_of_the_suite_names_its_rows(file: Path) -> None:
    """A test without a row would judge what nobody required; each says its fact in one line."""
    tree = ast.parse(file.read_text("utf-8"))
    tests = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]

    assert tests
    for test in tests:
        marks = {
            call.func.id
            for call in test.decorator_list
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        }
        assert marks & MARKS, test.name
        assert ast.get_docstring(test), test.name


def test_every_row_says_why_it_matters_and_where_it_comes_from(catalogue: Catalogue) -> None:
    """A requirement without a reason or a source is an opinion."""
    assert [row.id for row in catalogue if not row.why.strip() or not row.source.strip()] == []
