"""The judge of chaos is judged: each wrong registry breaks the promise that names its fault."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest

from eureka_tck.promises.account import ChaosReport
from tests.saboteurs.trials import Trial, programs, try_all

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
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trial]:
    """Try every saboteur."""
    common = ("chaos", "--speed", "20", "--seed", "1", "--scenario", str(HERE / "trial.toml"))
    return try_all(
        MATRIX,
        lambda name: (*common, "--target", f"command:{HERE / name}.toml"),
        RUN_BUDGET,
        tmp_path_factory,
    )


@pytest.mark.slow
@pytest.mark.toxiproxy
@pytest.mark.timeout(RUN_BUDGET + 30)
@pytest.mark.parametrize("saboteur", sorted(MATRIX))
def test_a_saboteur_is_caught_by_the_promise_it_breaks(
    saboteur: str, runs: dict[str, Trial]
) -> None:
    """The run ends with exit code 1, and the promise says what the registry does."""
    run, case = runs[saboteur], MATRIX[saboteur]

    assert run.code == 1, run.said
    report = msgspec.json.decode(run.report(), type=ChaosReport)
    verdicts = {one.judgement.promise: one for one in report.promises}
    assert verdicts[case.promise].verdict == "broken", run.said
    assert case.says in verdicts[case.promise].judgement.said


def test_every_saboteur_stands_in_the_matrix() -> None:
    """No wrong registry lies about without a promise that catches it."""
    assert programs(HERE) == set(MATRIX)
