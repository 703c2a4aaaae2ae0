"""
The load generator as a child process: Locust, headless, with the fleet of `load/locustfile.py`.

The child is in the run's ledger and carries its id; it is ended whatever happens here.
What it counts it writes into the run's folder while it runs (`fleet.json`), so that progress can be
shown and nothing is lost when it is ended early.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec
import psutil

from eureka_tck.errors import CannotRun
from eureka_tck.fleet.tally import Tally
from eureka_tck.ledger import RUN_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eureka_tck.run import Run

# Real seconds beyond the storm's own: registering and cancelling the fleet, Locust's start and end.
GRACE = 120.0
WORKERS_BUDGET = 300.0
"""Seconds for workers of other machines to be started and to come."""
LOOK_EVERY = 0.5
STOP_GRACE = 10.0
STOP_GRACE_OF_GUESTS = 100.0
"""Seconds: on a registry that goes on living, the fleet cancels what it has registered."""
_SHOWN = ("--autostart", "--autoquit", "0", "--web-host", "127.0.0.1")


@dataclass(slots=True)
class Generator:
    """One Locust process that lets `instances` instances of a storm loose on `host`."""

    run: Run
    locustfile: Path
    nodes: tuple[str, ...]
    storm: str
    instances: int
    minutes: float
    settle: float
    length: float
    """Seconds that the storm lasts, with arrival and settling."""
    processes: int = 0
    """Workers on this machine; 0: the one process does it all."""
    workers: int = 0
    """Workers of other machines that are waited for; 0: none."""
    bulk: bool = False
    web: int = 0
    """Port of loopback at which Locust's web UI is shown while the storm lasts; 0: nowhere."""
    owned: bool = False
    folder: Path | None = None
    """Where its files go; None: the run's own folder."""
    _child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def html(self) -> Path:
        """Locust's own report."""
        return self._folder / "locust.html"

    @property
    def log(self) -> Path:
        """What Locust printed."""
        return self._folder / "locust.log"

    @property
    def command(self) -> tuple[str, ...]:
        """The command line of the child."""
        own = self._folder / "locust"
        return (
            *(sys.executable, "-m", "locust", "--locustfile", str(self.locustfile)),
            *("--host", self.nodes[0], "--nodes", ",".join(self.nodes), "--storm", self.storm),
            *("--instances", str(self.instances), "--minutes", str(self.minutes)),
            *(_SHOWN if self.web else ("--headless",)),
            *(("--web-port", str(self.web)) if self.web else ()),
            *("--stop-timeout", "90", "--exit-code-on-error", "0", "--only-summary"),
            *("--settle", str(self.settle)),
            *("--html", str(self.html), "--csv", str(own), "--json-file", str(own)),
            *("--tally", str(self._tally)),
            *(_workers_here(self.processes) if self.processes else ()),
            *(_workers_elsewhere(self.workers) if self.workers else ()),
            *(("--bulk",) if self.bulk else ()),
            *(("--i-own-this-target",) if self.owned else ()),
        )

    def storm_on(self, watch: Callable[[float, Tally], None], now: Callable[[], float]) -> Tally:
        """
        Run the storm to its end; `watch` gets the seconds since its start and the counts, often.

        Raise CannotRun with the end of Locust's log when it failed or did not end in time.
        """
        environment = {**os.environ, RUN_VARIABLE: self.run.id}
        started = now()
        with self.log.open("wb") as log:
            child = subprocess.Popen(
                self.command,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                process_group=0,  # Ctrl-C is told to us alone, and the fleet is told once to leave
            )
            self._child = child
            try:
                self.run.ledger.process(child.pid)
                while (code := _exit_code(child)) is None:
                    passed = now() - started
                    watch(passed, self.tally())
                    if passed > self.length + GRACE + (WORKERS_BUDGET if self.workers else 0):
                        raise CannotRun(
                            f"the load generator had not ended {GRACE:g} s after the storm's end.",
                            f"Its log: {self.log}",
                        )
            finally:
                _end(child, STOP_GRACE_OF_GUESTS if self.owned else STOP_GRACE)
        if code != 0:
            tail = "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])
            raise CannotRun(f"the load generator exited {code}.", f"The end of its log:\n{tail}")
        counted = self.tally()
        if not counted.began:
            raise CannotRun("the load generator's fleet never began.", f"Its log: {self.log}")
        if counted.crash:
            raise CannotRun(f"the load generator broke down: {counted.crash}.", f"Log: {self.log}")
        return counted

    def cpu_seconds(self) -> float:
        """Return the processor seconds that Locust has used; 0 where workers are elsewhere."""
        if self._child is None or self.workers:
            return 0.0
        used = 0.0
        with suppress(psutil.Error):  # it, or a worker of it, has just ended
            locust = psutil.Process(self._child.pid)
            for process in (locust, *locust.children(recursive=True)):
                times = process.cpu_times()
                used += times.user + times.system
        return used

    def tally(self) -> Tally:
        """Return the counts so far; empty ones before the fleet has written any."""
        try:
            return msgspec.json.decode(self._tally.read_bytes(), type=Tally)
        except FileNotFoundError:
            return Tally()

    @property
    def _folder(self) -> Path:
        return self.folder or self.run.folder

    @property
    def _tally(self) -> Path:
        return self._folder / "fleet.json"


def _workers_elsewhere(count: int) -> tuple[str, ...]:
    return (
        *("--master", "--expect-workers", str(count)),
        *("--expect-workers-max-wait", f"{WORKERS_BUDGET:.0f}"),
    )


def _workers_here(count: int) -> tuple[str, ...]:
    """
    Return the options of workers on this machine.

    Their master listens on loopback, at a port of its own: at Locust's usual one, the workers of
    two storms would join whichever was there first, and strangers could.
    """
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
    return (
        *("--processes", str(count)),
        *("--master-bind-host", "127.0.0.1", "--master-bind-port", port),
        *("--master-host", "127.0.0.1", "--master-port", port),
    )


def _exit_code(child: subprocess.Popen[bytes]) -> int | None:
    try:
        return child.wait(LOOK_EVERY)
    except subprocess.TimeoutExpired:
        return None


def _end(child: subprocess.Popen[bytes], grace: float) -> None:
    """End the child and its workers, gently first; it may be gone already."""
    if child.poll() is not None:
        return
    workers: list[psutil.Process] = []
    with suppress(psutil.Error):
        workers = psutil.Process(child.pid).children(recursive=True)
    child.terminate()
    try:
        child.wait(grace)
    except subprocess.TimeoutExpired:
        pass
    finally:  # a second Ctrl-C too ends all of it
        child.kill()
        child.wait()
        for worker in workers:
            with suppress(psutil.Error):  # it is gone
                worker.kill()
        psutil.wait_procs(workers, STOP_GRACE)
