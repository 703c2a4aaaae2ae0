"""What `make test` runs is what the README says it runs."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

HERE = Path(__file__).parent


def everything() -> ModuleType:
    """Return the script as a module; it lies beside the tests, in no package."""
    spec = importlib.util.spec_from_file_location("everything", HERE / "everything.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_readme_lists_every_step_in_order() -> None:
    """The table of the README has one row a step, in the order in which they run."""
    readme = (HERE.parent / "README.md").read_text(encoding="utf-8")
    table = readme.split("| step | needs | seconds |\n|---|---|---|\n")[1].split("\n\n")[0]

    listed = [line.split("|")[1].strip() for line in table.splitlines()]

    assert listed == [step.name for step in everything().STEPS]
