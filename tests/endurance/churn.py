"""
A day of a registry's life, at speed: instances come, renew, change, leave and die all the time.

    python -m tests.endurance.churn --hours 24 --instances 5000 --speed 100

Judged are: the hash of every list read, that nobody who renewed is missing, that the dead go,
that memory stays flat once it has grown to its size, and that no task, socket or thread is left.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

import psutil

from eureka_tck.cluster import Cluster, ClusterSpec
from eureka_tck.errors import CannotRun
from eureka_tck.run import Run
from eureka_tck.targets import parse_target
from tests.endurance import line

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.clock import Clock
    from eureka_tck.node import Node

APPLICATIONS: Final = 50
INTERVAL: Final = 30.0  # registry s between two renewals of an instance
DURATION: Final = 90.0  # registry s of a lease: what the samples register
STEP: Final = 5.0  # registry s between two rounds of the driver
CHECK: Final = 600.0  # registry s between two looks at the lists
CHANGED: Final = 0.002  # share of the fleet that leaves, dies or changes in a round
EVICTION: Final = 60.0  # registry s between two runs: the default
SETTLING: Final = 0.25  # share of the time after which memory has grown to its size
GROWTH: Final = 0.05  # share that memory may still grow by from then on
SLACK: Final = 4 * 1024 * 1024  # bytes: an allocator's own noise
DEAD_FOR: Final = 2 * DURATION + 8 * EVICTION  # registry s after which nobody dead is listed
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
    excused: int = 0  # renewals that came too late by this driver's own lateness
    hours: float = 0.0
    worst_pause: float = 0.0

    def growth(self) -> int:
        """Return by how many bytes memory grew after it had grown to its size."""
        settled = [size for at, size in self.memory if at >= SETTLING * self.hours * 3600]
        if len(settled) < 4:
            return 0
        quarter = max(len(settled) // 4, 2)
        return sum(settled[-quarter:]) // quarter - sum(settled[:quarter]) // quarter

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
        self._gone: deque[tuple[float, str]] = deque()  # since when, who must not be listed

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
        self.figures.worst_pause = _metric(
            self._node.fetch("/metrics"), "eureka_loop_worst_busy_pause_seconds"
        )
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
        lost = [name for name, status in zip(names, statuses, strict=True) if status != 200]
        for name in lost:
            # The lease may end if this driver was late, and only then.
            if after - group[name] > DURATION:
                self.figures.excused += 1
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
        self._gone += [(now - DEAD_FOR, name) for name in leaving]
        self._gone += [(now, name) for name in dying]
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
        now = self._clock.now()
        wrong = self.figures.wrong
        for path in ("/eureka/apps/", "/eureka/apps/?regions=nowhere"):
            ((status, body),) = self._line.call([line.reading(path)])
            if status != 200:
                wrong.append(f"{path} was answered {status}")
                continue
            said, found = line.listed(body)
            self.figures.lists += 1
            if said != line.hash_of(found.values()):
                wrong.append(f"{path} has the hash {said} of {line.hash_of(found.values())}")
        missing = [
            name
            for group in self._groups
            for name, renewed in group.items()
            if name not in found and now - renewed < DURATION
        ]
        if missing:
            wrong.append(f"{len(missing)} who renewed are not listed, {missing[0]} among them")
        while self._gone and self._gone[0][0] < now - DEAD_FOR:
            _, name = self._gone.popleft()
            if name in found:
                wrong.append(f"{name} is listed {DEAD_FOR:.0f} s after it died")
        self.figures.memory.append((at, self._node.memory()))

    def _progress(self, at: float) -> str:
        figures = self.figures
        size = figures.memory[-1][1] / 2**20 if figures.memory else 0.0
        return (
            f"hour {at / 3600:5.1f}  renewals {figures.renewals:,}  came {figures.registrations:,}"
            f"  died {figures.deaths:,}  memory {size:.1f} MiB  wrong {len(figures.wrong)}"
        )


def _app(name: str) -> str:
    return f"CHURN-{int(name.rpartition('-')[2]) % APPLICATIONS}"


def _left_over(node: Node) -> dict[str, int]:
    """Return what a leak would add to, with a list read under way by nobody."""
    server = next(
        process
        for process in psutil.Process().children(recursive=True)
        if "eureka.server" in process.cmdline()
    )
    return {
        "tasks": int(_metric(node.fetch("/metrics"), "eureka_loop_tasks")),
        "threads": server.num_threads(),
        "open files": server.num_fds(),
    }


def _metric(page: str, name: str) -> float:
    found = re.search(rf"^{name} ([0-9.e+-]+)$", page, re.MULTILINE)
    if found is None:
        raise CannotRun(f"/metrics does not tell {name}.")
    return float(found[1])


def churn(
    run: Run, *, hours: float, instances: int, speed: float, seed: int, say: Callable[[str], None]
) -> Figures:
    """Live so many registry hours; return the figures."""
    spec = ClusterSpec.of("churn", parse_target("python"), speed=speed, settings=SETTINGS)
    with Cluster(spec, run) as cluster:
        return Day(cluster["a"], cluster.clock, instances, seed).run(hours * 3600, say)


def main() -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--hours", type=float, default=24.0, help="registry hours (24)")
    parser.add_argument("--instances", type=int, default=5000, help="alive at any time (5000)")
    parser.add_argument("--speed", type=float, default=100.0, help="registry s in a real one (100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("reports"))
    given = parser.parse_args()
    with Run.create("churn", "python", given.out, given.seed).owned() as run:
        figures = churn(
            run,
            hours=given.hours,
            instances=given.instances,
            speed=given.speed,
            seed=given.seed,
            say=lambda text: print(text, flush=True),  # noqa: T201 - a command's progress
        )
    print(  # noqa: T201 - a command's figures
        f"{figures.hours:g} registry hours at speed {given.speed:g}: "
        f"{figures.renewals:,} renewals, {figures.registrations:,} registrations, "
        f"{figures.cancels:,} cancels, {figures.deaths:,} deaths, {figures.overrides:,} overrides, "
        f"{figures.lists:,} lists; memory {figures.memory[0][1] / 2**20:.1f} MiB at first, "
        f"{figures.memory[-1][1] / 2**20:.1f} MiB at last, "
        f"{figures.growth() / 2**20:+.1f} MiB after a quarter; "
        f"worst pause of its own {figures.worst_pause * 1000:.0f} ms; "
        f"{figures.excused} lost by this driver's lateness"
    )
    faults = figures.faults()
    for fault in faults[:20]:
        print(f"WRONG: {fault}")  # noqa: T201 - the same
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
