"""
A process that a backend has started, and all that it has started itself.

It bears the run's mark, stands in the run's ledger and leads a group of its own, so that it can be
ended with its children. It knows nothing of registries.
"""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

import psutil

from eureka_tck.errors import CannotRun
from eureka_tck.ledger import RUN_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from eureka_tck.ledger import Ledger

KILL_BUDGET = 30.0  # real s for a killed process to be gone
PRIVATE = ("EUREKA_", "SPRING_", "SERVER_PORT", "SERVER_ADDRESS")  # of the environment: would set


class Child:
    """One process and its group; `log_from` is where its words begin in the log it appends to."""

    def __init__(self, process: subprocess.Popen[bytes], log_from: int) -> None:
        self.process = process
        self.log_from = log_from

    @classmethod
    def born(
        cls,
        argv: Sequence[str],
        output: IO[bytes],
        folder: Path,
        env: Mapping[str, str],
        ledger: Ledger,
    ) -> Self:
        """Start a process in that folder, with our environment but for what would set it up."""
        inherited = {k: v for k, v in os.environ.items() if not k.upper().startswith(PRIVATE)}
        log_from = output.tell()
        try:
            process = subprocess.Popen(
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**inherited, RUN_VARIABLE: ledger.run, **env},
                cwd=folder,
                process_group=0,  # a Ctrl-C is for us; and a node's children can be ended with it
            )
        except OSError as error:
            raise CannotRun(f"{argv[0]} cannot be started: {error.strerror or error}.") from error
        ledger.process(process.pid)
        return cls(process, log_from)

    def exit_code(self) -> int | None:
        """Return how it ended; None while it runs."""
        return self.process.poll()

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the whole group; one that is gone hears nothing."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def stop(self, grace: float) -> None:
        """Ask it to end; kill it when it has not within so many real seconds."""
        if self.process.poll() is not None:
            return
        self.send(signal.SIGTERM)
        self.send(signal.SIGCONT)  # a frozen one would never hear it
        try:
            self.process.wait(timeout=grace)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """Kill the group, and wait until the process is gone."""
        self.send(signal.SIGKILL)
        try:
            self.process.wait(timeout=KILL_BUDGET)
        except subprocess.TimeoutExpired as error:
            raise CannotRun(f"process {self.process.pid} is still there after kill -9.") from error

    def frozen(self) -> bool:
        """Say whether it stands still by a signal."""
        try:
            return psutil.Process(self.process.pid).status() == psutil.STATUS_STOPPED
        except psutil.NoSuchProcess:
            return False

    def memory(self) -> int:
        """Return the resident bytes of all of it."""
        return sum(process.memory_info().rss for process in self._family())

    def cpu_seconds(self) -> float:
        """Return the processor seconds of all of it."""
        times = [process.cpu_times() for process in self._family()]
        return sum(time.user + time.system for time in times)

    def runnable(self) -> frozenset[int]:
        """Return the threads that run or wait for a processor now; only Linux tells of them."""
        found: set[int] = set()
        for process in self._family():
            for stat in Path(f"/proc/{process.pid}/task").glob("*/stat"):
                with suppress(OSError):  # a thread may end while we look
                    state = stat.read_text(errors="replace").rpartition(") ")[2][:1]
                    if state == "R":
                        found.add(int(stat.parent.name))
        return frozenset(found)

    def _family(self) -> Iterable[psutil.Process]:
        process = psutil.Process(self.process.pid)
        return [process, *process.children(recursive=True)]
