"""`eureka-tck chaos` and `rejudge` from the command line to the exit code."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec
import psutil
import pytest

from eureka_tck.cli import main
from eureka_tck.clock import Patience
from eureka_tck.commands import chaos as command
from eureka_tck.commands.performance import spec_of
from eureka_tck.errors import CannotRun
from eureka_tck.history import read_history
from eureka_tck.ledger import RUN_VARIABLE
from eureka_tck.promises.account import ChaosReport

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from eureka_tck.commands.performance import Played
    from eureka_tck.schedules.recipe import Recipe

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


MUTE: Final = """
import http.server, pathlib, socketserver, threading, time

class Mute(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if "TCK-IS-IT-READY" not in self.path:
            time.sleep(60)
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()
    do_POST = do_PUT = do_DELETE = do_GET

class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

import sys
Server((sys.argv[1], int(sys.argv[2])), Mute).serve_forever()
"""
"""A program that is ready and then hangs in every call."""


def mute(folder: Path, capabilities: str = '"peers", "links"') -> str:
    """Return the target that hangs."""
    (folder / "mute.py").write_text(MUTE, "utf-8")
    (folder / "mute.toml").write_text(
        'command = ["{python}", "{here}/mute.py", "{host}", "{port}"]\n'
        f"capabilities = [{capabilities}]\n",
        "utf-8",
    )
    return f"command:{folder / 'mute.toml'}"


def test_a_target_that_lacks_what_a_fault_needs_is_refused_before_a_node_starts(
    scenario: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The target is named with what it lacks; no run is made."""
    code = chaos(scenario, tmp_path / "reports", "--target", mute(tmp_path, '"settings"'))

    assert code == 3
    assert (
        "the target command:mute lacks links, peers, which the fault cut (partition) needs."
        in capsys.readouterr().err
    )
    assert not (tmp_path / "reports").exists()


@pytest.mark.toxiproxy
def test_a_target_that_hangs_ends_the_run_with_its_settling(
    scenario: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The progress says that nothing answers, and the verdict that nothing could be judged."""
    text = SHORT.replace("settling = 30", "settling = 8").replace('"eureka.server', '"x.server')
    scenario.write_text(text, "utf-8")

    code = chaos(scenario, tmp_path / "reports", "--target", mute(tmp_path))

    printed = capsys.readouterr().out
    assert code == 2
    assert "silent      settling: nothing answers; node a: " in printed
    assert "The run was broken off: nothing answers; node a: " in printed
    assert "after 8 s of settling" in printed


@pytest.mark.toxiproxy
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_run_whose_target_hangs(
    scenario: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """Nobody waits for all calls that hang, 5 s each one after the other; it says that it ends."""
    words = ["chaos", "--scenario", str(scenario), "--out", str(tmp_path / "reports")]
    process = subprocess.Popen(
        [sys.executable, "-m", "eureka_tck.cli", *words, "--target", mute(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process:
        try:
            assert any("settling" in line for line in process.stdout)
            process.send_signal(number)
            _, errors = process.communicate(timeout=20)  # 0.5 s on an idle machine
        finally:
            process.kill()

    assert process.returncode == 128 + number
    assert errors == "\neureka-tck: stopped; nothing is left running.\n"


@pytest.mark.toxiproxy
def test_run_that_is_killed_is_swept_and_its_history_judged(
    scenario: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After kill -9 in the midst of a fault the next sweep ends all, a frozen node too."""
    text = SHORT.replace('"partition"', '"pause"').replace("lasts = 30", "lasts = 900")
    scenario.write_text(text, "utf-8")
    words = ["chaos", "--scenario", str(scenario), "--out", str(tmp_path / "reports")]
    history = tmp_path / "reports" / "latest" / "history.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-m", "eureka_tck.cli", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        patience = Patience(90.0)
        while not (history.exists() and b'"fault-bit"' in history.read_bytes()):
            assert process.poll() is None, "the run ended before its fault bit"
            assert patience.pause(), "the fault did not bite within 90 s"
    finally:
        process.kill()
        process.wait()
    run = read_history(history).header.run
    assert marked(run), "its nodes are still there"

    main(["sweep"])

    assert marked(run) == []
    assert "Swept 1 dead run: removed 4 processes" in capsys.readouterr().out
    assert main(["rejudge", str(history.parent)]) == 2
    assert "The run was broken off: its history has no end." in capsys.readouterr().out


def marked(run: str) -> list[int]:
    """Return the processes that carry the mark of a run."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.environ().get(RUN_VARIABLE) == run:
                found.append(process.pid)
    return found


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


@dataclass
class Asked:
    """What the command would have played."""

    recipes: list[Recipe] = field(default_factory=list)

    def play_all(self, recipes: Iterable[Recipe], *_: object) -> tuple[Played, ...]:
        """Take note of the recipes and play none."""
        self.recipes += recipes
        raise CannotRun("this is as far as it goes.")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Let the command play nothing."""
    asked = Asked()
    monkeypatch.setattr(command, "play_all", asked.play_all)
    return asked


def settings(folder: Path, text: str) -> str:
    """Write settings of somebody's own and return the file's name."""
    file = folder / "application.yml"
    file.write_text(text, "utf-8")
    return str(file)


def test_settings_of_ones_own_are_what_how_long_is_played_on(tmp_path: Path, asked: Asked) -> None:
    """The cache that the scenario turns on is off, and leases are as long as theirs."""
    own = "eureka.server.useReadOnlyResponseCache: false\n"
    own += "eureka.instance.leaseExpirationDurationInSeconds: 120\n"

    main(["chaos", "--scenario", "how-long", "--settings", settings(tmp_path, own)])

    (recipe,) = asked.recipes
    lives = {one.lease for cast in recipe.schedule.casts for one in cast.members if one.interval}
    assert spec_of(recipe).settings["eureka.server.useReadOnlyResponseCache"] == "false"
    assert lives == {120.0}


def test_settings_that_a_scenario_does_not_yield_to_are_named(
    tmp_path: Path, asked: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever hands over settings is told which of them change nothing."""
    own = "eureka.server.evictionIntervalTimerInMs: 60000\n"

    main(["chaos", "--settings", settings(tmp_path, own)])

    assert "partition-one has its own eureka.server.evictionIntervalTimerInMs: " in (
        capsys.readouterr().out
    )
    assert spec_of(asked.recipes[0]).settings["eureka.server.evictionIntervalTimerInMs"] == "7000"


def test_settings_under_which_instances_die_are_refused(
    tmp_path: Path, asked: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    """A lease that is shorter than the renewals need is named before anything starts."""
    own = "eureka.instance.leaseExpirationDurationInSeconds: 5\n"

    code = main(["chaos", "--scenario", "how-long", "--settings", settings(tmp_path, own)])

    assert (code, asked.recipes) == (3, [])
    assert "how-long cannot be played with it: workload[0].lease is 5, but it must be longer" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--tries", "3"], "--tries says how often --shrink tries, and there is no --shrink."),
        (["--replay", "x", "--target=python"], "--target changes nothing beside --replay"),
        (["--shrink", "x", "--seed", "1"], "--seed changes nothing beside --shrink"),
    ],
)
def test_option_that_would_change_nothing_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody is left to believe that a run was another than it was."""
    assert main(["chaos", *words]) == 3
    assert said in capsys.readouterr().err


def test_folder_that_cannot_be_written_to_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run is judged again where its new report can lie, or not at all."""
    (tmp_path / "rejudged").write_text("in the way", "utf-8")

    assert main(["rejudge", str(tmp_path)]) == 3
    assert f"{tmp_path / 'rejudged'} cannot be made: File exists." in capsys.readouterr().err
