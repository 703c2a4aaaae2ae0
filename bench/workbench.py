"""What the rows measure with: servers on one core, the generator on the other, ended at the end."""

from __future__ import annotations

import http.client
import os
import shutil
import subprocess
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, Self

from bench.cores import choose
from bench.subject import Subject
from bench.wrk import Generator
from eureka_tck.backends import loopback
from eureka_tck.clock import Patience
from eureka_tck.errors import CannotRun, NodeFailed
from eureka_tck.ledger import RUN_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bench.servers import Launch
    from eureka_tck.run import Run

PACKAGES: Final = {
    "wrk": "wrk",
    "nginx": "nginx-light",
    "taskset": "util-linux",
    "java": "openjdk-17-jdk-headless",
    "mvn": "maven",
}
"""Debian's package of each tool."""

READY_BUDGET: Final = 90.0  # s; a virtual machine that shares one core takes 15 s
PROBE_BUDGET: Final = 5.0  # s for one answer while it starts
SUBJECTS: Final = 32  # addresses that a bench takes at most
_OK: Final = 200
_TASKSET: Final = shutil.which("taskset") or "taskset"
_TAIL: Final = 3000  # characters of a log that an error shows


class Workbench:
    """The machine for one bench; leaving the block ends every server."""

    def __init__(self, run: Run, *, quick: bool = False) -> None:
        self.quick = quick
        self.cores = choose()
        self.part_seconds = 1.0 if quick else 4.0
        self.warm_requests = 30_000 if quick else 400_000
        self.run = run
        self._closing = ExitStack()
        self._started = 0
        self._kept: dict[str, Subject] = {}
        self.generator = Generator(run.folder, self.cores)

    def __enter__(self) -> Self:
        os.sched_setaffinity(0, {self.cores.generator})
        block = loopback.take_block(SUBJECTS, links=False)
        self._closing.callback(block.guard.close)
        self._block = block
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def check(self, tools: tuple[str, ...]) -> None:
        """Say which tool is missing, and the package that brings it."""
        missing = [tool for tool in tools if shutil.which(tool) is None]
        if missing:
            packages = " ".join(PACKAGES[tool] for tool in missing)
            raise CannotRun(
                f"the bench needs {', '.join(missing)}, and there is none on PATH.",
                f"Debian: apt-get install {packages}; or measure other rows with --only.",
            )

    def start(
        self,
        name: str,
        plan: Callable[[str, int, Path], Launch],
        *,
        beside: bool = False,
    ) -> Subject:
        """Start a server on the server's core (`beside`: on the generator's) and see it ready."""
        if self._started >= SUBJECTS:
            raise CannotRun(f"the bench starts {SUBJECTS} servers at most.")
        host, port = self._block.node(self._started), loopback.NODE_PORT + self._block.shift
        folder = self.run.folder / "nodes" / f"{self._started:02}-{name}"
        self._started += 1
        folder.mkdir(parents=True)
        launch = plan(host, port, folder)
        for file, text in launch.files.items():
            (folder / file).write_text(text, "utf-8")
        core = self.cores.generator if beside else self.cores.server
        log = folder / "log"
        with log.open("wb") as output:
            try:
                process = subprocess.Popen(
                    [_TASKSET, "--cpu-list", str(core), *launch.argv],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    cwd=folder,
                    env={**os.environ, RUN_VARIABLE: self.run.id},
                    process_group=0,
                )
            except OSError as error:
                raise CannotRun(f"{name} cannot be started: {error.strerror}.") from error
        self.run.ledger.process(process.pid)
        subject = Subject(name, host, port, process, log)
        self._closing.callback(subject.stop)
        _wait_ready(subject, launch.ready)
        return subject

    def kept(self, name: str, make: Callable[[], Subject]) -> Subject:
        """Return a server that several rows share, made by the first that asks."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def warm(self, subject: Subject, size: int, *, requests: int = 0) -> None:
        """Renew until the server has answered as many as make it warm."""
        left = requests or self.warm_requests
        while left > 0:
            left -= max(self.generator.renew(subject.root, size, seconds=5.0).requests, 1)

    def renewals_per_second(self, subject: Subject, size: int, *, delay_ms: int = 0) -> float:
        """Return the renewals a server answers in a processor second."""
        before = subject.cpu_seconds()
        report = self.generator.renew(
            subject.root, size, seconds=self.part_seconds, delay_ms=delay_ms
        )
        used = subject.cpu_seconds() - before
        if report.refused:
            raise CannotRun(
                f"{subject.name} refused {report.refused} of {report.requests} renewals: "
                "what was measured is something else."
            )
        return report.requests / used


def _wait_ready(subject: Subject, path: str) -> None:
    patience = Patience(READY_BUDGET)
    while subject.is_alive and patience.pause(0.1):
        connection = http.client.HTTPConnection(subject.host, subject.port, timeout=PROBE_BUDGET)
        try:
            connection.request("GET", path, headers={"Accept": "application/json"})
            if connection.getresponse().status == _OK:
                return
        except (OSError, http.client.HTTPException):
            continue
        finally:
            connection.close()
    state = "was not ready in time" if subject.is_alive else "died at start"
    raise NodeFailed(
        f"{subject.name} {state} ({READY_BUDGET:g} s, {subject.root}).",
        subject.log.read_text("utf-8", "replace")[-_TAIL:],
    )
