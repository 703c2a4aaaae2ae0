"""The clock of a simulated cluster as the judge's runner reads it: to wait is to let happen."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from eureka_tck.clock import WaitedInVain
from tests.simulation.station import EPOCH_MS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.world import World

T = TypeVar("T")


class SimulatedClock:
    """`eureka_tck.clock.Clock` for a world: nobody is ever late."""

    speed = 1.0

    def __init__(self, world: World) -> None:
        self._world = world

    def now(self) -> float:
        """Return the registry seconds since the cluster's birth."""
        return self._world.time

    def epoch_ms(self) -> int:
        """Return the time as clients of the cluster stamp it."""
        return EPOCH_MS + round(self._world.time * 1000)

    def at_epoch_ms(self, ms: float) -> float:
        """Return a stamp of a node's wall clock as an instant on the axis of `now`."""
        return (ms - EPOCH_MS) / 1000

    def real(self, seconds: float) -> float:
        """Return the same: there is no other time."""
        return seconds

    def wait_until(
        self, condition: Callable[[], T], within: float, what: str, *, pace: float = 0.2
    ) -> T:
        """Let the world go on until the condition is truthy; WaitedInVain after so long."""
        end = self.now() + within
        while not (value := condition()):
            if self.now() >= end:
                raise WaitedInVain(what, within, value)
            self._world.run(min(end, self.now() + pace))
        return value

    def reach(self, instant: float) -> None:
        """Let the world go on until then."""
        self._world.run(max(instant, self.now()))
