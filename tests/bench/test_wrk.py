"""What wrk is told and what it tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.__main__ import main
from bench.cores import Cores
from bench.fleet import DIRTY_MS, registration
from bench.rows import ROWS
from bench.workbench import PACKAGES, Workbench
from bench.wrk import Generator, Report, read
from eureka_tck.errors import CannotRun
from eureka_tck.run import Run

if TYPE_CHECKING:
    from pathlib import Path

PRINTED = """\
Running 2s test @ http://127.0.2.11:8761
  1 threads and 50 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.00ms  100.00us   5.00ms   90.00%
    Req/Sec    50.00k     1.00k   52.00k    70.00%
  100500 requests in 2.01s, 9.00MB read
"""


def test_the_report_of_wrk_is_read() -> None:
    """Requests and seconds, and what was refused."""
    assert read(PRINTED) == Report(100500, 2.01, 0)
    more = "  Socket errors: connect 1, read 2, write 3, timeout 4\n"
    more += "  Non-2xx or 3xx responses: 10\n"
    assert read(PRINTED + more).refused == 16
    assert read("7 requests in 1.50m, 1KB read").seconds == 90


def test_what_is_no_report_ends_the_bench() -> None:
    """With what was printed instead."""
    with pytest.raises(CannotRun, match="unable to connect"):
        read("unable to connect to 127.0.2.11")


def test_the_script_renews_each_instance_that_is_registered(tmp_path: Path) -> None:
    """One path an instance, with its id and its dirty timestamp."""
    script = Generator(tmp_path, Cores(0, 1))._script(120, 10)

    paths = (tmp_path / "paths-120.txt").read_text().splitlines()
    assert len(set(paths)) == 120
    assert paths[101] == (
        f"/eureka/apps/ORDERS-1/host-101.example:orders-1:8080"
        f"?status=UP&lastDirtyTimestamp={DIRTY_MS}"
    )
    assert b"host-101.example:orders-1:8080" in registration(101)
    text = script.read_text()
    assert "function delay() return 10 end" in text
    assert str(tmp_path / "paths-120.txt") in text


def test_rows_have_names_of_their_own_and_tools_whose_package_is_known() -> None:
    """So that --only and the way out of a lack can name them."""
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert {tool for row in ROWS for tool in row.tools} <= PACKAGES.keys()


def test_a_tool_that_is_missing_is_named_with_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is started."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with Run.create("bench", "python", tmp_path).owned() as run:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(CannotRun, match="apt-get install wrk nginx-light"):
            Workbench(run).check(("wrk", "nginx"))


def test_a_row_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """With the names that do; and --list prints them."""
    assert main(["--only", "speed"]) == 3
    assert "there is no row 'speed'" in capsys.readouterr().err
    assert main(["--list"]) == 0
    assert all(row.name in capsys.readouterr().out for row in ROWS[:1])
