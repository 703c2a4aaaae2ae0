"""A server under measurement: a process on one core, its processor seconds and its memory."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import psutil

from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_T = TypeVar("_T")

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
        times = self._of_each(lambda one: one.cpu_times())
        return sum(time.user + time.system for time in times)

    def memory(self) -> int:
        """Return the resident bytes of it and its children."""
        return sum(self._of_each(lambda one: int(one.memory_info().rss)))

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

    def _of_each(self, measure: Callable[[psutil.Process], _T]) -> list[_T]:
        """Measure it and its children; CannotRun where it is no more."""
        try:
            parent = psutil.Process(self.process.pid)
            return [measure(one) for one in (parent, *parent.children(recursive=True))]
        except psutil.Error as error:
            raise CannotRun(
                f"{self.name} ended while it was measured.", f"Its log: {self.log}"
            ) from error
