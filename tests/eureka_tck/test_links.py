"""Links through the real Toxiproxy: cut, poisoned and healed, one direction at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.errors import CannotRun
from eureka_tck.links import link_names
from eureka_tck.supplies import toxiproxy as supply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import psutil

    from eureka_tck.run import Run
    from eureka_tck.targets.command import CommandTarget

pytestmark = pytest.mark.toxiproxy


@pytest.fixture
def pair(stub: Callable[..., CommandTarget], run: Run) -> Iterator[Cluster]:
    """Give two stand-ins that Toxiproxy links."""
    supply.server()
    with Cluster(ClusterSpec.of("pair", [stub()], nodes=2, links=True, speed=1), run) as cluster:
        yield cluster


def serves(cluster: Cluster, letter: str) -> bool:
    """Say whether our link to the node carries an answer."""
    try:
        cluster[letter].fetch("/registry/state")
    except CannotRun:
        return False
    return True


def seconds_of_an_answer(cluster: Cluster) -> float:
    """Return how long node a takes to answer through our link."""
    begin = cluster.clock.now()
    cluster["a"].fetch("/registry/state")
    return cluster.clock.now() - begin


def test_every_direction_is_a_link_of_its_own() -> None:
    """A cluster of n nodes has n(n-1) links, and one of ours to each node."""
    assert link_names(["a", "b"]) == ["a>b", "b>a", "client>a", "client>b"]


def test_a_peer_url_keeps_the_peers_host(pair: Cluster) -> None:
    """Registries tell peers apart by host: the link to b is a port of b's own address."""
    assert pair["a"].plan.peers == (f"http://{pair['b'].plan.host}:8800/eureka/",)
    assert pair["b"].plan.peers == (f"http://{pair['a'].plan.host}:8801/eureka/",)


def test_a_cut_link_refuses_and_others_carry_on(pair: Cluster) -> None:
    """Our link to a is cut: a is out of reach, b is not; restored, a answers again."""
    pair.links.cut("client>a")
    cut = (serves(pair, "a"), serves(pair, "b"), pair.links.is_cut("client>a"))
    pair.links.restore("client>a")

    assert cut == (False, True, True)
    assert serves(pair, "a")


def test_a_toxic_bites_until_it_is_removed(pair: Cluster) -> None:
    """Latency is added, changed while it acts, and gone with the block."""
    with pair.links.toxic("client>a", "latency", {"latency": 400}) as toxic:
        slow = seconds_of_an_answer(pair)
        toxic.update({"latency": 1})
        changed = seconds_of_an_answer(pair)
    pair.links.toxic("client>a", "latency", {"latency": 400}).remove()

    assert slow >= 0.4
    assert max(changed, seconds_of_an_answer(pair)) < 0.4


def test_two_toxics_of_a_kind_stand_side_by_side(pair: Cluster) -> None:
    """A second toxic of the same kind and direction gets a name of its own."""
    first = pair.links.toxic("client>a", "latency", {"latency": 1})
    second = pair.links.toxic("client>a", "latency", {"latency": 1})

    assert first.name != second.name


def test_restore_all_heals_cuts_and_toxics(pair: Cluster) -> None:
    """After it nothing is cut and no toxic is left; removing one again is no error."""
    toxic = pair.links.toxic("client>a", "timeout", {"timeout": 0})
    pair.links.cut("client>b")
    pair.links.restore_all()
    toxic.remove()

    assert serves(pair, "a")
    assert serves(pair, "b")


def test_an_unknown_link_is_named_with_those_there_are(pair: Cluster) -> None:
    """A slip in a link's name lists the links of the cluster."""
    with pytest.raises(CannotRun, match=r"there is no link 'a>c'\.\n.*a>b, b>a, client>a"):
        pair.links.cut("a>c")


def test_an_unknown_toxic_is_refused_with_toxiproxys_words(pair: Cluster) -> None:
    """A kind of toxic that Toxiproxy does not know is a CannotRun, not a traceback."""
    with pytest.raises(CannotRun, match=r"Toxiproxy refused POST .*invalid toxic type"):
        pair.links.toxic("client>a", "plague", {})


def test_a_dead_toxiproxy_is_named(pair: Cluster, left: Callable[[], list[psutil.Process]]) -> None:
    """When the server is gone, the next verb says that it did not answer."""
    (process,) = [p for p in left() if "toxiproxy" in p.name()]
    process.kill()
    process.wait()

    with pytest.raises(CannotRun, match=r"Toxiproxy at http://127\S+ did not answer POST"):
        pair.links.restore_all()
