"""The gate from the command line to the exit code, on small suites made by the tests."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eureka_tck import cli
from eureka_tck.clock import Patience
from eureka_tck.report.store import load
from eureka_tck.suite import suite_root
from eureka_tck.verdict.expectations import UNFILLED

if TYPE_CHECKING:
    from collections.abc import Callable

    import psutil

    from eureka_tck.report.model import Report

HEAD = """
import os, threading
from eureka_tck.verdict import Inconclusive, NotApplicable, expect, requirement

@requirement("REG-01")
def test_it_holds(case):
    \"\"\"A row that is kept.\"\"\"
    case.given("nothing at all")
    expect("the figure", 2).equals(2)
"""

NUMBERS = itertools.count(1)
PATIENCE = 30.0  # real s for a gate to reach a point, or to end; two seconds on an idle machine


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: Path) -> Callable[[str], Path]:
    """Write a suite of one file that the gate takes for the conformance suite; return its root."""
    del state
    real, root = suite_root(), tmp_path / "root"
    folder = root / "conformance"
    folder.mkdir(parents=True)
    shutil.copy(real / "conformance" / "pytest.ini", folder)
    for module in ("eureka_tck.commands.gate", "eureka_tck.verdict.plan"):
        monkeypatch.setattr(f"{module}.suite_root", lambda: root)
    monkeypatch.chdir(tmp_path)

    # A name of its own each time: the gate collects in this process, which keeps modules.
    name = f"test_small_{next(NUMBERS)}.py"

    def write(more: str = "") -> Path:
        (folder / name).write_text(HEAD + textwrap.dedent(more), "utf-8")
        return root

    return write


@pytest.fixture
def gate(tmp_path: Path, stub_adapter: Callable[..., Path]) -> Callable[..., tuple[int, Report]]:
    """Run the gate against the stub and return its exit code and its report."""

    def run(*words: str, target: str | None = None) -> tuple[int, Report]:
        judged = f"command:{stub_adapter()}" if target is None else target
        code = cli.main(["gate", "--target", judged, "--seed", "7", *words])
        return code, load(tmp_path / "reports" / "latest")

    return run


def test_a_suite_that_holds_exits_0(
    suite: Callable[[str], Path],
    gate: Callable[..., tuple[int, Report]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Totals, the report's place and the meaning of the code end the output."""
    suite("")

    code, report = gate()

    printed = capsys.readouterr().out
    assert (code, report.exit_code, report.seed) == (0, 0, 7)
    assert "by 1 test of 1 profile" in printed
    assert "  passed                       1" in printed
    assert printed.endswith("Exit    0: all that was judged is kept, or known\n")
    assert next(row for row in report.rows if row.id == "REG-01").verdict == "passed"


def test_an_adapter_may_be_named_from_the_folder_it_lies_in(
    suite: Callable[[str], Path],
    gate: Callable[..., tuple[int, Report]],
    stub_adapter: Callable[..., Path],
) -> None:
    """The tests run in another folder, and find the adapter all the same."""
    suite("")

    code, _ = gate(target=f"command:{stub_adapter().name}")

    assert code == 0


