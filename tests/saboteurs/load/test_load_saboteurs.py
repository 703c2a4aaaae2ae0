"""The judge of load is judged: each wrong registry breaks its own budget, and no other."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest

from tests.saboteurs.trials import Trial, programs, try_all

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
def storms(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trial]:
    """Storm every saboteur."""
    common = ("load", "--storm", str(HERE / "storm.toml"), "--budget", str(HERE / "budgets.toml"))
    return try_all(
        MATRIX,
        lambda name: (*common, "--target", f"command:{HERE / name}.toml"),
        STORM_BUDGET,
        tmp_path_factory,
    )


@pytest.mark.slow
@pytest.mark.timeout(STORM_BUDGET + 30)
@pytest.mark.parametrize("saboteur", sorted(MATRIX))
def test_a_saboteur_breaks_its_own_budget_alone(saboteur: str, storms: dict[str, Trial]) -> None:
    """The storm ends with exit code 1, and of all budgets one is broken."""
    storm = storms[saboteur]

    assert storm.code == 1, storm.said
    report = msgspec.json.decode(storm.report(), type=_Report)
    broken = {one.name: one.measured for one in report.budgets if one.outcome == "broken"}
    assert set(broken) == {MATRIX[saboteur]}, storm.said
    # A figure broke it, not its absence.
    assert broken[MATRIX[saboteur]] != "was not measured"


def test_every_saboteur_of_load_stands_in_the_matrix() -> None:
    """No wrong registry lies about without a budget that catches it."""
    assert programs(HERE) == set(MATRIX)
