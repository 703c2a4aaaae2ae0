"""The catalogue as a page: rows, what is known of them, their tests; nothing is loaded or run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from eureka_tck import cli
from eureka_tck.report.catalogue_page import write_catalogue
from eureka_tck.report.model import Expectation
from eureka_tck.verdict.catalogue import Catalogue, ChapterFile, Requirement
from eureka_tck.verdict.selection import Claim

if TYPE_CHECKING:
    from pathlib import Path

CATALOGUE = Catalogue(
    [
        ChapterFile(
            prefix="REG",
            title="Registering",
            number=1,
            requirement=(
                Requirement(id="REG-01", level="MUST", text="It is `204`.", why="<b>All</b> wait."),
                Requirement(
                    id="REG-02", level="REF", text="It is fast.", why="So.", unjudged="No."
                ),
            ),
        )
    ]
)
CLAIMS = [
    Claim(
        f"test_register.py::test_it[{case}]",
        ("REG-01",),
        needs=frozenset({"kill"}),
        docstring="It is so.",
        line=7,
    )
    for case in "ab"
]
BROKEN = Expectation(
    requirement="REG-01", test="t", kind="known deviation", actual="500", reason="It is."
)


@pytest.fixture
def page(tmp_path: Path) -> str:
    """Give the page of a small catalogue, written beside its suite."""
    file = tmp_path / "reports" / "catalogue.html"
    write_catalogue(
        file, CATALOGUE, CLAIMS, tmp_path / "conformance", {"java:5.0.3": [BROKEN], "python": []}
    )
    return file.read_text("utf-8")


def test_a_row_says_all_that_is_known_of_it(page: str) -> None:
    """Why, who breaks it, what it needs, or why nobody judges it."""
    assert "It is <code>204</code>." in page
    assert "<dt>Shown to break it</dt><dd>java:5.0.3</dd>" in page
    assert "<dt>Needs</dt><dd>kill</dd>" in page
    assert "<dt>Not judged</dt><dd>No.</dd>" in page


def test_the_cases_of_a_test_are_one_line_that_leads_to_it(page: str) -> None:
    """The link is relative, so that the folder can be moved with the checkout."""
    assert page.count("It is so.") == 1
    assert "(2 cases)" in page
    assert 'href="../conformance/test_register.py#L7"' in page


def test_the_page_loads_nothing_and_takes_markup_for_text(page: str) -> None:
    """Its policy admits our own style alone."""
    assert "&lt;b&gt;All&lt;/b&gt; wait." in page
    assert "default-src 'none'" in page
    assert not re.search(r"(src|href)=.?https?:", page)


def test_the_command_writes_the_whole_catalogue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`eureka-tck catalogue --html FILE` says where it is."""
    file = tmp_path / "catalogue.html"

    assert cli.main(["catalogue", "--html", str(file)]) == 0

    assert capsys.readouterr().out == f"Catalogue  {file}\n"
    assert 'id="EVICT-03"' in file.read_text("utf-8")
