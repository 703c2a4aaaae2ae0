"""
Time: the only module of the judge that reads the wall clock or sleeps.
Stopwatches (`monotonic`) run elsewhere too, and the fleet sleeps in Locust's own time.

A cluster's registries live `speed` times faster than we do.
Everything a test says is in *registry seconds* since the cluster's birth;
only what is bound by the processor or the network of this machine is in real ones.
A node's wall clock shows `epoch + (t - epoch) * speed`, where t is real unix time.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

SHORTEST_PAUSE = 0.02  # real s: asked oftener, a condition would cost the cores it waits for
WATCHDOG_PERIOD = 0.01  # real s between two samples of our own lateness
WATCHDOG_MEMORY = 4096  # samples kept; only ever-smaller ones follow each other, so few are needed


class WaitedInVain(Exception):  # noqa: N818 - it reads as the statement it prints
    """What was awaited did not come within its budget; carries the last thing that was seen."""

    def __init__(self, what: str, within: float, last: object) -> None:
        super().__init__(what, within, last)
        self.what = what
        self.within = within
        self.last = last

    def __str__(self) -> str:
        return (
            f"waited {self.within:g} registry s in vain for {self.what}; last seen: {self.last!r}"
        )


class Clock:
    """Registry time of one cluster, born now; `speed` registry seconds pass in a real one."""

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed
        self.epoch = time.time()
        self._birth = time.monotonic()
        self._watchdog = Watchdog()

    def now(self) -> float:
        """Return the registry seconds since the cluster's birth."""
        return (time.monotonic() - self._birth) * self.speed

    def epoch_ms(self) -> int:
        """Return what the wall clock of a node says now, in ms since 1970."""
        return round((self.epoch + self.now()) * 1000)

    def at_epoch_ms(self, ms: float) -> float:
        """Return a stamp of a node's wall clock as an instant on the axis of `now`."""
        return ms / 1000 - self.epoch

    def real(self, seconds: float) -> float:
        """Return how many real seconds so many registry seconds take."""
        return seconds / self.speed

    def wait_until(
        self,
        condition: Callable[[], T],
        within: float,
        what: str,
        *,
        pace: float = 0.2,
        not_before: float | None = None,
    ) -> T:
        """
        Ask `condition` until it is truthy and return that value, or raise WaitedInVain.

        `within` and `pace` are registry seconds, counted from `not_before` (an instant of `now`)
        where one is given: nothing is asked earlier.
        It is asked once more when the budget has run out.
        """
        if not_before is not None:
            self.reach(not_before)
        end = self.now() + within
        while True:
            value = condition()
            if value:
                return value
            left = self.real(end - self.now())
            if left <= 0:
                raise WaitedInVain(what, within, value)
            time.sleep(min(left, max(self.real(pace), SHORTEST_PAUSE)))

    def reach(self, instant: float) -> None:
        """Return when `now` has reached the instant: an appointment, for recorded timelines."""
        while (left := self.real(instant - self.now())) > 0:
            time.sleep(left)

    def lateness(self, since: float) -> float:
        """Return how late this process was at worst since the instant, in registry seconds."""
        return self._watchdog.worst(self._birth + since / self.speed) * self.speed

    def start(self) -> None:
        """Start to sample the lateness of this process."""
        self._watchdog.start()

    def close(self) -> None:
        """Stop the sampling; what was seen stays readable."""
        self._watchdog.close()


class Watchdog:
    """
    A thread that sleeps 10 ms at a time and remembers how much longer it took.

    Only samples that no later one exceeds are kept: the worst since any instant is the first kept
    sample after it.
    """

    def __init__(self, period: float = WATCHDOG_PERIOD) -> None:
        self._period = period
        self._lock = threading.Lock()
        self._samples: deque[tuple[float, float]] = deque(maxlen=WATCHDOG_MEMORY)
        self._due = 0.0
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start sampling, once."""
        if self._thread is None:
            self._due = time.monotonic() + self._period
            self._thread = threading.Thread(target=self._run, name="lateness-watchdog", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def worst(self, since: float) -> float:
        """Return the worst lateness, in real seconds, seen since the monotonic instant."""
        with self._lock:
            seen = next((late for at, late in self._samples if at >= since), 0.0)
            # A stall that goes on while we ask has no sample yet.
            going_on = time.monotonic() - self._due if self._thread is not None else 0.0
            return max(seen, going_on, 0.0)

    def note(self, at: float, late: float) -> None:
        """Remember a sample: at the monotonic instant `at` we were `late` real seconds late."""
        with self._lock:
            while self._samples and self._samples[-1][1] <= late:
                self._samples.pop()
            self._samples.append((at, late))

    def _run(self) -> None:
        while not self._closing.wait(max(0.0, self._due - time.monotonic())):
            now = time.monotonic()
            self.note(now, now - self._due)
            with self._lock:
                self._due = now + self._period


class Patience:
    """A budget of real seconds for something bound by this machine, as the start of a process."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the real seconds left, 0 when it has run out."""
        return max(0.0, self._end - time.monotonic())

    def pause(self, seconds: float = SHORTEST_PAUSE) -> bool:
        """Sleep for so long, or for what is left; say whether there is still something left."""
        time.sleep(min(seconds, self.left()))
        return self.left() > 0


def unix_now() -> float:
    """Return real unix time in seconds."""
    return time.time()


def utc_now() -> str:
    """Return the real time as reports tell it: ISO 8601, UTC, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def utc_stamp() -> str:
    """Return the real time as it stands in the name of a run's folder, as 20261130T143205Z."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
