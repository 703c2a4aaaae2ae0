"""
The threads that call the registries: one a node, each with a calendar of appointments.

An appointment is a function that makes its call and returns the instant of its next one.
A node that hangs holds up its own thread alone, as it would its own clients.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from typing import TYPE_CHECKING, Final, Self, TypeAlias

from eureka_tck.errors import CannotRun
from eureka_tck.workloads.caller import Caller

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.clock import Clock
    from eureka_tck.workloads.site import Site

Appointment: TypeAlias = "Callable[[Caller], float | None]"

JOIN_BUDGET: Final = 15.0
"""Real seconds in which a thread has to end: one call takes 5 s at most."""


def is_told_to_end(kind: type[BaseException] | None) -> bool:
    """Whether a block is left because this process was told to end: nobody waits for a call."""
    return kind is not None and not issubclass(kind, Exception)


class Crew:
    """A context manager: its threads run inside the block and have ended when it is left."""

    def __init__(self, site: Site) -> None:
        self._workers = {
            node: _Worker(Caller(site, node), site.clock) for node in site.cluster.nodes
        }

    def __enter__(self) -> Self:
        for worker in self._workers.values():
            worker.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for worker in self._workers.values():
            worker.stop()
        if is_told_to_end(kind):  # a call to a node that hangs ends with the node
            return
        for worker in self._workers.values():
            worker.finish()

    def appoint(self, node: str, at: float, appointment: Appointment) -> None:
        """Make an appointment with a node at an instant of the cluster's clock."""
        self._workers[node].appoint(at, appointment)

    def check(self) -> None:
        """Raise the error of a thread that broke, if one did."""
        for worker in self._workers.values():
            if worker.error is not None:
                raise worker.error


class _Worker(threading.Thread):
    def __init__(self, caller: Caller, clock: Clock) -> None:
        super().__init__(name=f"caller-{caller.node}", daemon=True)
        self.error: Exception | None = None
        self._caller = caller
        self._clock = clock
        self._changed = threading.Condition()
        self._order = itertools.count()
        self._calendar: list[tuple[float, int, Appointment]] = []
        self._stopping = False

    def appoint(self, at: float, appointment: Appointment) -> None:
        with self._changed:
            heapq.heappush(self._calendar, (at, next(self._order), appointment))
            self._changed.notify()

    def stop(self) -> None:
        with self._changed:
            self._stopping = True
            self._changed.notify()

    def finish(self) -> None:
        self.join(JOIN_BUDGET)
        if self.is_alive():  # a bounded call cannot take so long
            raise CannotRun(f"the thread {self.name} did not end within {JOIN_BUDGET:g} s")
        self._caller.close()

    def run(self) -> None:
        try:
            while (appointment := self._next()) is not None:
                again = appointment(self._caller)
                if again is not None:
                    self.appoint(again, appointment)
        except Exception as error:  # noqa: BLE001 - raised again in `check`, in the runner's thread
            self.error = error

    def _next(self) -> Appointment | None:
        """Wait for the first appointment to be due and return it; None when it is time to stop."""
        with self._changed:
            while not self._stopping:
                if not self._calendar:
                    self._changed.wait()
                    continue
                left = self._clock.real(self._calendar[0][0] - self._clock.now())
                if left <= 0:
                    return heapq.heappop(self._calendar)[2]
                self._changed.wait(left)
            return None
