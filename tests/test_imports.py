"""
Who may import whom: the rules of ARCHITECTURE.md, by walking the imports of every file.

The suites import the judge alone; the judge never imports what it judges;
within the registry, and within the judge's pure parts, the arrows go one way.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parent.parent
OWN: Final = {"bench", "eureka", "eureka_tck", "conformance", "chaos", "load", "tests"}

MAY_IMPORT: Final = {
    "conformance": {"eureka_tck"},
    "chaos": {"eureka_tck"},
    "load": {"eureka_tck"},
    "bench": {"bench", "eureka_tck"},
    "eureka_tck": {"eureka_tck"},
    "eureka/core": {"eureka.core"},
    "eureka/wire": {"eureka.core", "eureka.wire"},
    "eureka/server": {"eureka", "eureka.core", "eureka.wire", "eureka.server"},
}
"""Folders, and the packages of our own that their files may import."""

DATA_ALONE: Final = {"chaos"}
"""Suites that may consist of scenarios alone, without a line of Python."""

PURE: Final = ("eureka/core", "eureka_tck/promises")
"""Folders whose files decide: no I/O, no clock, no log."""

IMPURE_MODULES: Final = {
    "asyncio", "datetime", "http", "io", "logging", "os", "pathlib", "random", "requests",
    "selectors", "signal", "socket", "ssl", "subprocess", "sys", "threading", "time", "urllib",
}  # fmt: skip


def files_of(folder: str) -> list[Path]:
    """Return the Python files of a folder of the repository."""
    return sorted((ROOT / folder).rglob("*.py"))


def imports_of(path: Path) -> Iterator[tuple[str, int, bool]]:
    """Yield each imported module with its line, and whether only type checkers import it."""
    tree = ast.parse(path.read_text("utf-8"))
    only_types = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test).endswith("TYPE_CHECKING")
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        types = id(node) in only_types
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno, types) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            yield str(node.module), node.lineno, types
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node.lineno, types


def is_within(module: str, packages: set[str]) -> bool:
    """Say whether a module is one of the packages, or lies in one."""
    return any(module == one or module.startswith(f"{one}.") for one in packages)


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_imports_follow_the_architecture(folder: str) -> None:
    """No file imports a package of ours that its folder may not know."""
    allowed = MAY_IMPORT[folder]
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in files_of(folder)
        for module, line, _ in imports_of(path)
        if module.partition(".")[0] in OWN and not is_within(module, allowed)
    ]

    assert files_of(folder) or folder in DATA_ALONE, f"{folder} has no files"
    assert wrong == []


@pytest.mark.parametrize("folder", PURE)
def test_what_decides_has_no_clock_and_no_io(folder: str) -> None:
    """Pure parts take now= and rng= as arguments and import nothing that could replace them."""
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in files_of(folder)
        for module, line, types in imports_of(path)
        if not types and module.partition(".")[0] in IMPURE_MODULES
    ]

    assert files_of(folder) or folder in DATA_ALONE, f"{folder} has no files"
    assert wrong == []


def test_only_the_adapter_starts_the_python_registry() -> None:
    """The judge names the registry's module in one place: where it is started as a process."""
    naming = {
        str(path.relative_to(ROOT))
        for path in files_of("eureka_tck")
        if '"eureka.server"' in path.read_text("utf-8")
    }

    assert naming <= {"eureka_tck/targets/python.py"}


def test_everything_imported_is_a_declared_dependency() -> None:
    """What the packages import at run time stands in pyproject.toml, not only in this machine."""
    declared = declared_modules()
    missing = sorted(
        {
            f"{module.partition('.')[0]} ({path.relative_to(ROOT)})"
            for folder in ("bench", "eureka", "eureka_tck", "conformance", "chaos", "load")
            for path in files_of(folder)
            for module, _, types in imports_of(path)
            if not types
            and (top := module.partition(".")[0]) not in OWN
            and top not in sys.stdlib_module_names
            and top not in declared
        }
    )

    assert missing == []


def declared_modules() -> set[str]:
    """Return the modules that the declared dependencies bring, by the name one imports."""
    import tomllib  # noqa: PLC0415 - this test alone reads the file

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = {
        "".join(one if one.isalnum() or one in "-_" else " " for one in requirement).split()[0]
        for requirement in project["dependencies"]
    }
    different = {
        "allure-python-commons": {"allure_commons"},
        "pytest-xdist": {"xdist"},
        "pytest": {"pytest", "_pytest"},
        "pyyaml": {"yaml"},
        "toxiproxy-python": {"toxiproxy"},
        "jinja2": {"jinja2", "markupsafe"},
    }
    return {module for name in names for module in different.get(name, {name.replace("-", "_")})}
