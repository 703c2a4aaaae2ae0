"""
What others used of this machine while a storm went on.

A registry that has to share its processors with somebody else is slow by their doing; only who
knows how much they used can tell that from a slow registry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Mapping


class Machine:
    """Looks at the machine's processor seconds beside those of the storm's own processes."""

    def __init__(self) -> None:
        self._cores = psutil.cpu_count() or 1
        self._began: tuple[float, float] | None = None
        self._ended: tuple[float, float] | None = None
        self._last: dict[str, float] = {}
        self._own = 0.0

    def look(self, at: float, own: Mapping[str, float]) -> None:
        """Note the processor seconds so far of each process of the storm, at an instant in s."""
        for name, used in own.items():
            before = self._last.get(name)
            if before is not None:  # less than before: it was started again
                self._own += used - before if used >= before else used
            self._last[name] = used
        now = (at, busy_seconds())
        self._began = self._began or now
        self._ended = now

    @property
    def others(self) -> float | None:
        """The share of all processors' time that others used; None where it was not seen."""
        if self._began is None or self._ended is None or self._ended[0] <= self._began[0]:
            return None
        seconds = self._ended[0] - self._began[0]
        used = self._ended[1] - self._began[1] - self._own
        return max(0.0, used / seconds / self._cores)


def busy_seconds() -> float:
    """Return the processor seconds that this machine has spent on anything, or that were stolen."""
    times = psutil.cpu_times()
    idle = times.idle + getattr(times, "iowait", 0.0)
    guests = getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)
    return float(sum(times) - idle - guests)
