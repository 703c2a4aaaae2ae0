"""The wall-clock shim steps CLOCK_REALTIME of a running program, and no other clock."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.supplies import faketime, java, shim

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CLOCKS = "import sys, time\nfor _ in sys.stdin: print(time.time(), time.monotonic(), flush=True)"
JAVA_CLOCKS = """
public class Clocks {
  public static void main(String[] none) throws Exception {
    while (System.in.read() >= 0)
      System.out.println(System.currentTimeMillis() / 1e3 + " " + System.nanoTime() / 1e9);
  }
}
"""
EXACT = 2.0  # s: between two readings at tenfold speed, with the harness's own delays


def preloaded(
    argv: list[str], wall_file: Path, speed: float | None = None
) -> subprocess.Popen[str]:
    """Start a program that prints its two clocks for every line it is sent."""
    env = {**os.environ, shim.VARIABLE: str(wall_file), "LD_PRELOAD": str(shim.library())}
    if speed is not None:
        env["LD_PRELOAD"] = f"{shim.library()}:{faketime.library()}"
        env["FAKETIME"] = f"+0 x{speed:g}"
    return subprocess.Popen(argv, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def read(process: subprocess.Popen[str]) -> tuple[float, float]:
    """Return the program's wall clock and monotonic clock."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    wall, monotonic = process.stdout.readline().split()
    return float(wall), float(monotonic)


def wall_step(process: subprocess.Popen[str], change: Callable[[], None]) -> float:
    """Return how far the wall clock went beside the monotonic one when `change` was made."""
    wall, monotonic = read(process)
    change()
    wall_after, monotonic_after = read(process)
    return (wall_after - wall) - (monotonic_after - monotonic)


@pytest.fixture
def wall_file(tmp_path: Path) -> Path:
    """Give the test a wall file that steps nothing yet."""
    path = tmp_path / "wall_clock"
    shim.set_offset(path, 0.0)
    return path


@pytest.mark.parametrize("seconds", [60.0, -3600.0, 0.25, -0.75])
def test_a_running_python_is_stepped(wall_file: Path, seconds: float) -> None:
    """The wall clock of a running Python goes forward and back, to the fraction of a second."""
    with preloaded([sys.executable, "-c", CLOCKS], wall_file) as process:
        step = wall_step(process, lambda: shim.set_offset(wall_file, seconds))

    assert step == pytest.approx(seconds, abs=0.01)


def test_a_step_can_be_taken_back(wall_file: Path) -> None:
    """An offset of 0 puts the clock where it was."""
    shim.set_offset(wall_file, 86_400.0)
    with preloaded([sys.executable, "-c", CLOCKS], wall_file) as process:
        step = wall_step(process, lambda: shim.set_offset(wall_file, 0.0))

    assert step == pytest.approx(-86_400.0, abs=0.01)


def test_a_wall_file_that_is_too_short_steps_nothing(tmp_path: Path) -> None:
    """A file without its eight bytes is not mapped: reading beyond its end would be fatal."""
    path = tmp_path / "wall_clock"
    path.touch()
    with preloaded([sys.executable, "-c", CLOCKS], path) as process:
        step = wall_step(process, lambda: None)

    assert step == pytest.approx(0.0, abs=0.01)


@pytest.mark.faketime
def test_a_step_adds_to_the_pace_of_libfaketime(wall_file: Path) -> None:
    """Under libfaketime at tenfold speed the step is added once and the speed stays."""
    with preloaded([sys.executable, "-c", CLOCKS], wall_file, speed=10) as process:
        step = wall_step(process, lambda: shim.set_offset(wall_file, 60.0))

    assert step == pytest.approx(60.0, abs=EXACT)


@pytest.mark.java
@pytest.mark.faketime
def test_a_running_java_is_stepped_at_tenfold_speed(wall_file: Path, tmp_path: Path) -> None:
    """A Java virtual machine under libfaketime is stepped while it runs, and runs on."""
    source = tmp_path / "Clocks.java"
    source.write_text(JAVA_CLOCKS, "utf-8")
    command = [str(java.runtime()), "-XX:TieredStopAtLevel=1", str(source)]
    with preloaded(command, wall_file, speed=10) as process:
        forward = wall_step(process, lambda: shim.set_offset(wall_file, 60.0))
        back = wall_step(process, lambda: shim.set_offset(wall_file, -60.0))

    assert forward == pytest.approx(60.0, abs=EXACT)
    assert back == pytest.approx(-120.0, abs=EXACT)
    assert process.returncode == 0


@pytest.mark.usefixtures("bare_path", "empty_cache")
def test_a_machine_without_a_compiler_is_told_so() -> None:
    """Without a C compiler the error names the package that brings one."""
    with pytest.raises(CannotRun) as missing:
        shim.library()

    assert "there is no cc on PATH" in missing.value.problem
    assert "apt-get install gcc libc6-dev" in missing.value.way_out


def test_a_machine_without_libfaketime_is_told_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without libfaketime the error says where it was looked for and how to do without."""
    monkeypatch.setattr(faketime, "_folders", lambda: (tmp_path,))

    with pytest.raises(CannotRun) as missing:
        faketime.library()

    assert f"there is no libfaketimeMT.so.1 in {tmp_path}." in missing.value.problem
    assert "--speed 1" in missing.value.way_out
