"""
A node of three killed and started again under load, many times.

    python -m tests.endurance.restart --times 50

Every instance goes on renewing all the time, at its home or, while that is dead, at the next node,
as clients do. After each restart the node must list every one of them within one renewal interval
plus batching.
"""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.targets import parse_target
from tests.endurance import line
from tests.endurance.command import INTERVAL, command

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from eureka_tck.clock import Clock
    from eureka_tck.run import Run

APPLICATIONS: Final = 20
STEP: Final = 2.0  # registry s between two rounds of a client thread
BATCHING: Final = 0.5  # registry s a change waits for others: eureka-core MAX_BATCHING_DELAY_MS
MARGIN: Final = 2.0  # registry s for a batch to travel, and for a read to be answered
SETTLING: Final = 60.0  # registry s for the first registrations to be known everywhere
TOLERATED: Final = MARGIN / 2  # registry s that clients may be late and the budget still holds
LONGEST_DEATH: Final = 20.0  # registry s a node stays dead: less than a lease, so nobody is evicted
BUDGET: Final = INTERVAL + BATCHING + MARGIN
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
    late: int = 0  # times not judged by the budget, as the clients themselves came late

    def summary(self) -> str:
        """Return the figures in one line."""
        return (
            f"{self.times} restarts, {self.renewals:,} renewals meanwhile; all instances there "
            f"{self.at_once} times in the first list, at worst {max(self.took):.1f} registry s "
            f"after the start (allowed {BUDGET:g}); {self.late} not judged, as clients were late"
        )

    def faults(self) -> list[str]:
        """Return what was not as it must be, as sentences."""
        return self.wrong


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
        self._renewed_at = [self._clock.now()] * len(self._groups)
        self._gaps: list[tuple[float, float]] = []  # when a group was renewed, and how long after
        self.renewals = 0
        self.failure: str = ""

    def longest_gap(self, *, since: float) -> float:
        """Return how long a group waited at most for its next renewal, in registry seconds."""
        now = self._clock.now()
        waiting = [now - at for at in list(self._renewed_at)]
        return max(*waiting, *(gap for at, gap in list(self._gaps) if at >= since))

    def run(self) -> None:
        """Renew each instance once an interval, until told to stop."""
        at = self._clock.now()
        number = 0
        while not self._stop_asked.is_set():
            at = max(at + STEP, self._clock.now() - STEP)
            self._clock.reach(at)
            group = number % len(self._groups)
            self._renew(self._groups[group])
            now = self._clock.now()
            self._gaps.append((now, now - self._renewed_at[group]))
            self._renewed_at[group] = now
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
                _restart(
                    *(cluster, rng.randrange(3), rng.uniform(0, LONGEST_DEATH)),
                    *(names, clients, figures),
                )
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
    cluster: Cluster,
    index: int,
    dead_for: float,
    names: list[str],
    clients: list[Clients],
    figures: Figures,
) -> None:
    clock, node = cluster.clock, list(cluster)[index]
    node.kill()
    clock.reach(clock.now() + dead_for)
    node.start()
    began = clock.now()
    if not _missing(node.root, names):
        figures.at_once += 1
    budget = BUDGET
    if not _come(clock, node.root, names, within=budget):
        # An instance that renews late is there late. That it comes at all must be seen.
        gap = max(client.longest_gap(since=began) for client in clients)
        late = max(gap - INTERVAL, clock.lateness(began))
        if late >= TOLERATED:
            figures.late += 1
            budget += late + BUDGET
        if late < TOLERATED or not _come(clock, node.root, names, within=late + BUDGET):
            missing = _missing(node.root, names)
            figures.wrong.append(
                f"restart {figures.times + 1}: {node} lacked some of {len(names)} instances "
                f"after {budget:g} s, and now lacks {len(missing)}: {', '.join(missing[:3])}"
            )
    figures.took.append(clock.now() - began)


def _come(clock: Clock, root: str, names: list[str], *, within: float) -> bool:
    try:
        return clock.wait_until(
            partial(_all_there, root, names), within=within, what="all of them", pace=0.5
        )
    except WaitedInVain:
        return False


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
        f"  renewals {renewals:,}  wrong {len(figures.wrong)}  late {figures.late}"
    )


def main() -> int:
    """Run the command; return its exit code."""

    def options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--times", type=int, default=50, help="restarts (50)")
        parser.add_argument("--instances", type=int, default=600, help="that renew (600)")

    def play(run: Run, given: argparse.Namespace, say: Callable[[str], None]) -> Figures:
        return restarts(
            run,
            times=given.times,
            instances=given.instances,
            speed=given.speed,
            seed=given.seed,
            say=say,
        )

    return command("restart", __doc__, play, options, speed=5.0)


if __name__ == "__main__":
    sys.exit(main())
