"""`eureka-tck chaos` and `rejudge` from the command line to the exit code."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck.cli import main
from eureka_tck.history import read_history
from eureka_tck.promises.account import ChaosReport

if TYPE_CHECKING:
    from pathlib import Path

SHORT = """
name = "short"
title = "a short cut"
why = "to be over soon"
nodes = 3
max_speed = 10
promises = ["peers_converge"]
sample_every = 1

[settings]
"eureka.server.expectedClientRenewalIntervalSeconds" = 5

[budgets]
settling = 30
recovering = 30

[[workload]]
name = "fleet"
kind = "steady-renewals"
instances = 6
lease = 60
interval = 5

[[workload]]
name = "newcomers"
kind = "steady-renewals"
phase = "breaking"
at = 3
over = 1
instances = 3
lease = 60
interval = 5

[[fault]]
name = "cut"
kind = "partition"
node = "b"
at = 1
lasts = 30
"""


@pytest.fixture
def scenario(tmp_path: Path, state: Path) -> Path:  # noqa: ARG001 - the run is recorded there
    """Give a scenario that is over in five seconds."""
    file = tmp_path / "short.toml"
    file.write_text(SHORT, "utf-8")
    return file


def chaos(scenario: Path, out: Path, *more: str) -> int:
    """Run the command on the Python registry."""
    return main(["chaos", "--scenario", str(scenario), "--out", str(out), "--seed", "7", *more])


@pytest.mark.toxiproxy
def test_chaos_plays_judges_and_reports(
    scenario: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run leaves history, report, page and logs, and says how to run and judge it again."""
    code = chaos(scenario, tmp_path / "reports")

    folder = (tmp_path / "reports" / "latest").resolve()
    report = msgspec.json.decode((folder / "report.json").read_bytes(), type=ChaosReport)
    said = capsys.readouterr().out
    assert code == 0, said
    assert said.startswith("Seed 7. short on python: a short cut.")
    assert f"Run again    eureka-tck chaos --scenario {scenario}" in said
    assert [one.verdict for one in report.promises] == ["kept"]
    assert report.faults[0].said == "node b is cut off from its peers"
    assert len(report.faults[0].proof) == 3
    assert read_history(folder).is_complete
    assert (folder / "index.html").is_file()
    assert len(list(folder.glob("nodes/short/*/node.log"))) == 3
    assert not [one.name for one in threading.enumerate() if one.name.startswith("caller-")]


@pytest.mark.toxiproxy
def test_history_is_judged_again_with_the_same_verdict(
    scenario: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rejudging needs the history alone, and leaves the run's own report as it was."""
    chaos(scenario, tmp_path / "reports")
    folder = (tmp_path / "reports" / "latest").resolve()
    before = (folder / "report.json").read_bytes()
    first = capsys.readouterr().out

    code = main(["rejudge", str(folder)])

    second = capsys.readouterr().out
    judged = next(line for line in first.splitlines() if line.startswith("  All nodes agreed"))
    assert code == 0
    assert judged in second
    assert (folder / "report.json").read_bytes() == before
    assert (folder / "rejudged" / "report.json").is_file()
    assert (folder / "rejudged" / "index.html").is_file()


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["chaos", "--scenario", "flood"], "there is no scenario 'flood'."),
        (["chaos", "--scenario", "/nowhere/flood.toml"], "cannot be read"),
        (["chaos", "--target", "pyton"], "pyton"),
        (["rejudge", "/nowhere/run"], "/nowhere/run is not the folder of a run."),
    ],
)
def test_wrong_command_line_could_not_run(
    argv: list[str], said: str, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is wrong is named, the exit code is 3, and nothing was started."""
    assert main(argv) == 3
    assert said in capsys.readouterr().err
    assert not list(state.glob("runs/*"))


def test_folder_without_a_history_cannot_be_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run of another suite has no history, and the error says so."""
    assert main(["rejudge", str(tmp_path)]) == 3
    assert "history.jsonl cannot be read" in capsys.readouterr().err
