"""
One pass of a suite, in a pytest process of its own, told as events while it runs.

The process has its own session, so that a Ctrl-C reaches only us; we end it, with its workers,
whatever happens. All it prints stands in `suite.log` of the run's folder.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from eureka_tck.bytecode import kept_bytecode
from eureka_tck.clock import Patience
from eureka_tck.errors import CannotRun
from eureka_tck.ledger import RUN_VARIABLE
from eureka_tck.report.model import TestResult
from eureka_tck.suite import PACKAGE
from eureka_tck.verdict.collection import AUTOLOAD_OFF, INI

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from eureka_tck.run import Run
    from eureka_tck.verdict.order import Order

LOG: Final = "suite.log"
TICK: Final = 0.5
"""Real seconds after which a pass gives a sign of life even if nothing has happened."""

END_BUDGET: Final = 20.0
"""Real seconds a pass may take to close its clusters when it is told to end."""

LOG_TAIL: Final = 30
ENDED_WELL: Final = {0, 1, 5}
"""pytest's codes: all passed, some failed, nothing to run."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A test has begun."""

    test: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A test has ended."""

    result: TestResult


@dataclass(frozen=True, slots=True)
class Refused:
    """A test could not be run at all; the text says why, and the pass is of no use."""

    text: str


Event: TypeAlias = Begun | Ended | Refused | None


class _Line(msgspec.Struct, frozen=True):
    begin: str = ""
    result: str = ""
    cannot_run: str = ""


def perform(
    suite: Path, order: Order, run: Run, *, workers: int, silence: float
) -> Iterator[Event]:
    """
    Run a pass; yield what happens, and None when nothing has for a while.

    Args:
        suite: the folder with the tests and their `pytest.ini`.
        order: what the pass is told.
        run: the run it belongs to.
        workers: processes side by side; 1 needs no xdist.
        silence: real seconds without any event after which it is given up: CannotRun.
    """
    read, write = os.pipe()
    folder = run.folder.resolve()
    log, file = folder / LOG, folder / f"order-{order.attempt}.json"
    msgspec.structs.replace(order, events=write).write(file)
    with log.open("ab") as said:
        process = subprocess.Popen(
            _command(_files(suite, order), suite / INI, file, workers),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            env=_environment(run),
            cwd=folder,
            pass_fds=(write,),
            start_new_session=True,
        )
    run.ledger.process(process.pid)
    os.close(write)
    try:
        yield from _events(read, silence)
        code = process.wait(END_BUDGET)
    except subprocess.TimeoutExpired:
        code = 0  # it told all it had to tell; only its end is slow
    finally:
        os.close(read)
        _end(process)
    if code not in ENDED_WELL:
        raise CannotRun(f"the suite broke off (pytest's code {code}):\n{_tail(log)}")


def _files(suite: Path, order: Order) -> list[Path]:
    """Return the files of the tests that shall run: each worker reads all that it is given."""
    names = sorted({test.split("::")[0] for test in order.profiles})
    return [suite / name for name in names] or [suite]


def _command(tests: Sequence[Path], ini: Path, order: Path, workers: int) -> list[str]:
    side_by_side = ["-n", str(workers), "--dist", "loadscope", "--no-loadscope-reorder"]
    return [
        *(sys.executable, "-m", "pytest"),
        *("-p", "xdist", "-p", "eureka_tck.plugin"),
        *("-c", str(ini), "--eureka-order", str(order)),
        "--assert=plain",  # the suites have no assertion that pytest would have to rewrite
        *(side_by_side if workers > 1 else []),
        *("-q", "--color=no", *map(str, tests)),
    ]


def _environment(run: Run) -> dict[str, str]:
    # Our own package must be found from the run's folder, also where it is not installed.
    paths = [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        **kept_bytecode(),
        AUTOLOAD_OFF: "1",
        RUN_VARIABLE: run.id,
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
    }


def _events(descriptor: int, silence: float) -> Iterator[Event]:
    """Yield events until the pass closes its end."""
    waiting = b""
    patience = Patience(silence)
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while True:
            if not selector.select(TICK):
                if not patience.left():
                    raise CannotRun(
                        f"the suite did nothing for {silence:.0f} s; it was given up.",
                        f"What it printed stands in {LOG} of the run's folder.",
                    )
                yield None
                continue
            chunk = os.read(descriptor, 1 << 16)
            if not chunk:
                return
            patience = Patience(silence)
            *lines, waiting = (waiting + chunk).split(b"\n")
            for line in lines:
                yield _event(line)


def _event(line: bytes) -> Event:
    told = msgspec.json.decode(line, type=_Line)
    if told.begin:
        return Begun(told.begin)
    if told.result:
        return Ended(msgspec.json.decode(told.result, type=TestResult))
    return Refused(told.cannot_run)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the pass: politely, so that it closes its clusters, then for good."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(END_BUDGET)
        except subprocess.TimeoutExpired:
            process.kill()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # its own session: only what it has left
    process.wait()


def _tail(log: Path) -> str:
    lines = log.read_text("utf-8", "replace").rstrip().splitlines()[-LOG_TAIL:]
    return "\n".join(f"    | {line}" for line in lines)
