"""A program of the machine, run to its end: what it printed, or an error with its last lines."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from typing import TYPE_CHECKING

from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

LAST_LINES = 25  # of a failed tool's output: a Maven error with its cause fits


class ToolFailed(CannotRun):
    """A program of the machine failed; `log_tail` holds the last lines it printed."""

    def __init__(self, problem: str, log_tail: str, way_out: str = "") -> None:
        super().__init__(problem, way_out)
        self.log_tail = log_tail

    def __str__(self) -> str:
        lines = "\n".join(f"    | {line}" for line in self.log_tail.splitlines())
        return f"{super().__str__()}\n  The last it printed:\n{lines or '    | (nothing)'}"


def run(
    argv: Sequence[str | Path],
    *,
    what: str,
    budget: float,
    way_out: str = "",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> str:
    """
    Run a program to its end within `budget` seconds and return what it printed, both streams.

    `what` names the undertaking in the error ("building the Java reference 5.0.3"); `env` is
    added to our own environment. On a time-out or an interrupt the whole process group ends.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        try:
            process = subprocess.Popen(
                [os.fspath(argument) for argument in argv],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env={**os.environ, **(env or {})},
                start_new_session=True,
            )
        except OSError as error:
            raise CannotRun(f"{what}: cannot start {argv[0]}: {error.strerror}.", way_out) from None
        try:
            code: int | None = process.wait(timeout=budget)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        log.seek(0)
        printed = log.read()
    if code != 0:
        end = (
            f"had not ended after {budget:g} s" if code is None else f"ended with exit code {code}"
        )
        tail = "\n".join(printed.rstrip().splitlines()[-LAST_LINES:])
        raise ToolFailed(f"{what}: {os.fspath(argv[0])} {end}.", tail, way_out)
    return printed
