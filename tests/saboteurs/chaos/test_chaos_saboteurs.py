"""
The judge of chaos is judged: each wrong registry breaks the promise that names its fault.

All runs go on at the same time: each needs few processor seconds and waits for most of its own.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from eureka_tck.promises.account import ChaosReport

HERE = Path(__file__).parent
# A run lasts fifteen seconds; a busy machine may need several times that.
RUN_BUDGET = 240.0


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the matrix."""

    promise: str
    says: str


MATRIX = msgspec.convert(
    tomllib.loads((HERE / "matrix.toml").read_text(encoding="utf-8")), dict[str, Case]
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, Path]]:
    """Try every saboteur; return exit code, output and the folder of the runs of each."""
    children = {}
    for name in MATRIX:
        out = tmp_path_factory.mktemp(name)
        command = [
            *(sys.executable, "-m", "eureka_tck.cli", "chaos", "--speed", "20", "--seed", "1"),
            *("--target", f"command:{HERE / name}.toml"),
            *("--scenario", str(HERE / "trial.toml"), "--out", str(out)),
        ]
        children[name] = (
            out,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True),
        )
    found = {}
    try:
        for name, (out, child) in children.items():
            said, _ = child.communicate(timeout=RUN_BUDGET)
            found[name] = child.returncode, said, out
    finally:
        for _, child in children.values():
            child.kill()
    return found


@pytest.mark.slow
@pytest.mark.toxiproxy
@pytest.mark.timeout(RUN_BUDGET + 30)
@pytest.mark.parametrize("saboteur", sorted(MATRIX))
def test_a_saboteur_is_caught_by_the_promise_it_breaks(
    saboteur: str, runs: dict[str, tuple[int, str, Path]]
) -> None:
    """The run ends with exit code 1, and the promise says what the registry does."""
    code, said, out = runs[saboteur]
    case = MATRIX[saboteur]

    assert code == 1, said
    (folder,) = (out / "runs").iterdir()
    report = msgspec.json.decode((folder / "report.json").read_bytes(), type=ChaosReport)
    verdicts = {one.judgement.promise: one for one in report.promises}
    assert verdicts[case.promise].verdict == "broken", said
    assert case.says in verdicts[case.promise].judgement.said


def test_every_saboteur_stands_in_the_matrix() -> None:
    """No wrong registry lies about without a promise that catches it."""
    programs = {path.stem for path in HERE.glob("*.py")} - {Path(__file__).stem}

    assert programs == set(MATRIX)
