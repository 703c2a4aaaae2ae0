"""
The judge is judged: each wrong registry is caught by the row that names its fault, and no other.

A saboteur is our own registry with one thing changed, started through a `command:` adapter, so
that the suite that judges it is the very one that judges everybody else.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from eureka_tck.report.store import load
from tests.saboteurs.trials import programs

HERE = Path(__file__).parent
# A gate over a few profiles takes half a minute; a busy machine may need several times that.
GATE_BUDGET = 300.0


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the matrix."""

    select: list[str]
    named: str
    says: str
    fails: list[str]


MATRIX = msgspec.convert(
    tomllib.loads((HERE / "matrix.toml").read_text(encoding="utf-8")), dict[str, Case]
)


@pytest.mark.slow
@pytest.mark.timeout(GATE_BUDGET + 30)
@pytest.mark.parametrize("saboteur", sorted(MATRIX))
def test_a_saboteur_is_caught_by_its_own_row_alone(saboteur: str, tmp_path: Path) -> None:
    """The gate exits 1, the rows that state the broken promise fail, their neighbours pass."""
    case = MATRIX[saboteur]

    gate = subprocess.run(
        [
            *(sys.executable, "-m", "eureka_tck.cli", "gate"),
            *("--target", f"command:{HERE / saboteur}.toml", "--expectations", "python"),
            *("--depth", "quick", "--select", ",".join(case.select), "--out", str(tmp_path)),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=GATE_BUDGET,
    )

    assert gate.returncode == 1, gate.stdout + gate.stderr
    (folder,) = (tmp_path / "runs").iterdir()
    rows = {row.id: row for row in load(folder / "report.json").rows if row.verdict is not None}
    verdicts = {identity: row.verdict for identity, row in rows.items()}
    failed = {row for row, verdict in verdicts.items() if verdict == "failed"}
    assert failed == set(case.fails), gate.stdout
    assert set(verdicts.values()) <= {"failed", "passed"}, verdicts
    assert f"{case.named}: " in gate.stdout
    # A saboteur that breaks down breaks the row too, but not in this way.
    assert case.says in rows[case.named].sentence


def test_every_saboteur_stands_in_the_matrix() -> None:
    """No wrong registry lies about without a row that catches it."""
    assert programs(HERE) - {"trials"} == set(MATRIX)
