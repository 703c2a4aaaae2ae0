"""Rules of the whole repository that no single part can keep by itself."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from eureka_tck.profile import load_profiles
from eureka_tck.suite import requirements_folder, suite_root
from eureka_tck.targets import CAPABILITIES
from eureka_tck.verdict.catalogue import load_catalogue
from eureka_tck.verdict.collection import collect
from eureka_tck.verdict.expectations import load_expectations
from eureka_tck.verdict.judgement import judge

ROOT: Final = Path(__file__).parent.parent
LINES_AT_MOST: Final = 500  # the ceiling of a module; 60 to 300 is what we aim at
SUITES: Final = ("conformance", "chaos", "load")
REGISTRIES_OF_PACKAGES: Final = re.compile(
    r"https?://[^\s\"']*(pypi|pythonhosted|artifactory|nexus|proxy\.golang|repo\.maven|docker\.io)",
    re.IGNORECASE,
)
HOMES: Final = re.compile(r"(?<![\w.])/(work|root|home/\w+|Users/\w+)/")


def tracked() -> list[Path]:
    """Return the files of the repository, those about to be added too."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],  # noqa: S607 - git of the machine
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Read every text file of the repository, by its path in it."""
    if not (ROOT / ".git").exists():
        pytest.skip("these rules are about a checkout")
    found = {}
    for path in tracked():
        data = path.read_bytes()
        if b"\0" not in data:
            found[str(path.relative_to(ROOT))] = data.decode("utf-8")
    return found


def test_no_module_is_longer_than_the_ceiling(texts: dict[str, str]) -> None:
    """Past 500 lines a second idea is hiding inside."""
    long = {
        name: len(text.splitlines())
        for name, text in texts.items()
        if name.endswith(".py") and len(text.splitlines()) > LINES_AT_MOST
    }

    assert long == {}


def test_no_file_names_a_registry_of_packages(texts: dict[str, str]) -> None:
    """Lock file and Dockerfiles use whatever the machine is set up with."""
    naming = [name for name, text in texts.items() if REGISTRIES_OF_PACKAGES.search(text)]

    assert naming == []


def test_no_file_knows_somebodys_machine(texts: dict[str, str]) -> None:
    """No absolute path of a home or a workplace stands anywhere."""
    naming = {
        name: found.group()
        for name, text in texts.items()
        if name != "tests/test_repository.py" and (found := HOMES.search(text))
    }

    assert naming == {}


def test_the_lock_pins_every_line_by_hash(texts: dict[str, str]) -> None:
    """Each locked package has a version and a hash, and no line names an index."""
    lock = texts["requirements.lock"]
    pinned = re.split(r"\n(?=[a-z0-9])", lock)
    loose = [entry.splitlines()[0] for entry in pinned if "==" in entry and "--hash" not in entry]

    assert loose == []
    assert "index-url" not in lock
    assert "://" not in lock


def test_clocks_are_read_in_clock_py_only(texts: dict[str, str]) -> None:
    """A suite, or the machinery under it, that sleeps cannot be sped up; an exception says why."""
    reading = [
        f"{name}: {line.strip()}"
        for name, text in texts.items()
        if name.startswith((*SUITES, "eureka_tck/", "eureka/")) and name.endswith(".py")
        for line in text.splitlines()
        if any(call in line for call in ("time.sleep(", "time.time(", "datetime.now("))
        and not name.endswith("clock.py")
        and "noqa: TID251 - " not in line
    ]

    assert reading == []


def test_every_module_says_what_it_is(texts: dict[str, str]) -> None:
    """Each Python file begins with a docstring."""
    silent = [
        name
        for name, text in texts.items()
        if name.endswith(".py") and text.strip() and ast.get_docstring(ast.parse(text)) is None
    ]

    assert silent == []


def test_every_test_states_its_fact(texts: dict[str, str]) -> None:
    """Each test has a docstring: one sentence of what is true."""
    silent = [
        f"{name}:{node.lineno} {node.name}"
        for name, text in texts.items()
        if name.startswith((*SUITES, "tests/")) and name.endswith(".py")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and ast.get_docstring(node) is None
    ]

    assert silent == []


def test_the_suite_judges_rows_that_exist() -> None:
    """Markers name rows, profiles and capabilities that are there, and every profile is used."""
    catalogue = load_catalogue(requirements_folder())
    claims = collect(suite_root() / "conformance")

    assert claims
    assert {row for claim in claims for row in claim.requirements} <= {row.id for row in catalogue}
    assert set().union(*(claim.needs for claim in claims)) <= CAPABILITIES
    assert {claim.profile for claim in claims} == set(load_profiles())


def test_expectations_name_rows_and_tests_that_exist() -> None:
    """Each entry of each target can be met by a test of the suite."""
    catalogue = load_catalogue(requirements_folder())
    claims = collect(suite_root() / "conformance")
    problems = {
        path.name: judge([], catalogue, load_expectations(path, catalogue), claims=claims).problems
        for path in sorted((suite_root() / "fixtures" / "expectations").glob("*.toml"))
    }

    assert {name: found for name, found in problems.items() if found} == {}


def test_the_reference_deviates_only_where_the_catalogue_says_so() -> None:
    """An expectation of a Java target belongs to a row whose deviation the catalogue names."""
    catalogue = load_catalogue(requirements_folder())
    unnamed = {
        f"{path.name}: {entry.requirement}"
        for path in (suite_root() / "fixtures" / "expectations").glob("java-*.toml")
        for entry in load_expectations(path, catalogue)
        if not catalogue[entry.requirement].deviation
    }

    assert unnamed == set()


def test_our_own_registry_is_only_unfinished() -> None:
    """The Python registry keeps the rows: what it does not keep is not built yet."""
    catalogue = load_catalogue(requirements_folder())
    path = suite_root() / "fixtures" / "expectations" / "python.toml"

    kinds = {entry.kind for entry in load_expectations(path, catalogue)}

    assert kinds <= {"not built yet"}
