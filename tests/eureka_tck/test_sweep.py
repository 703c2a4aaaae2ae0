"""What a run leaves when it is killed, interrupted or told to end, and what a sweep removes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import IO, TYPE_CHECKING

import psutil
import pytest

from eureka_tck.clock import Clock, Patience
from eureka_tck.ledger import RUN_VARIABLE, Entry, Ledger
from eureka_tck.run import Run
from eureka_tck.supplies import toxiproxy as supply
from eureka_tck.sweep import Swept, remove_run, sweep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

RUNNER = """
import sys
from pathlib import Path
from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.run import Run
from eureka_tck.targets import parse_target

adapter, out, links = sys.argv[1:]
run = Run.create("test", "stub", Path(out), seed=1)
with run.owned():
    print(run.id, flush=True)
    targets = parse_target("command:" + adapter)
    spec = ClusterSpec.of("held", targets, nodes=2, links=links == "links")
    with Cluster(spec, run):
        print("ready", flush=True)
        sys.stdin.read()
"""
BUDGET = 20.0  # real s for a process to end


@pytest.fixture
def runner(
    state: Path,  # noqa: ARG001 - the runner's ledger lies there
    stub_adapter: Callable[..., Path],
    tmp_path: Path,
) -> Iterator[Callable[..., tuple[subprocess.Popen[str], str]]]:
    """Start a runner of its own that holds a cluster; return its process and the run's id."""
    started: list[subprocess.Popen[str]] = []

    def start(*stub: str, links: bool = False) -> tuple[subprocess.Popen[str], str]:
        words = (str(stub_adapter(*stub)), str(tmp_path / "reports"), "links" if links else "bare")
        process = subprocess.Popen(
            [sys.executable, "-c", RUNNER, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        run = line_of(process.stdout)
        if "--deaf" not in stub:
            assert line_of(process.stdout) == "ready"
        return process, run

    yield start
    for process in started:
        process.kill()
        process.communicate()


def line_of(stream: IO[str] | None) -> str:
    """Return the next line a process prints."""
    assert stream is not None
    return stream.readline().strip()


def ended(process: subprocess.Popen[str]) -> int:
    """Return the exit code of a process that ends by itself."""
    return process.wait(timeout=BUDGET)


@pytest.mark.toxiproxy
def test_a_killed_runner_leaves_nothing_after_the_next_start(
    runner: Callable[..., tuple[subprocess.Popen[str], str]],
    marked: Callable[[str], list[psutil.Process]],
    tmp_path: Path,
) -> None:
    """Nodes and Toxiproxy outlive kill -9 of the runner; the next run's start removes them."""
    supply.server()
    process, run = runner(links=True)
    process.kill()
    ended(process)
    survivors = len(marked(run))

    Run.create("test", "stub", tmp_path / "reports").close()

    assert (survivors, marked(run), Ledger.all()) == (3, [], [])


def test_a_sweep_says_what_it_removed(
    runner: Callable[..., tuple[subprocess.Popen[str], str]],
    marked: Callable[[str], list[psutil.Process]],
) -> None:
    """`sweep` removes the dead run's nodes, and a second one finds nothing."""
    process, run = runner()
    process.kill()
    ended(process)

    first, second = sweep(), sweep()

    assert str(first) == "Swept 1 dead run: removed 2 processes."
    assert (str(second), marked(run)) == ("Nothing to sweep.", [])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "terminate"])
def test_an_interrupted_runner_leaves_nothing(
    runner: Callable[..., tuple[subprocess.Popen[str], str]],
    marked: Callable[[str], list[psutil.Process]],
    number: signal.Signals,
) -> None:
    """Ctrl-C and a termination close the cluster at once, without a sweep."""
    process, run = runner()
    process.send_signal(number)
    code = ended(process)

    assert (code != 0, marked(run), Ledger.all()) == (True, [], [])


def test_a_runner_interrupted_while_nodes_start_leaves_nothing(
    runner: Callable[..., tuple[subprocess.Popen[str], str]],
    marked: Callable[[str], list[psutil.Process]],
) -> None:
    """Ctrl-C does not wait for nodes that may never be ready."""
    process, run = runner("--deaf")
    Clock().wait_until(lambda: len(marked(run)) == 2, within=BUDGET, what="both nodes")
    process.send_signal(signal.SIGINT)
    ended(process)

    assert (marked(run), Ledger.all()) == ([], [])


def test_a_sweep_spares_a_living_run(
    runner: Callable[..., tuple[subprocess.Popen[str], str]],
    marked: Callable[[str], list[psutil.Process]],
) -> None:
    """What a run holds whose owner lives stays, unless everything is asked for."""
    _, run = runner()

    spared = sweep()
    alive = len(marked(run))
    removed = sweep(everything=True)

    assert (spared, alive) == (Swept(), 2)
    assert (removed.processes, marked(run)) == (2, [])


def test_a_process_that_got_an_old_pid_is_spared(state: Path) -> None:
    """A recorded pid that another process has by now is not killed."""
    ledger = Ledger("0badcafe")
    ledger.path.parent.mkdir(parents=True)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        started = psutil.Process(bystander.pid).create_time()
        ledger._write(Entry("process", pid=bystander.pid, started=started - 60))

        swept = sweep()
        spared = bystander.poll() is None
        bystander.kill()

    assert (swept.runs, swept.processes, spared) == (1, 0, True)
    assert not any((state / "runs").iterdir())


def test_a_recorded_process_without_the_mark_is_removed(state: Path) -> None:
    """A pid with its start time is enough, whatever became of its environment."""
    ledger = Ledger("0badcafe")
    ledger.path.parent.mkdir(parents=True)
    assert state in ledger.path.parents
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as left_over:
        ledger.process(left_over.pid)

        assert sweep().processes == 1
        assert left_over.wait(timeout=BUDGET) == -signal.SIGKILL


def test_a_temporary_folder_is_removed(state: Path, tmp_path: Path) -> None:
    """Folders that a dead run recorded go with it."""
    folder = tmp_path / "scratch" / "deep"
    folder.mkdir(parents=True)
    ledger = Ledger("0badcafe")
    ledger.path.parent.mkdir(parents=True)
    assert state in ledger.path.parents
    ledger.folder(folder.parent)

    assert (sweep().folders, folder.parent.exists()) == (1, False)


def test_a_line_cut_short_by_a_kill_is_skipped(state: Path) -> None:
    """A ledger whose last line is half written is still read."""
    ledger = Ledger.create("0badcafe")
    assert state in ledger.path.parents
    with ledger.path.open("a") as file:
        file.write('{"kind":"proc')

    assert [entry.kind for entry in ledger.entries()] == ["owner"]
    assert not ledger.is_orphaned()
    ledger.forget()


def test_a_run_of_another_machine_is_left_alone(state: Path) -> None:
    """Where homes are shared, another machine's pids say nothing here."""
    ledger = Ledger("0badcafe")
    ledger.path.parent.mkdir(parents=True)
    assert state in ledger.path.parents
    ledger._write(Entry("owner", pid=1, host="elsewhere"))

    assert (ledger.is_orphaned(), sweep()) == (False, Swept())


def test_a_run_does_not_remove_itself(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that carries the run's mark, and its parents, survive the run's own closing."""
    monkeypatch.setenv(RUN_VARIABLE, run.id)
    run.ledger.process(os.getpid())

    assert remove_run(run.ledger).processes == 0
    assert not Patience(0).pause()
