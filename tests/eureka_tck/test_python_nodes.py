"""The Python registry as local processes: its clock, its counters, replication over links."""

from __future__ import annotations

import shutil
from functools import partial
from typing import TYPE_CHECKING

import pytest

from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.targets import parse_target
from eureka_tck.wire.client import WireClient
from eureka_tck.wire.recorder import Recorder
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from eureka_tck.node import Node
    from eureka_tck.run import Run


def register(cluster: Cluster, node: Node, identity: str) -> float:
    """Register an instance; return how far its stamp is from our clock, in registry s."""
    client = WireClient(node.root, recorder=Recorder())
    before = cluster.clock.now()
    client.register(sample("CLOCK", identity))
    stamp = client.instance("CLOCK", identity).record().leased.registered_ms
    client.close()
    return cluster.clock.at_epoch_ms(stamp) - before


def has(node: Node, identity: str) -> bool:
    """Say whether the node knows the instance."""
    client = WireClient(node.root, recorder=Recorder())
    status = client.instance("CLOCK", identity).status
    client.close()
    return status == 200


def test_a_node_lives_on_the_clusters_clock(run: Run) -> None:
    """Its stamps agree with our clock, after kill -9 and a restart too."""
    with Cluster(ClusterSpec.of("one", parse_target("python"), speed=20), run) as cluster:
        node = cluster["a"]
        first = register(cluster, node, "first")
        node.kill()
        node.start()
        second = register(cluster, node, "second")

        assert (abs(first) < 5, abs(second) < 5) == (True, True), (first, second)
        assert node.counters().self_preservation


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_the_wall_clock_of_a_running_node_can_be_stepped(run: Run) -> None:
    """A step moves stamps by so many registry seconds; back again, they are on our clock."""
    spec = ClusterSpec.of("step", parse_target("python"), speed=10, wall_steps=True)
    with Cluster(spec, run) as cluster:
        node = cluster["a"]
        node.step_wall_clock(600)
        ahead = register(cluster, node, "ahead")
        node.step_wall_clock(0)
        back = register(cluster, node, "back")

        assert (ahead == pytest.approx(600, abs=5), abs(back) < 5) == (True, True), (ahead, back)


@pytest.mark.toxiproxy
def test_nodes_replicate_over_links(run: Run) -> None:
    """What a is told b knows; with both links cut it does not, until they are restored."""
    spec = ClusterSpec.of("pair", parse_target("python"), nodes=2, speed=5, links=True)
    with Cluster(spec, run) as cluster:
        register(cluster, cluster["a"], "before")
        cluster.clock.wait_until(partial(has, cluster["b"], "before"), within=30, what="a replica")
        for link in ("a>b", "b>a"):
            cluster.links.cut(link)
        register(cluster, cluster["a"], "during")
        cluster.clock.reach(cluster.clock.now() + 5)
        cut = has(cluster["b"], "during")
        cluster.links.restore("b>a")
        register(cluster, cluster["b"], "other way")
        cluster.clock.wait_until(
            partial(has, cluster["a"], "other way"), within=30, what="a replica the other way"
        )
        cluster.links.restore("a>b")
        cluster.clock.wait_until(partial(has, cluster["b"], "during"), within=60, what="healing")

        assert not cut
