"""A server under measurement: a process on one core, its processor seconds and its memory."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from pathlib import Path

STOP_BUDGET = 10.0  # s a server may take to end by itself


@dataclass(frozen=True, slots=True)
class Subject:
    """A running server."""

    name: str
    host: str
    port: int
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def root(self) -> str:
        """Where it is asked."""
        return f"http://{self.host}:{self.port}"

    @property
    def is_alive(self) -> bool:
        """Whether its process exists."""
        return self.process.poll() is None

    def cpu_seconds(self) -> float:
        """Return the processor seconds it and its children have used, user and system."""
        times = [one.cpu_times() for one in self._family()]
        return sum(time.user + time.system for time in times)

    def memory(self) -> int:
        """Return the resident bytes of it and its children."""
        return sum(one.memory_info().rss for one in self._family())

    def stop(self) -> None:
        """End it, and all it has started."""
        if not self.is_alive:
            return
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(STOP_BUDGET)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def _family(self) -> list[psutil.Process]:
        parent = psutil.Process(self.process.pid)
        return [parent, *parent.children(recursive=True)]
