"""
The load generator as a child process: Locust, headless, with the fleet of `load/locustfile.py`.

The child is in the run's ledger and carries its id; it is ended whatever happens here.
What it counts it writes into the run's folder while it runs (`fleet.json`), so that progress can be
shown and nothing is lost when it is ended early.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from eureka_tck.errors import CannotRun
from eureka_tck.fleet.tally import Tally
from eureka_tck.ledger import RUN_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eureka_tck.run import Run

# Real seconds beyond the storm's own: registering and cancelling the fleet, Locust's start and end.
GRACE = 120.0
LOOK_EVERY = 1.0
STOP_GRACE = 10.0


class Percentiles(msgspec.Struct, frozen=True):
    """Latency of one kind of request from its intended send time, in ms, and how many it was."""

    requests: int
    median: float
    p99: float
    worst: float


class _Entry(msgspec.Struct, frozen=True):
    name: str
    num_requests: int
    max_response_time: float
    response_times: dict[float, int]


@dataclass(frozen=True, slots=True)
class Generator:
    """One Locust process that lets `instances` instances of a storm loose on `host`."""

    run: Run
    locustfile: Path
    host: str
    storm: str
    instances: int
    minutes: float

    @property
    def html(self) -> Path:
        """Locust's own report."""
        return self.run.folder / "locust.html"

    @property
    def log(self) -> Path:
        """What Locust printed."""
        return self.run.folder / "locust.log"

    @property
    def command(self) -> tuple[str, ...]:
        """The command line of the child."""
        seconds = max(1, round(self.minutes * 60))
        return (
            *(sys.executable, "-m", "locust", "--locustfile", str(self.locustfile)),
            *("--host", self.host, "--storm", self.storm, "--instances", str(self.instances)),
            *("--headless", "--users", "1", "--spawn-rate", "1", "--run-time", f"{seconds}s"),
            *("--stop-timeout", "30", "--exit-code-on-error", "0", "--only-summary"),
            *("--html", str(self.html), "--csv", str(self.run.folder / "locust")),
            *("--json-file", str(self.run.folder / "locust"), "--tally", str(self._tally)),
        )

    def storm_on(self, watch: Callable[[float, Tally], None], now: Callable[[], float]) -> Tally:
        """
        Run the storm to its end; `watch` gets the seconds since its start and the counts, each 1 s.

        Raise CannotRun with the end of Locust's log when it failed or did not end in time.
        """
        environment = {**os.environ, RUN_VARIABLE: self.run.id}
        started = now()
        with self.log.open("wb") as log:
            child = subprocess.Popen(
                self.command, stdout=log, stderr=subprocess.STDOUT, env=environment
            )
            try:
                self.run.ledger.process(child.pid)
                while (code := _exit_code(child)) is None:
                    passed = now() - started
                    watch(passed, self.tally())
                    if passed > self.minutes * 60 + GRACE:
                        raise CannotRun(
                            f"the load generator had not ended {GRACE:g} s after the storm's end.",
                            f"Its log: {self.log}",
                        )
            finally:
                _end(child)
        if code != 0:
            tail = "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])
            raise CannotRun(f"the load generator exited {code}.", f"The end of its log:\n{tail}")
        return self.tally()

    def tally(self) -> Tally:
        """Return the counts so far; empty ones before the fleet has written any."""
        try:
            return msgspec.json.decode(self._tally.read_bytes(), type=Tally)
        except FileNotFoundError:
            return Tally()

    def percentiles(self) -> dict[str, Percentiles]:
        """Return Locust's own statistics by the name of the request."""
        raw = (self.run.folder / "locust.json").read_bytes()
        entries = msgspec.json.decode(raw, type=list[_Entry], strict=False)
        return {entry.name: _percentiles(entry) for entry in entries if entry.num_requests}

    @property
    def _tally(self) -> Path:
        return self.run.folder / "fleet.json"


def _percentiles(entry: _Entry) -> Percentiles:
    return Percentiles(
        entry.num_requests,
        _at(entry.response_times, 0.5),
        _at(entry.response_times, 0.99),
        entry.max_response_time,
    )


def _at(counts: dict[float, int], share: float) -> float:
    """Return the smallest value at or below which `share` of the counted ones lie."""
    left = share * sum(counts.values())
    for value in sorted(counts):
        left -= counts[value]
        if left <= 0:
            return value
    return 0.0


def _exit_code(child: subprocess.Popen[bytes]) -> int | None:
    try:
        return child.wait(LOOK_EVERY)
    except subprocess.TimeoutExpired:
        return None


def _end(child: subprocess.Popen[bytes]) -> None:
    """End the child, gently first; it may be gone already."""
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(STOP_GRACE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
