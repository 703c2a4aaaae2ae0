"""
A node of three killed and started again under load, many times.

    python -m tests.endurance.restart --times 50

Every instance goes on renewing all the time, at its home or, while that is dead, at the next node,
as clients do. After each restart the node must list every one of them within one renewal interval
plus batching.
"""

from __future__ import annotations

import argparse
import sys
import threading
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.cluster import Cluster, ClusterSpec
from eureka_tck.run import Run
from eureka_tck.targets import parse_target
from tests.endurance import line

if TYPE_CHECKING:
    from collections.abc import Callable

APPLICATIONS: Final = 20
INTERVAL: Final = 30.0  # registry s between two renewals of an instance
STEP: Final = 2.0  # registry s between two rounds of a client thread
BATCHING: Final = 0.5  # registry s a change waits for others: eureka-core MAX_BATCHING_DELAY_MS
MARGIN: Final = 2.0  # registry s for a batch to travel, and for a read to be answered
SETTLING: Final = 60.0  # registry s for the first registrations to be known everywhere
LONGEST_DEATH: Final = 20.0  # registry s a node stays dead: less than a lease, so nobody is evicted
SETTINGS: Final = {
    "eureka.server.registrySyncRetries": "5",
    "eureka.server.responseCacheUpdateIntervalMs": "1000",
}


@dataclass(slots=True)
class Figures:
    """What the restarts said."""

    times: int = 0
    renewals: int = 0
    took: list[float] = field(default_factory=list)  # registry s until all were there again
    at_once: int = 0  # times the first list after the start had all of them
    wrong: list[str] = field(default_factory=list)
    excused: int = 0  # times judged with this driver's own lateness added


class Clients(threading.Thread):
    """The clients whose home is one node; they go on with the next while it is dead."""

    def __init__(
        self, cluster: Cluster, home: int, names: list[str], stop: threading.Event
    ) -> None:
        super().__init__(name=f"clients-{home}", daemon=True)
        self._clock = cluster.clock
        roots = [node.root for node in cluster]
        self._lines = [line.Line(root) for root in (*roots[home:], *roots[:home])]
        self._groups = [names[start :: round(INTERVAL / STEP)] for start in range(15)]
        self._stop_asked = stop
        self.renewals = 0
        self.failure: str = ""

    def run(self) -> None:
        """Renew each instance once an interval, until told to stop."""
        at = self._clock.now()
        number = 0
        while not self._stop_asked.is_set():
            at = max(at + STEP, self._clock.now() - STEP)
            self._clock.reach(at)
            self._renew(self._groups[number % len(self._groups)])
            number += 1
        for one in self._lines:
            one.close()

    def _renew(self, names: list[str]) -> None:
        for one in self._lines:
            try:
                statuses = one.statuses([line.renewal(_app(name), name) for name in names])
                again = [
                    name for name, status in zip(names, statuses, strict=True) if status == 404
                ]
                one.statuses([line.registering(_app(name), name) for name in again])
            except line.LineBroken:
                continue
            self.renewals += len(names)
            return
        self.failure = "no node answered a renewal"


def restarts(
    run: Run, *, times: int, instances: int, speed: float, seed: int, say: Callable[[str], None]
) -> Figures:
    """Kill and start so many times; return the figures."""
    target = parse_target("python")
    spec = ClusterSpec.of("restart", target, nodes=3, speed=speed, settings=SETTINGS)
    figures = Figures()
    rng = Random(seed)
    names = [f"node-{number}" for number in range(instances)]
    stop = threading.Event()
    with Cluster(spec, run) as cluster:
        nodes = list(cluster)
        clients = [Clients(cluster, home, names[home::3], stop) for home in range(3)]
        for home, node in enumerate(nodes):
            one = line.Line(node.root)
            one.statuses([line.registering(_app(name), name) for name in names[home::3]])
            one.close()
        for client in clients:
            client.start()
        try:
            for node in nodes:
                cluster.clock.wait_until(
                    partial(_all_there, node.root, names),
                    within=SETTLING,
                    what=f"all instances at {node}",
                )
            for _ in range(times):
                _restart(cluster, rng.randrange(3), rng.uniform(0, LONGEST_DEATH), names, figures)
                figures.times += 1
                say(_progress(figures, sum(client.renewals for client in clients)))
        finally:
            stop.set()
            for client in clients:
                client.join()
    figures.renewals = sum(client.renewals for client in clients)
    figures.wrong += [client.failure for client in clients if client.failure]
    return figures


def _restart(
    cluster: Cluster, index: int, dead_for: float, names: list[str], figures: Figures
) -> None:
    clock, node = cluster.clock, list(cluster)[index]
    node.kill()
    clock.reach(clock.now() + dead_for)
    node.start()
    began = clock.now()
    if not _missing(node.root, names):
        figures.at_once += 1
    budget = INTERVAL + BATCHING + MARGIN
    try:
        clock.wait_until(
            partial(_all_there, node.root, names), within=budget, what="all of them", pace=0.5
        )
    except WaitedInVain:
        late = clock.lateness(began)
        missing = _missing(node.root, names)
        if missing and late < MARGIN:
            figures.wrong.append(
                f"restart {figures.times + 1}: {node} lacks {len(missing)} of {len(names)} "
                f"after {budget:g} s, {missing[0]} among them"
            )
        elif missing:
            figures.excused += 1
    figures.took.append(clock.now() - began)


def _all_there(root: str, names: list[str]) -> bool:
    return not _missing(root, names)


def _missing(root: str, names: list[str]) -> list[str]:
    """Return who is not listed, read past the read-only layer."""
    one = line.Line(root)
    try:
        ((status, body),) = one.call([line.reading("/eureka/apps/?regions=nowhere")])
    except line.LineBroken:
        return names
    finally:
        one.close()
    found = line.listed(body)[1] if status == 200 else {}
    return [name for name in names if name not in found]


def _app(name: str) -> str:
    return f"RESTART-{int(name.rpartition('-')[2]) % APPLICATIONS}"


def _progress(figures: Figures, renewals: int) -> str:
    return (
        f"restart {figures.times:3}  all there after {figures.took[-1]:5.1f} registry s"
        f"  renewals {renewals:,}  wrong {len(figures.wrong)}"
    )


def main() -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--times", type=int, default=50, help="restarts (50)")
    parser.add_argument("--instances", type=int, default=600, help="that renew all the time (600)")
    parser.add_argument("--speed", type=float, default=5.0, help="registry s in a real one (5)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("reports"))
    given = parser.parse_args()
    with Run.create("restart", "python", given.out, given.seed).owned() as run:
        figures = restarts(
            run,
            times=given.times,
            instances=given.instances,
            speed=given.speed,
            seed=given.seed,
            say=lambda text: print(text, flush=True),  # noqa: T201 - a command's progress
        )
    print(  # noqa: T201 - a command's figures
        f"{figures.times} restarts, {figures.renewals:,} renewals meanwhile; all instances there "
        f"{figures.at_once} times in the first list, at worst {max(figures.took):.1f} registry s "
        f"after the start (allowed {INTERVAL + BATCHING + MARGIN:g}); "
        f"{figures.excused} not judged, as this driver was late"
    )
    for fault in figures.wrong:
        print(f"WRONG: {fault}")  # noqa: T201 - the same
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