def test_a_broken_must_row_exits_1_with_its_sentence_and_re_run(
    suite: Callable[[str], Path],
    gate: Callable[..., tuple[int, Report]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The failure stands on the terminal as it stands in the report."""
    suite("""
    @requirement("RENEW-02")
    def test_it_breaks(case):
        \"\"\"A row that is broken.\"\"\"
        expect("the figure", 2).equals(3)
    """)

    code, report = gate()

    printed = capsys.readouterr().out
    assert code == report.exit_code == 1
    assert "RENEW-02: the figure was 2; it must be 3." in printed
    assert '--seed 7 --select "RENEW-02"' in printed
    assert "Exit    1: 1 MUST row failed" in printed


def test_an_error_of_a_test_is_inconclusive_and_exits_2(
    suite: Callable[[str], Path],
    gate: Callable[..., tuple[int, Report]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A bug of the suite is no verdict on the registry, and never a pass."""
    suite("""
    @requirement("RENEW-02")
    def test_it_stumbles(case):
        \"\"\"A test with a bug.\"\"\"
        raise KeyError("x")

    @requirement("RENEW-03")
    def test_its_fixture_is_missing(no_such_fixture):
        \"\"\"A test that cannot begin.\"\"\"
    """)

    code, report = gate()

    assert code == 2
    assert "the harness failed: KeyError: 'x'" in capsys.readouterr().out
    verdicts = {row.id: row.verdict for row in report.rows if row.verdict}
    assert verdicts == {"REG-01": "passed", "RENEW-02": "inconclusive", "RENEW-03": "inconclusive"}


def test_what_a_target_lacks_is_not_applicable(
    suite: Callable[[str], Path], gate: Callable[..., tuple[int, Report]]
) -> None:
    """The test is not begun, and the reason names target and capability."""
    suite("""
    @requirement("LIMIT-01", needs={"rate-limiter"})
    def test_it_limits(cluster):
        \"\"\"A test of what the stub has not.\"\"\"
        raise AssertionError
    """)

    code, report = gate()

    row = next(row for row in report.rows if row.id == "LIMIT-01")
    assert code == 0
    assert row.verdict == "not applicable"
    assert "lacks rate-limiter, which the test needs" in row.reason


@pytest.mark.parametrize(("silent", "speed"), [(1, "2.0"), (2, "1.0")])
@pytest.mark.parametrize("late", [True, False])
def test_a_test_that_said_nothing_is_judged_again_more_slowly(
    suite: Callable[[str], Path],
    gate: Callable[..., tuple[int, Report]],
    capsys: pytest.CaptureFixture[str],
    silent: int,
    speed: str,
    late: bool,
) -> None:
    """Only that one runs again, at half and at a quarter of the speed; its last verdict counts."""
    suite(f"""
    @requirement("RENEW-02")
    def test_it_says_nothing_at_first(case, cluster):
        \"\"\"A test on a machine that stalls.\"\"\"
        case.note(f"at speed {{cluster.clock.speed}}")
        if case.attempt <= {silent}:
            raise Inconclusive("the harness was 3 s late.", late={late})
    """)

    code, report = gate("--speed", "4")

    row = next(row for row in report.rows if row.id == "RENEW-02")
    assert code == 0
    assert capsys.readouterr().out.count("1 test said nothing: once more") == silent
    assert [test.result.attempt for test in row.tests] == [silent + 1]
    assert row.tests[0].result.timeline[0].text == f"at speed {speed}"


@pytest.mark.parametrize(("slowest", "code"), [(9.0, 0), (0.0, 1)], ids=["late", "in time"])
def test_a_failure_is_judged_again_where_a_node_was_late(
    suite: Callable[[str], Path],
    gate: Callable[..., tuple[int, Report]],
    capsys: pytest.CaptureFixture[str],
    slowest: float,
    code: int,
) -> None:
    """What failed beside an answer of 9 s may have failed by the machine; else it has failed."""
    suite(f"""
    @requirement("RENEW-02")
    def test_it_fails_at_first(case):
        \"\"\"A test whose node was starved at first.\"\"\"
        case.began(0.0, slowest={slowest})
        expect("the attempt", case.attempt).equals(2)
    """)

    assert gate()[0] == code
    told = "test_it_fails_at_first: the attempt was 1; it must be 2." in capsys.readouterr().out
    assert told == (code == 0)


@pytest.mark.parametrize(("passes_at", "code"), [(4, 2), (0, 1)], ids=["contradicts", "agrees"])
def test_a_failure_in_time_needs_a_second_look_that_agrees(
    suite: Callable[[str], Path],
    gate: Callable[..., tuple[int, Report]],
    capsys: pytest.CaptureFixture[str],
    passes_at: int,
    code: int,
) -> None:
    """What failed and then passed is inconclusive, and both are told; two failures are one."""
    suite(f"""
    @requirement("RENEW-02")
    def test_it_fails_at_first(case):
        \"\"\"A test that fails until it is looked at a second time.\"\"\"
        expect("the attempt", case.attempt).equals({passes_at})
    """)

    ended, report = gate()

    assert ended == code
    (row,) = (one for one in report.rows if one.id == "RENEW-02")
    assert row.verdict == {1: "failed", 2: "inconclusive"}[code]
    told = "it failed, and passed when it was judged once more; the first: the attempt was 1"
    assert (told in row.sentence) == (code == 2)
    assert "1 test not as expected: a second look at half speed" in capsys.readouterr().out


def test_a_node_that_dies_at_start_exits_3_with_the_end_of_its_log(
    suite: Callable[[str], Path],
    stub_adapter: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One clear message; no test is begun that cannot be run."""
    suite("""
    @requirement("RENEW-02")
    def test_it_asks(registry):
        \"\"\"A test that needs a node.\"\"\"
    """)

    code = cli.main(["gate", "--target", f"command:{stub_adapter('--die')}", "--select", "RENEW"])

    printed = capsys.readouterr()
    assert code == 3
    assert "died at start" in printed.err
    assert "| stub: cannot open the treasury" in printed.err
    assert "Traceback" not in printed.err


def test_a_test_that_cannot_go_on_ends_alone(
    suite: Callable[[str], Path], gate: Callable[..., tuple[int, Report]]
) -> None:
    """Its cluster runs, so the others are judged; it stays inconclusive, however often."""
    suite("""
    from eureka_tck.errors import CannotRun

    @requirement("RENEW-02")
    def test_it_cannot(cluster):
        \"\"\"A test that meets what it did not expect.\"\"\"
        raise CannotRun("node a cannot be started: it is running.")
    """)

    code, report = gate()

    verdicts = {row.id: row.verdict for row in report.rows if row.tests}
    assert code == 2
    assert verdicts == {"REG-01": "passed", "RENEW-02": "inconclusive"}


def test_each_profile_runs_in_a_worker_of_its_own(
    suite: Callable[[str], Path], gate: Callable[..., tuple[int, Report]]
) -> None:
    """Tests of one profile share a process, and so a cluster; profiles run side by side."""
    suite("""
    import pytest

    @pytest.mark.parametrize("n", range(3))
    @pytest.mark.parametrize("at", [pytest.param(0, id="a"), pytest.param(1, id="b@c")])
    @requirement("EVICT-02", profile="evict")
    def test_evict(case, n, at):
        \"\"\"A test that says where it ran.\"\"\"
        case.note(str(os.getpid()))

    @pytest.mark.parametrize("n", range(3))
    @requirement("LEASE-01", profile="lease")
    def test_lease(case, n):
        \"\"\"A test that says where it ran.\"\"\"
        case.note(str(os.getpid()))
    """)

    code, report = gate()

    processes: dict[str, set[str]] = {}
    for row in report.rows:
        for test in row.tests:
            for moment in test.result.timeline:
                processes.setdefault(test.result.profile, set()).add(moment.text)
    assert code == 0
    assert set(processes) == {"evict", "lease"}
    assert [len(found) for found in processes.values()] == [1, 1]
    assert processes["evict"] != processes["lease"]


def test_a_worker_that_dies_leaves_its_test_inconclusive(
    suite: Callable[[str], Path], gate: Callable[..., tuple[int, Report]]
) -> None:
    """A crash of the harness passes nothing."""
    suite("""
    @requirement("EVICT-02", profile="evict")
    def test_evict(case):
        \"\"\"A test that takes its process with it.\"\"\"
        os._exit(9)
    """)

    code, report = gate()

    row = next(row for row in report.rows if row.id == "EVICT-02")
    assert (code, row.verdict) == (2, "inconclusive")
    assert "did not end" in row.sentence


def test_a_dry_run_lists_the_tests_and_starts_nothing(
    suite: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows, predicted seconds and test ids by profile; no run's folder is made."""
    suite("""
    @requirement("EVICT-02", profile="evict", seconds=60)
    def test_evict(case):
        \"\"\"A long one.\"\"\"
    """)

    assert cli.main(["gate", "--dry-run"]) == 0

    printed = capsys.readouterr().out
    assert "evict  about 7 s at speed 10" in printed
    assert re.search(r"  EVICT-02 +60 s  test_small_\d+\.py::test_evict", printed)
    assert not (tmp_path / "reports").exists()


def test_expectations_are_rewritten_from_a_run(
    suite: Callable[[str], Path],
    gate: Callable[..., tuple[int, Report]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A new deviation is written down and waits for its reason; the run's own verdict stays."""
    suite("""
    @requirement("RENEW-08")
    def test_it_breaks(case):
        \"\"\"A row that the reference breaks.\"\"\"
        expect("the status", 500).equals(400)
    """)
    file = tmp_path / "known.toml"
    file.write_text("# Known of the stub.\n", "utf-8")
    words = ("--expectations", str(file), "--strict")

    first, _ = gate(*words, "--update-expectations")
    unfilled, _ = gate(*words)
    file.write_text(file.read_text("utf-8").replace(UNFILLED, "Callers wait."), "utf-8")
    second, report = gate(*words)

    assert (first, unfilled, second) == (1, 3, 0)
    assert f"{file} has 1 expectation now." in capsys.readouterr().out
    assert file.read_text("utf-8").startswith("# Known of the stub.\n\n[[expectation]]")
    assert 'actual = "500"' in file.read_text("utf-8")
    assert next(row for row in report.rows if row.id == "RENEW-08").verdict == "known deviation"


def test_tests_that_cannot_be_collected_exit_3(
    suite: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A row that does not exist is a mistake of the suite, found before anything starts."""
    suite("""
    @requirement("RENEW-99")
    def test_it(case):
        \"\"\"A test of no row.\"\"\"
    """)

    assert cli.main(["gate"]) == 3

    assert "RENEW-99 is no row of the catalogue" in capsys.readouterr().err


def test_ctrl_c_leaves_nothing_behind(
    suite: Callable[[str], Path],
    stub_adapter: Callable[..., Path],
    tmp_path: Path,
    marked: Callable[[str], list[psutil.Process]],
) -> None:
    """A gate that is stopped ends its tests and their nodes, and exits 130."""
    root = suite("""
    @requirement("RENEW-02")
    def test_it_waits(cluster):
        \"\"\"A test that would take for ever.\"\"\"
        open("begun", "w").close()
        threading.Event().wait()
    """)
    starter = tmp_path / "gate.py"
    starter.write_text(
        "import sys, pathlib\n"
        "import eureka_tck.commands.gate as gate, eureka_tck.verdict.plan as plan\n"
        f"gate.suite_root = plan.suite_root = lambda: pathlib.Path({str(root)!r})\n"
        "from eureka_tck.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n",
        "utf-8",
    )
    process = subprocess.Popen(
        [sys.executable, starter, "gate", "--target", f"command:{stub_adapter()}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(cli.__file__).parent.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    patience = Patience(PATIENCE)
    while not list((tmp_path / "reports").rglob("begun")) and patience.pause():
        assert process.poll() is None, process.communicate()

    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)

    order = next((tmp_path / "reports" / "runs").glob("*/order-1.json")).read_text("utf-8")
    run = order.split('"run_id": "')[1][:8]
    assert process.returncode == 130, said
    assert "stopped; nothing is left running" in said
    assert marked(run) == []
