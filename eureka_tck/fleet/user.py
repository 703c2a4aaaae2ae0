"""
The Locust user that is a whole fleet, and the shape that ends its storm.

One user drives all instances of its process over a few connections; a second user of the same
process only waits, to take over if the first should end. Every request goes through Locust's own
events, so that its console, pages, CSV and HTML are right; the time it reports runs from the
intended send time. With `bulk` it is added to Locust's statistics in one go, and no event is fired.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

import gevent
from locust import LoadTestShape, User, task

from eureka_tck.clock import unix_now
from eureka_tck.fleet.events import Events
from eureka_tck.fleet.fleet import Fleet

if TYPE_CHECKING:
    from pathlib import Path

    from locust.env import Environment

    from eureka_tck.fleet.division import Division
    from eureka_tck.fleet.storm import Storm
    from eureka_tck.fleet.tally import Tally

ANSWERS_BUDGET = 10.0
"""Seconds for the last answers once the storm is over."""
BUSY = ("spawning", "running")
"""Locust's states of a test that has begun."""
WRITE_EVERY = 0.5
"""Seconds between two writings of the tally."""


class FleetUser(User):
    """
    A fleet of `storm.instances` instances on the registries at `nodes`.

    The class attributes are set by the locustfile before the user starts.
    """

    abstract = True
    storm: ClassVar[Storm]
    division: ClassVar[Division]
    nodes: ClassVar[tuple[str, ...]] = ()
    addresses: ClassVar[tuple[tuple[str, int], ...]] = ()
    """Where the nodes are: what was admitted, not what a name may mean later."""
    tally_file: ClassVar[Path | None] = None
    bulk: ClassVar[bool] = False
    owned: ClassVar[bool] = False
    """Whether the command line said that a registry beyond this machine is its owner's."""
    fleet: ClassVar[Fleet | None] = None
    last: ClassVar[Tally | None] = None
    """What a fleet that has left had counted."""
    stopping: ClassVar[bool] = False

    @task
    def storm_on(self) -> None:
        """Drive this process's part of the fleet until the test stops."""
        if FleetUser.fleet is not None or FleetUser.stopping:
            gevent.sleep(WRITE_EVERY)
            return
        share = self.division.wait()
        fleet = FleetUser.fleet = self._fleet(share.began)
        try:
            fleet.take(share.index, share.parts, share.since)
            self._drive(fleet)
            fleet.finish(ANSWERS_BUDGET)
            self._write(fleet)
        except Exception as error:
            # Locust would begin anew, with counts that know nothing of what was lost.
            FleetUser.stopping = True
            fleet.tally.crash = f"{type(error).__name__}: {error}"
            raise
        finally:
            fleet.leave()
            self._write(fleet)
            if self._events is not None:
                self._events.flush()
            FleetUser.last = fleet.counted()
            fleet.close()
            FleetUser.fleet = None
            if self.division.is_worker:
                self.division.left(FleetUser.last)

    _events: Events | None = None

    def _fleet(self, began: float) -> Fleet:
        base = f"{urlsplit(self.nodes[0]).path.rstrip('/').removesuffix('/eureka')}/eureka"
        events = self._events = Events(self.environment, silent=self.bulk)
        return Fleet(self.storm, self.addresses, base, began, events.tell)

    def _drive(self, fleet: Fleet) -> None:
        written = fleet.began
        while not FleetUser.stopping:
            fleet.step()
            share = self.division.share
            if share is not None and (share.index, share.parts) != fleet.share:
                fleet.take(share.index, share.parts, share.since)
            if (now := fleet.now()) - written > WRITE_EVERY:
                written = now
                self._write(fleet)
                if self._events is not None:
                    self._events.flush()

    def _write(self, fleet: Fleet) -> None:
        if self.tally_file is not None and not self.division.is_worker:
            self.division.write(self.tally_file, fleet.counted())


class StormShape(LoadTestShape):
    """One user a process for as long as the storm lasts, then the end: a storm stops by itself."""

    abstract = True
    storm: ClassVar[Storm]
    division: ClassVar[Division]
    refused: ClassVar[bool] = False
    """Whether what was asked for in the web UI must not be: the test ends at once."""
    ended: ClassVar[bool] = False
    use_common_options = True

    @classmethod
    def end(cls) -> None:
        """End the storm before its time: the fleet leaves, as at any end."""
        StormShape.ended = True

    def tick(self) -> tuple[int, float] | None:
        """Return the users and how fast they come; None when the storm is over."""
        runner: Any = self.runner
        # Before that all is known of the storm before this one, which the web UI may have started.
        has_begun = runner.state in BUSY
        over = unix_now() - self.division.began > self.storm.length
        if self.ended or (has_begun and (self.refused or over)):
            return None
        workers = max(1, getattr(runner, "worker_count", 1))
        return workers, float(max(100, workers))


def stop_gently(environment: Environment) -> None:
    """Let the user finish and cancel its fleet, also where nobody gave a stop time-out."""
    FleetUser.stopping = True
    if not environment.stop_timeout:
        environment.stop_timeout = 90
