"""The catalogue: what is in ours, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.suite import requirements_folder
from eureka_tck.verdict.catalogue import Catalogue, load_catalogue

if TYPE_CHECKING:
    from pathlib import Path

CHAPTER = 'prefix = "REG"\ntitle = "Registering"\nnumber = 1\n'
ROW = '[[requirement]]\nid = "{id}"\nlevel = "MUST"\ntext = "So."\nwhy = "Hurts."\n'


@pytest.fixture(scope="module")
def ours() -> Catalogue:
    """Load the catalogue of this distribution."""
    return load_catalogue(requirements_folder())


def test_ours_has_every_row(ours: Catalogue) -> None:
    """225 rows by level; the figure changes only when the catalogue does."""
    levels = [row.level for row in ours]

    assert {level: levels.count(level) for level in levels} == {
        "MUST": 162,
        "SHOULD": 44,
        "REF": 19,
    }


def test_ours_says_of_every_row_who_is_hurt(ours: Catalogue) -> None:
    """A requirement nobody is hurt by is none."""
    assert [row.id for row in ours if not row.why] == []


def test_sentences_of_ours_end_as_sentences(ours: Catalogue) -> None:
    """Texts are printed as they are: each ends with a stop."""
    ends = {
        row.id: text
        for row in ours
        for text in (row.text, row.why, row.deviation, row.spring, row.reference, row.notes)
        if text and not text.endswith(".")
    }

    assert ends == {}


def test_chapters_come_in_their_order(catalogue: Catalogue) -> None:
    """The number of a chapter orders it, not its file's name."""
    assert [chapter.prefix for chapter in catalogue.chapters] == ["REG", "RENEW"]
    assert [row.id for row in catalogue][:2] == ["REG-01", "REG-04"]
    assert len(catalogue) == 5
    assert catalogue["REG-04"].chapter == "REG"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (CHAPTER + ROW.format(id="RENEW-01"), "'RENEW-01' is not an id of the chapter REG"),
        (CHAPTER + ROW.format(id="REG-1"), "'REG-1' is not an id of the chapter REG"),
        (
            CHAPTER + ROW.format(id="REG-01") + "whi = 1",
            "there is no key requirement[0].whi. Did you mean why?",
        ),
        (CHAPTER + "[[requirement", "reg.toml: is not TOML: "),
        (CHAPTER, "reg.toml: requirement is missing."),
        (CHAPTER + 2 * ROW.format(id="REG-01"), "the id REG-01 stands in"),
    ],
)
def test_a_faulty_file_is_refused_by_name(tmp_path: Path, text: str, says: str) -> None:
    """The error names the file and what is wrong with it."""
    (tmp_path / "reg.toml").write_text(text, "utf-8")

    with pytest.raises(CannotRun) as caught:
        load_catalogue(tmp_path)

    assert "reg.toml" in str(caught.value)
    assert says in str(caught.value)


def test_a_catalogue_without_files_is_none(tmp_path: Path) -> None:
    """An empty folder must not make a gate that judges nothing."""
    with pytest.raises(CannotRun, match="the catalogue is not here"):
        load_catalogue(tmp_path)
