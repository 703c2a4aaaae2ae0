"""What the README says was found is what the expectations say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """Give the script as a module; it lies beside the tests, in no package."""
    spec = importlib.util.spec_from_file_location("found", HERE / "found.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_readme_shows_the_worst_of_the_expectations(script: ModuleType) -> None:
    """`python tests/found.py` writes it anew."""
    block = script.README.read_text("utf-8").split(script.BEGIN)[1].split(script.END)[0]

    assert block == script.readme_block()


def test_the_whole_table_is_that_of_the_expectations(script: ModuleType) -> None:
    """The same, without a limit."""
    assert script.ALL.read_text("utf-8") == script.page(script.found())


def test_every_finding_says_whom_it_hurts(script: ModuleType) -> None:
    """A deviation that hurts nobody is no finding."""
    assert [line for line in script.found() if line.endswith("|  |")] == []
