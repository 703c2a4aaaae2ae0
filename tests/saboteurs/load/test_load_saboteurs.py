"""
The judge of load is judged: each wrong registry breaks the budget that names its fault, no other.

All storms go on at the same time: each needs few processor seconds and waits for most of its own.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

HERE = Path(__file__).parent
# A storm lasts eleven seconds; a busy machine may need several times that around it.
STORM_BUDGET = 180.0


class _Finding(msgspec.Struct):
    name: str
    outcome: str
    measured: str


class _Report(msgspec.Struct):
    budgets: list[_Finding]


MATRIX = msgspec.convert(
    tomllib.loads((HERE / "matrix.toml").read_text(encoding="utf-8")), dict[str, str]
)


@pytest.fixture(scope="module")
def storms(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, Path]]:
    """Storm every saboteur; return exit code, output and the folder of the run of each."""
    children = {}
    for name in MATRIX:
        out = tmp_path_factory.mktemp(name)
        command = [
            *(sys.executable, "-m", "eureka_tck.cli", "load"),
            *("--target", f"command:{HERE / name}.toml", "--storm", str(HERE / "storm.toml")),
            *("--budget", str(HERE / "budgets.toml"), "--out", str(out)),
        ]
        children[name] = (
            out,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True),
        )
    found = {}
    try:
        for name, (out, child) in children.items():
            said, _ = child.communicate(timeout=STORM_BUDGET)
            found[name] = child.returncode, said, out
    finally:
        for _, child in children.values():
            child.kill()
    return found


@pytest.mark.slow
@pytest.mark.timeout(STORM_BUDGET + 30)
@pytest.mark.parametrize("saboteur", sorted(MATRIX))
def test_a_saboteur_breaks_its_own_budget_alone(
    saboteur: str, storms: dict[str, tuple[int, str, Path]]
) -> None:
    """The storm ends with exit code 1, and of all budgets one is broken."""
    code, said, out = storms[saboteur]

    assert code == 1, said
    (folder,) = (out / "runs").iterdir()
    report = msgspec.json.decode((folder / "report.json").read_bytes(), type=_Report)
    broken = {one.name: one.measured for one in report.budgets if one.outcome == "broken"}
    assert set(broken) == {MATRIX[saboteur]}, said
    # A figure broke it, not its absence.
    assert broken[MATRIX[saboteur]] != "was not measured"


def test_every_saboteur_of_load_stands_in_the_matrix() -> None:
    """No wrong registry lies about without a budget that catches it."""
    programs = {path.stem for path in HERE.glob("*.py")} - {Path(__file__).stem}

    assert programs == set(MATRIX)
