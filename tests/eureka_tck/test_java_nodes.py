"""The Java reference as local processes: its clock, its counters, its restarts, mixed clusters."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.errors import CannotRun, NodeFailed
from eureka_tck.supplies import faketime
from eureka_tck.targets import parse_target
from eureka_tck.wire.client import WireClient
from eureka_tck.wire.recorder import Recorder
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Callable

    import psutil

    from eureka_tck.node import Node
    from eureka_tck.run import Run

pytestmark = [pytest.mark.java, pytest.mark.faketime, pytest.mark.slow]


def lateness_of_stamps(cluster: Cluster, node: Node, identity: str) -> float:
    """Return how far the node's stamp of a registration is from our clock, in registry s."""
    client = WireClient(node.root, recorder=Recorder())
    client.register(sample("WARM", identity))  # a JVM's first call takes seconds of its time
    before = cluster.clock.now()
    client.register(sample("CLOCK", identity))
    stamp = client.instance("CLOCK", identity).record().leased.registered_ms
    client.close()
    return cluster.clock.at_epoch_ms(stamp) - before


def has(node: Node, app: str, identity: str) -> bool:
    """Say whether the node knows the instance."""
    client = WireClient(node.root, recorder=Recorder())
    status = client.instance(app, identity).status
    client.close()
    return status == 200


@pytest.mark.parametrize("target", ["java:5.0.3", "java:4.3.0", "java:3.1"])
def test_a_node_lives_on_the_clusters_clock(run: Run, target: str) -> None:
    """Its stamps agree with our clock at speed 10, after kill -9 and a restart too."""
    with Cluster(ClusterSpec.of("one", parse_target(target), speed=10), run) as cluster:
        node = cluster["a"]
        first = lateness_of_stamps(cluster, node, "first")
        node.kill()
        node.start()
        second = lateness_of_stamps(cluster, node, "second")

        # A failed clock is more than 20 s off: it would have stayed at real time.
        assert (abs(first) < 3, abs(second) < 3) == (True, True), (first, second)
        assert node.counters().self_preservation


def test_a_clock_that_is_not_sped_up_cannot_run(
    run: Run, monkeypatch: pytest.MonkeyPatch, left: Callable[[], list[psutil.Process]]
) -> None:
    """The loader ignores a preload that is not there: the node's own clock gives it away."""
    monkeypatch.setattr(faketime, "library", lambda: run.folder / "no-such-library.so")

    with (
        pytest.raises(CannotRun, match=r"the clock of node a \(java:5\.0\.3\) of x is wrong"),
        Cluster(ClusterSpec.of("x", parse_target("java:5.0.3"), speed=10), run),
    ):
        pass

    assert left() == []


def test_a_refused_setting_shows_in_the_error(
    run: Run, left: Callable[[], list[psutil.Process]]
) -> None:
    """A JVM that ends at its start leaves the reason in the error."""
    spec = ClusterSpec.of(
        "x", parse_target("java:5.0.3"), settings={"server.tomcat.threads.max": "many"}
    )
    with pytest.raises(NodeFailed, match=r"died at start(.|\n)*max"), Cluster(spec, run):
        pass

    assert left() == []


def test_a_mixed_cluster_replicates(run: Run) -> None:
    """Two kinds of registry on one clock: what one is told, the other knows."""
    targets = parse_target("java:5.0.3,python")
    with Cluster(ClusterSpec.of("mixed", targets, nodes=2, speed=5), run) as cluster:
        for source, sink in (("a", "b"), ("b", "a")):
            lateness_of_stamps(cluster, cluster[source], f"from-{source}")
            cluster.clock.wait_until(
                partial(has, cluster[sink], "CLOCK", f"from-{source}"),
                within=60,
                what=f"the instance of {source} on {sink}",
            )


def test_the_wall_clock_of_a_running_node_can_be_stepped(run: Run) -> None:
    """A step moves stamps; back again, they are on the cluster's clock."""
    spec = ClusterSpec.of("step", parse_target("java:5.0.3"), speed=10, wall_steps=True)
    with Cluster(spec, run) as cluster:
        node = cluster["a"]
        node.step_wall_clock(600)
        ahead = lateness_of_stamps(cluster, node, "ahead")
        node.step_wall_clock(0)
        back = lateness_of_stamps(cluster, node, "back")

        assert (ahead == pytest.approx(600, abs=3), abs(back) < 3) == (True, True), (ahead, back)
