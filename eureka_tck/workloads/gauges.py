"""Reads what explains a run rather than judges it: the nodes' counters, and our own clock."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final, Self

from eureka_tck.errors import CannotRun
from eureka_tck.history.event import ClockRead, Counted
from eureka_tck.workloads.crew import is_told_to_end

if TYPE_CHECKING:
    from eureka_tck.workloads.site import Site

EVERY: Final = 5.0
"""s between two readings; a window of renewals lasts a minute."""

JOIN_BUDGET: Final = 45.0
"""Real seconds in which the thread has to end: a page takes 10 s at most, three nodes 30."""


class Gauges:
    """A context manager: one thread that reads all gauges inside the block."""

    def __init__(self, site: Site) -> None:
        self.error: Exception | None = None
        self._site = site
        self._counts = "counters" in site.cluster.capabilities
        self._read_at = site.now()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="gauges", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stopping.set()
        if is_told_to_end(kind):  # a call to a node that hangs ends with the node
            return
        self._thread.join(JOIN_BUDGET)
        if self._thread.is_alive():  # a bounded read cannot take so long
            raise CannotRun(f"the thread gauges did not end within {JOIN_BUDGET:g} s")
        self._read_clock()

    def check(self) -> None:
        """Raise the error of the thread, if it broke."""
        if self.error is not None:
            raise self.error

    def _run(self) -> None:
        try:
            while not self._stopping.wait(self._site.clock.real(EVERY)):
                self._read_clock()
                if self._counts:
                    self._read_counters()
        except Exception as error:  # noqa: BLE001 - raised again in `check`, in the runner's thread
            self.error = error

    def _read_clock(self) -> None:
        clock = self._site.clock
        late, now = round(clock.lateness(self._read_at), 4), self._site.now()
        self._site.history.write(ClockRead(at=now, epoch_ms=clock.epoch_ms(), late=late))
        self._read_at = now

    def _read_counters(self) -> None:
        for node in self._site.cluster:
            if self._stopping.is_set():
                return
            try:
                counters = node.counters()
            except CannotRun:  # it cannot be reached just now: the samplers say so
                continue
            self._site.history.write(
                Counted(
                    at=self._site.now(),
                    node=node.name,
                    threshold=counters.threshold,
                    renewals=counters.renewals_last_minute,
                    expiration_enabled=counters.expiration_enabled,
                    self_preservation=counters.self_preservation,
                    emergency=counters.emergency,
                )
            )
