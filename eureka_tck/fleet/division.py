"""
Who drives which part of the fleet: all of it in one process, or a part in each of Locust's workers.

The master looks at its workers all the time. Whenever another set of them is alive, it tells each
its part of how many, and the one instant at which the whole fleet began; so a dead worker's
instances are driven on by the others within seconds. Tallies travel back with Locust's own reports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import gevent
import msgspec
from locust.runners import MasterRunner, WorkerRunner

from eureka_tck.clock import unix_now
from eureka_tck.fleet.tally import Tally, together

if TYPE_CHECKING:
    from pathlib import Path

    from locust.env import Environment

MESSAGE: Final = "fleet_share"
END: Final = "fleet_end"
LEFT: Final = "fleet_left"
LEAVE_BUDGET: Final = 100.0
"""
Seconds for workers to cancel what they have registered. Locust itself gives them half of one when a
headless storm ends, and interrupts its own after three more.
"""
LOOK_EVERY: Final = 0.5
"""Seconds between two looks at the workers."""
SHARE_BUDGET: Final = 15.0
"""Seconds within which a worker has to be told its part."""


PREPARATION: Final = 1e-5
"""Seconds in which a process prepares one instance: 3 µs of its processor, measured."""
HEAD_START: Final = 0.5
HEAD_START_OF_WORKERS: Final = 2.0
"""Seconds from the start to the first registration: every process knows its part by then."""


class Share(msgspec.Struct, frozen=True):
    """
    Part `index` of `parts`, of a fleet that begins at that Unix time, in s.

    `since` is the Unix time from which on nobody tells of what changed hands; 0: of everything.
    """

    index: int
    parts: int
    began: float
    since: float = 0.0


class Division:
    """What this process knows of its own part, and the master's record of all."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self.share: Share | None = None
        self.tallies: dict[str, Tally] = {}
        self._workers: tuple[str, ...] = ()
        self._began = 0.0
        self._heard: dict[str, float] = {}
        self._left: set[str] = set()
        self._generation = 0
        self.divisions = 0
        """How often the fleet was divided: once, and again at each worker that came or went."""

    @property
    def began(self) -> float:
        """Return the Unix time at which the fleet begins to register; 0 before any storm."""
        return self._began

    @property
    def is_master(self) -> bool:
        """Say whether this process divides and drives nothing itself."""
        return isinstance(self._environment.runner, MasterRunner)

    @property
    def is_worker(self) -> bool:
        """Say whether this process is told its part."""
        return isinstance(self._environment.runner, WorkerRunner)

    def begin(self, instances: int = 0) -> None:
        """Start a storm of so many: alone, take all; as master, divide from now on."""
        self.tallies, self._workers, self.share, self.divisions = {}, (), None, 0
        self._generation += 1
        self._heard = {}
        head = HEAD_START_OF_WORKERS if self.is_master else HEAD_START
        head += instances * PREPARATION
        self._began = unix_now() + head  # an instant that several machines share
        if self.is_master:
            gevent.spawn(self._divide, self._generation)
        elif not self.is_worker:
            self.share = Share(0, 1, self._began)

    def told(self, message: Any) -> None:  # noqa: ANN401 - Locust's message
        """Take the part that the master has sent."""
        self.share = msgspec.convert(message.data, Share)

    def wait(self) -> Share:
        """Return this process's part, once it is known."""
        with gevent.Timeout(SHARE_BUDGET):
            while self.share is None:
                gevent.sleep(0.05)
        return self.share

    def end(self) -> None:
        """Divide no more, and forget the part: the next storm has another."""
        self._generation += 1
        self.share = None

    def leave(self) -> None:
        """Tell the workers that the storm is over, and wait until their fleets have left."""
        runner: Any = self._environment.runner
        self._left = set()
        for client_id in self._alive():
            runner.send_message(END, None, client_id)
        with gevent.Timeout(LEAVE_BUDGET, exception=False):
            while {*self._alive()} - self._left:
                gevent.sleep(0.05)

    def left(self, tally: Tally) -> None:
        """Tell the master, as a worker, that this part of the fleet has left, with its counts."""
        runner: Any = self._environment.runner
        runner.send_message(LEFT, msgspec.to_builtins(tally, str_keys=True))

    def told_left(self, client_id: str, counts: Any) -> None:  # noqa: ANN401 - Locust's message
        """Take the last counts of a worker whose part of the fleet has left."""
        self.reported(client_id, {"fleet": counts})
        self._left.add(client_id)

    def _alive(self) -> tuple[str, ...]:
        clients = getattr(self._environment.runner, "clients")  # noqa: B009 - a master's alone
        busy = [*clients.ready, *clients.spawning, *clients.running]
        return tuple(sorted(client.id for client in busy))

    def report(self, tally: Tally, data: dict[str, Any]) -> None:
        """Put a worker's tally into its report to the master."""
        data["fleet"] = msgspec.to_builtins(tally, str_keys=True)

    def reported(self, client_id: str, data: dict[str, Any]) -> None:
        """Take a worker's tally out of its report."""
        if "fleet" in data:
            self.tallies[client_id] = msgspec.convert(data["fleet"], Tally, strict=False)
            self._heard[client_id] = unix_now()

    def whole(self) -> Tally:
        """Return the tally of all workers."""
        alive = [tally for name, tally in self.tallies.items() if name in self._workers]
        whole = together(self.tallies.values(), alive or self.tallies.values())
        whole.began = self._began
        whole.workers, whole.divisions = len(self._workers), self.divisions
        return whole

    def write(self, file: Path, tally: Tally) -> None:
        """Write counts in one step, so that no reader finds half of them."""
        part = file.with_suffix(".part")
        part.write_bytes(msgspec.json.encode(tally))
        part.replace(file)

    def _divide(self, generation: int) -> None:
        runner: Any = self._environment.runner
        since = 0.0
        while generation == self._generation:
            alive = self._alive()
            if alive and alive != self._workers:
                lost = [self._heard.get(one, self._began) for one in {*self._workers} - {*alive}]
                since = min(lost, default=unix_now() if self.divisions else 0.0)
                self.divisions += 1
                self._workers = alive
            # Told again and again: a worker that has just come may not listen yet.
            for index, client_id in enumerate(self._workers if alive else ()):
                share = Share(index, len(alive), self._began, since)
                runner.send_message(MESSAGE, msgspec.to_builtins(share), client_id)
            gevent.sleep(LOOK_EVERY)
