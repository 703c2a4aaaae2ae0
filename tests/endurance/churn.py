"""
A day of a registry's life, at speed: instances come, renew, change, leave and die all the time.

    python -m tests.endurance.churn --hours 24 --instances 5000 --speed 100

Judged are: the hash of every list read, that nobody who renewed is missing, that the dead go,
that memory stays flat once it has grown to its size, and that no task, socket or thread is left.

A driver that comes late proves nothing against a registry. So what must be listed is decided by the
moment after the list came, and who must be gone by the runs of eviction that the node counted:
a run forgives its own lateness, so the second one after a lease expired takes it, whenever that is.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import deque
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Final

import psutil

from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.targets import parse_target
from tests.endurance import line
from tests.endurance.command import DURATION, INTERVAL, command, metric

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from eureka_tck.clock import Clock
    from eureka_tck.node import Node
    from eureka_tck.run import Run

APPLICATIONS: Final = 50
STEP: Final = 5.0  # registry s between two rounds of the driver
CHECK: Final = 600.0  # registry s between two looks at the lists
CHANGED: Final = 0.002  # share of the fleet that leaves, dies or changes in a round
SETTLING: Final = 0.25  # share of the time after which memory has grown to its size
GROWTH: Final = 0.05  # share that memory may still grow by from then on
SLACK: Final = 4 * 1024 * 1024  # bytes: an allocator's own noise
EXPIRED: Final = 2 * DURATION  # registry s after which no lease lives that is not renewed
RUNS: Final = 3  # of eviction: one may be under way, the next may forgive, the third takes it
LOOKS: Final = 20  # at what a leak would add to; a list may be in the making at some of them
PROGRESS: Final = 3600.0  # registry s between two lines

SETTINGS: Final = {
    "eureka.server.enableSelfPreservation": "false",
    "eureka.server.responseCacheUpdateIntervalMs": "1000",
}


@dataclass(slots=True)
class Figures:
    """What a day said."""

    renewals: int = 0
    registrations: int = 0
    cancels: int = 0
    deaths: int = 0
    overrides: int = 0
    lists: int = 0
    wrong: list[str] = field(default_factory=list)
    memory: list[tuple[float, int]] = field(default_factory=list)
    left_over: dict[str, tuple[int, int]] = field(default_factory=dict)
    gone: int = 0  # instances that had to be gone, and were looked for
    late: int = 0  # instances that nothing can be said of: this driver came too late
    hours: float = 0.0
    worst_pause: float = 0.0

    def growth(self) -> int:
        """Return by how many bytes memory grew after it had grown to its size."""
        settled = [size for at, size in self.memory if at >= SETTLING * self.hours * 3600]
        if len(settled) < 4:
            return 0
        quarter = max(len(settled) // 4, 2)
        return sum(settled[-quarter:]) // quarter - sum(settled[:quarter]) // quarter

    def summary(self) -> str:
        """Return the figures in one line."""
        first, last = self.memory[0][1] / 2**20, self.memory[-1][1] / 2**20
        return (
            f"{self.hours:g} registry hours: {self.renewals:,} renewals, "
            f"{self.registrations:,} registrations, {self.cancels:,} cancels, "
            f"{self.deaths:,} deaths, {self.overrides:,} overrides, {self.lists:,} lists, "
            f"{self.gone:,} looked for that had to be gone; memory {first:.1f} MiB at first, "
            f"{last:.1f} MiB at last, {self.growth() / 2**20:+.1f} MiB after a quarter; "
            f"worst pause of its own {self.worst_pause * 1000:.0f} ms; "
            f"{self.late} not judged, as this driver was late"
        )

    def faults(self) -> list[str]:
        """Return what was not as it must be, as sentences."""
        found = list(self.wrong)
        size = self.memory[-1][1] if self.memory else 0
        if self.growth() > GROWTH * size + SLACK:
            found.append(f"memory grew by {self.growth() / 2**20:.1f} MiB to {size / 2**20:.0f}")
        for name, (before, after) in self.left_over.items():
            if after > before:
                found.append(f"{name}: {before} before, {after} after")
        return found


class Day:
    """The driver of one node."""

    def __init__(self, node: Node, clock: Clock, size: int, seed: int) -> None:
        self.figures = Figures()
        self._node = node
        self._clock = clock
        self._line = line.Line(node.root)
        self._rng = Random(seed)
        self._next = 0
        self._size = size
        # Groups that renew in turn, one in each round.
        self._groups: list[dict[str, float]] = [{} for _ in range(round(INTERVAL / STEP))]
        self._statuses: dict[str, str] = {}
        self._left: list[str] = []  # who cancelled, and was not looked for yet
        self._died: deque[tuple[float, str]] = deque()  # who stopped renewing, and when
        self._runs = Runs()

    def run(self, seconds: float, say: Callable[[str], None]) -> Figures:
        """Drive the node for so many registry seconds."""
        self._come(self._size)
        before = _left_over(self._node)
        began = self._clock.now()
        self.figures.hours = seconds / 3600
        check = told = began
        at = began
        number = 0
        while at < began + seconds:
            at += STEP
            self._clock.reach(at)
            self._round(self._groups[number % len(self._groups)])
            number += 1
            if self._clock.now() >= check:
                check = self._clock.now() + CHECK
                self._look(self._clock.now() - began)
            if at >= told:
                told += PROGRESS
                say(self._progress(at - began))
            at = max(at, self._clock.now() - STEP)  # what was missed is not made up
        self._look(self._clock.now() - began)
        self._line.close()
        for name, value in _left_over(self._node).items():
            self.figures.left_over[name] = before[name], value
        self.figures.worst_pause = metric(self._node, "eureka_loop_worst_busy_pause_seconds")
        return self.figures

    def _come(self, number: int) -> None:
        fresh = [f"node-{self._next + offset}" for offset in range(number)]
        self._next += number
        now = self._clock.now()
        calls = [line.registering(_app(name), name) for name in fresh]
        if set(self._line.statuses(calls)) - {204}:
            self.figures.wrong.append("a registration was refused")
        for name in fresh:
            self._groups[self._rng.randrange(len(self._groups))][name] = now
            self._statuses[name] = "UP"
        self.figures.registrations += number

    def _round(self, group: dict[str, float]) -> None:
        names = list(group)
        now = self._clock.now()
        statuses = self._line.statuses([line.renewal(_app(name), name) for name in names])
        after = self._clock.now()
        self.figures.renewals += len(names)
        if names and after - min(group.values()) > DURATION:
            # Living leases ended too, and a run takes no more than its share of all that did.
            self.figures.late += len(self._died)
            self._died.clear()
        lost = [name for name, status in zip(names, statuses, strict=True) if status != 200]
        for name in lost:
            # Noted before it was sent, and after it was answered: it was no longer than that.
            if after - group[name] > DURATION:
                self.figures.late += 1
            else:
                self.figures.wrong.append(f"{name} was lost {after - group[name]:.0f} s after it")
        for name in names:
            group[name] = now
        if lost:
            self._line.statuses([line.registering(_app(name), name) for name in lost])
            for name in lost:
                self._statuses[name] = "UP"
        self._change(group)

    def _change(self, group: dict[str, float]) -> None:
        number = max(round(CHANGED * self._size), 1)
        chosen = self._rng.sample(sorted(group), min(3 * number, len(group)))
        leaving, dying, changing = (chosen[start::3] for start in range(3))
        self._line.statuses([line.cancelling(_app(name), name) for name in leaving])
        for name in (*leaving, *dying):
            del group[name]
            del self._statuses[name]
        now = self._clock.now()
        self._left += leaving
        self._died += [(now, name) for name in dying]
        for name in changing:
            status = "UP" if self._statuses[name] != "UP" else "OUT_OF_SERVICE"
            self._line.statuses([line.overriding(_app(name), name, status)])
            self._statuses[name] = status
        self.figures.cancels += len(leaving)
        self.figures.deaths += len(dying)
        self.figures.overrides += len(changing)
        self._come(len(leaving) + len(dying))

    def _look(self, at: float) -> None:
        """Read the list twice: as others see it, and past the read-only layer."""
        wrong = self.figures.wrong
        before = self._clock.now()
        runs = round(metric(self._node, "eureka_eviction_runs_total"))
        self._runs.note(runs, at=before)
        found: dict[str, str] = {}
        for path in ("/eureka/apps/", "/eureka/apps/?regions=nowhere"):
            before = self._clock.now()
            ((status, body),) = self._line.call([line.reading(path)])
            if status != 200:
                wrong.append(f"{path} was answered {status}")
                return
            said, found = line.listed(body)
            self.figures.lists += 1
            if said != line.hash_of(found.values()):
                wrong.append(f"{path} has the hash {said} of {line.hash_of(found.values())}")
        renewed = {name: when for group in self._groups for name, when in group.items()}
        lost, late = missing(renewed, found, asked=before, answered=self._clock.now())
        self.figures.late += late
        if lost:
            wrong.append(f"{len(lost)} who renewed are not listed, {lost[0]} among them")
        wrong += [
            f"{name} is listed after it was cancelled" for name in self._left if name in found
        ]
        self.figures.gone += len(self._left)
        self._left = []
        while self._died and self._runs.since(self._died[0][0] + EXPIRED) >= RUNS:
            died, name = self._died.popleft()
            self.figures.gone += 1
            if name in found:
                wrong.append(
                    f"{name} is listed {before - died:.0f} s after it died, though "
                    f"{self._runs.since(died + EXPIRED)} runs of eviction followed its lease"
                )
        self.figures.memory.append((at, self._node.memory()))

    def _progress(self, at: float) -> str:
        figures = self.figures
        size = figures.memory[-1][1] / 2**20 if figures.memory else 0.0
        return (
            f"hour {at / 3600:5.1f}  renewals {figures.renewals:,}  came {figures.registrations:,}"
            f"  died {figures.deaths:,}  memory {size:.1f} MiB  wrong {len(figures.wrong)}"
            f"  late {figures.late}"
        )


def _app(name: str) -> str:
    return f"CHURN-{int(name.rpartition('-')[2]) % APPLICATIONS}"


class Runs:
    """How many runs of eviction a node had counted at the moments it was asked."""

    def __init__(self) -> None:
        self._at: list[float] = []
        self._counted: list[int] = []

    def note(self, counted: int, *, at: float) -> None:
        """Take note of what it said when it was asked at this moment or later."""
        self._at.append(at)
        self._counted.append(counted)

    def since(self, moment: float) -> int:
        """Return how many runs it has counted since that moment, at least."""
        first = bisect_left(self._at, moment)
        return self._counted[-1] - self._counted[first] if first < len(self._at) else 0


def missing(
    renewed: dict[str, float], listed: Iterable[str], *, asked: float, answered: float
) -> tuple[list[str], int]:
    """
    Return who must be listed and is not, and of how many others that cannot be said.

    A list was made somewhere between question and answer: a lease that ended before the answer came
    may have ended before the list was made, however soon after the renewal the question was sent.
    """
    absent = [name for name in renewed if name not in listed]
    lost = [name for name in absent if answered - renewed[name] < DURATION]
    late = [name for name in absent if asked - renewed[name] < DURATION <= answered - renewed[name]]
    return lost, len(late)


def _left_over(node: Node) -> dict[str, int]:
    """Return what a leak would add to: the least of some looks, as lists are in the making."""
    server = next(
        process
        for process in psutil.Process().children(recursive=True)
        if "eureka.server" in process.cmdline()
    )
    looks = [
        {
            "tasks": int(metric(node, "eureka_loop_tasks")),
            "threads": server.num_threads(),
            "open files": server.num_fds(),
        }
        for _ in range(LOOKS)
    ]
    return {name: min(look[name] for look in looks) for name in looks[0]}


def churn(
    run: Run, *, hours: float, instances: int, speed: float, seed: int, say: Callable[[str], None]
) -> Figures:
    """Live so many registry hours; return the figures."""
    spec = ClusterSpec.of("churn", parse_target("python"), speed=speed, settings=SETTINGS)
    with Cluster(spec, run) as cluster:
        return Day(cluster["a"], cluster.clock, instances, seed).run(hours * 3600, say)


def main() -> int:
    """Run the command; return its exit code."""

    def options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--hours", type=float, default=24.0, help="registry hours (24)")
        parser.add_argument("--instances", type=int, default=5000, help="alive at any time (5000)")

    def play(run: Run, given: argparse.Namespace, say: Callable[[str], None]) -> Figures:
        return churn(
            run,
            hours=given.hours,
            instances=given.instances,
            speed=given.speed,
            seed=given.seed,
            say=say,
        )

    return command("churn", __doc__, play, options, speed=100.0)


if __name__ == "__main__":
    sys.exit(main())
