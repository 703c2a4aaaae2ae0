"""
How long a change takes to a peer: one instance that is changed at node a, and awaited at node b.

Its delays run from the call to the first read that shows the change; they are kept as a histogram,
and one by one with the instant of the call.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self

from eureka_tck.clock import WaitedInVain, unix_now
from eureka_tck.fleet.histogram import Histogram, bucket
from eureka_tck.fleet.sighting import Delay
from eureka_tck.wire.client import WireClient
from eureka_tck.wire.errors import WireError
from eureka_tck.wire.recorder import Recorder
from eureka_tck.wire.sample import DIRTY_MS, sample

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster

EVERY: Final = 0.5
BUDGET: Final = 30.0
"""Seconds: the life of a replication task (eureka-core, maxProcessingDelayMs of batching)."""
APP, ID = "PROBE", "probe-1"
MOST_KEPT: Final = 5000
"""Delays that are kept one by one: those of three quarters of an hour at least."""


class Probe:
    """A context manager: measures inside the block, until it is told to end."""

    def __init__(self, cluster: Cluster) -> None:
        self.delays: Histogram = {}
        self._seen: list[Delay] = []
        self._clock = cluster.clock
        self._clients = [WireClient(cluster[name].root, recorder=Recorder()) for name in "ab"]
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="replication", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        for client in self._clients:
            client.close()

    def end(self) -> None:
        """Stop, and cancel the instance; safe to call twice."""
        if not self._stopping.is_set():
            self._stopping.set()
            self._thread.join(2 * BUDGET)
            with suppress(WireError):
                self._clients[0].cancel(APP, ID)

    def series(self, began: float) -> list[Delay]:
        """Return the delays one by one; instants count from the Unix time `began`."""
        return [Delay(round(one.at - began, 2), one.ms, one.arrived) for one in self._seen]

    def _run(self) -> None:
        turn = 0
        while not self._stopping.wait(EVERY):
            turn += 1
            with suppress(WireError):  # the node is down on purpose, just now
                self._measure(DIRTY_MS + turn)

    def _measure(self, dirty: int) -> None:
        here, there = self._clients
        here.register(sample(APP, ID, lastDirtyTimestamp=str(dirty)))
        changed, at = self._clock.now(), unix_now()

        def arrived() -> bool:
            seen = there.instance(APP, ID)
            return seen.status == 200 and seen.record().dirty_ms == dirty  # noqa: PLR2004 - found

        came = False
        with suppress(WaitedInVain):
            self._clock.wait_until(arrived, BUDGET, "the change at node b", pace=0.02)
            came = True
        seconds = self._clock.now() - changed
        key = bucket(seconds)
        self.delays[key] = self.delays.get(key, 0) + 1
        if len(self._seen) < MOST_KEPT:
            self._seen.append(Delay(at, round(seconds * 1000, 1), came))
