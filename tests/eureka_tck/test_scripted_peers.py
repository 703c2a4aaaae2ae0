"""Scripted peers of a cluster: where they are, who is told of them, and that they go with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import requests

from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.run import Run
    from eureka_tck.targets.command import CommandTarget

LIST = "eureka.client.serviceUrl.defaultZone"


def spec(stub: Callable[..., CommandTarget], **more: object) -> ClusterSpec:
    """Return a cluster that starts no node by itself, with two scripted peers."""
    given: dict[str, object] = {"scripted": ("one", "beside-a"), "autostart": False} | more
    return ClusterSpec.of("scripted", [stub()], nodes=2, speed=1, **given)  # type: ignore[arg-type]


def test_nodes_are_told_of_scripted_peers(run: Run, stub: Callable[..., CommandTarget]) -> None:
    """Each node's list has the other node and the peer, but not the one beside a node."""
    with Cluster(spec(stub), run) as cluster:
        urls = cluster["a"].plan.settings[LIST].split(",")

        assert urls[1] == cluster.peer("one").url
        assert len(urls) == 2
        assert not cluster["a"].is_alive()


def test_a_peer_beside_a_node_has_its_host(run: Run, stub: Callable[..., CommandTarget]) -> None:
    """Registries tell each other apart by host alone: so it looks like the node itself."""
    with Cluster(spec(stub), run) as cluster:
        assert cluster.peer("beside-a").known_as == cluster["a"].plan.host
        assert cluster.peer("one").known_as not in {node.plan.host for node in cluster}


def test_settings_name_peers_and_nodes(run: Run, stub: Callable[..., CommandTarget]) -> None:
    """A name in braces becomes the URL of that peer, or of that node."""
    settings = {LIST: "{one},{beside-a},{b}"}

    with Cluster(spec(stub, settings=settings), run) as cluster:
        one, beside, other = cluster["a"].plan.settings[LIST].split(",")

        assert (one, beside) == (cluster.peer("one").url, cluster.peer("beside-a").url)
        assert other == f"{cluster['b'].url}/"


def test_scripted_peers_end_with_their_cluster(
    run: Run, stub: Callable[..., CommandTarget]
) -> None:
    """Nobody listens there any more."""
    with Cluster(spec(stub), run) as cluster:
        url = cluster.peer("one").url
        assert requests.get(f"{url}apps", timeout=5).status_code == 200

    with pytest.raises(requests.ConnectionError):
        requests.get(f"{url}apps", timeout=5)


def test_an_unknown_peer_is_named(run: Run, stub: Callable[..., CommandTarget]) -> None:
    """The error says which there are."""
    with Cluster(spec(stub), run) as cluster, pytest.raises(CannotRun) as error:
        cluster.peer("two")

    assert "there is no scripted peer 'two'" in str(error.value)
    assert "one, beside-a" in str(error.value)
