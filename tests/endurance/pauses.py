"""
How long a large registry keeps everybody waiting while it does what takes longest.

    python -m tests.endurance.pauses --instances 100000

A node is filled by batches and its lists are read, a second one copies it as it starts,
a third one fetches it as another region; then all register anew, and nobody renews.
Each node tells its longest pause that was its own doing; no pause may be longer than 50 ms.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec

from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.errors import CannotRun
from eureka_tck.targets import parse_target
from eureka_tck.wire.sample import DIRTY_MS, sample
from tests.endurance import line
from tests.endurance.command import command, metric

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from eureka_tck.node import Node
    from eureka_tck.run import Run

APPLICATIONS: Final = 1000
BATCH: Final = 250  # tasks; eureka-core PeerEurekaNode.BATCH_SIZE
LONGEST: Final = 0.05  # real s
LONG: Final = 86_400  # registry s of a lease that outlives the command
SHORT: Final = 20  # registry s of one that ends
BUDGET: Final = 600.0  # registry s for a phase: on a busy machine each takes long
GONE: Final = 0.3  # share of the leases whose end is waited for: two runs of eviction and more

SETTINGS: Final = {
    "eureka.server.enableSelfPreservation": "false",
    "eureka.server.evictionIntervalTimerInMs": "5000",
    "eureka.server.responseCacheUpdateIntervalMs": "3000",
    "eureka.server.registrySyncRetries": "5",
    "eureka.server.remoteRegionReadTimeoutMs": "60000",
    "eureka.client.eurekaServerReadTimeoutSeconds": "60",
}


@dataclass(slots=True)
class Figures:
    """The longest pause by phase (real seconds), each of a node since it started."""

    instances: int
    pauses: dict[str, float] = field(default_factory=dict)

    def summary(self) -> str:
        """Return the longest."""
        return (
            f"the longest pause of {self.instances:,} instances was "
            f"{max(self.pauses.values()) * 1000:.0f} ms"
        )

    def faults(self) -> list[str]:
        """Return what took too long."""
        return [
            f"{phase} kept the loop for {pause * 1000:.0f} ms"
            for phase, pause in self.pauses.items()
            if pause > LONGEST
        ]


def pauses(run: Run, *, instances: int, speed: float, say: Callable[[str], None]) -> Figures:
    """Go through all phases; return the figures."""
    figures = Figures(instances)
    target = parse_target("python")

    def note(phase: str, node: Node) -> None:
        figures.pauses[phase] = metric(node, "eureka_loop_worst_busy_pause_seconds")
        say(f"{phase:45} {figures.pauses[phase] * 1000:5.0f} ms")

    spec = ClusterSpec.of("pauses", target, nodes=2, speed=speed, settings=SETTINGS)
    with Cluster(spec, run) as cluster:
        clock, (full, copy) = cluster.clock, list(cluster)
        clock.wait_until(
            lambda: _tells(full, "eureka_open", 1) and _tells(copy, "eureka_open", 1),
            within=BUDGET,
            what="both nodes to open",
        )
        copy.kill()
        _fill(full, instances, LONG)
        note("a node filled by batches", full)
        for path in ("/eureka/apps/", "/eureka/apps/delta", "/eureka/apps/?regions=nowhere"):
            _read(full, path)
        note("the same, and its lists read", full)
        copy.start()
        clock.wait_until(
            lambda: _tells(copy, 'eureka_instances{status="UP"}', instances),
            within=BUDGET,
            what="all instances at the second node",
        )
        note("a node that copied it at its start", copy)
        note("the node that was copied", full)
        far = {**SETTINGS, "eureka.server.remoteRegionUrlsWithName.far": f"{full.root}/eureka/"}
        abroad = ClusterSpec.of("abroad", target, nodes=1, speed=speed, settings=far)
        with Cluster(abroad, run) as other:
            fetching = other["a"]
            clock.wait_until(
                lambda: _tells(fetching, 'eureka_region_ready{region="far"}', 1),
                within=BUDGET,
                what="the copy of the region",
            )
            _read(fetching, "/eureka/apps/?regions=far")
            note("a node that fetched it as a region", fetching)
        _fill(full, instances, SHORT)
        note("the first node, filled again", full)
        clock.wait_until(
            lambda: _tells(full, "eureka_evictions_total", GONE * instances),
            within=BUDGET,
            what=f"the end of {GONE:.0%} of the leases",
        )
        note("the first node after runs of eviction", full)
    return figures


def _fill(node: Node, instances: int, lease: int) -> None:
    connection = line.Line(node.root)
    for start in range(0, instances, BATCH):
        tasks = [_task(number, lease) for number in range(start, min(start + BATCH, instances))]
        body = msgspec.json.encode({"replicationList": tasks})
        ((status, answer),) = connection.call([line.batch(body)])
        if status != 200 or answer.count(b"200") != len(tasks):
            raise CannotRun(f"a batch was answered {status} {answer[:100]!r}.")
    connection.close()


def _task(number: int, lease: int) -> dict[str, object]:
    app, name = f"PAUSES-{number % APPLICATIONS}", f"node-{number}"
    return {
        "action": "Register",
        "appName": app,
        "id": name,
        "lastDirtyTimestamp": DIRTY_MS,
        "status": "UP",
        "instanceInfo": sample(app, name, duration=lease),
    }


def _read(node: Node, path: str) -> None:
    connection = line.Line(node.root)
    ((status, body),) = connection.call([line.reading(path)])
    connection.close()
    if status != 200:
        raise CannotRun(f"{path} was answered {status} {body[:100]!r}.")


def _tells(node: Node, name: str, least: float) -> bool:
    """Tell whether a figure is as high; a node that does not answer in time will later."""
    try:
        return metric(node, name) >= least
    except CannotRun:
        return False


def main() -> int:
    """Run the command; return its exit code."""

    def options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--instances", type=int, default=100_000, help="(100000)")

    def play(run: Run, given: argparse.Namespace, say: Callable[[str], None]) -> Figures:
        return pauses(run, instances=given.instances, speed=given.speed, say=say)

    return command("pauses", __doc__, play, options, speed=1.0)


if __name__ == "__main__":
    sys.exit(main())
