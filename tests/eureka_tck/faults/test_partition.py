"""A partition of real registries through the real Toxiproxy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.faults import Partition, make_fault
from eureka_tck.history import read_history
from eureka_tck.history.event import Marked
from eureka_tck.history.spans import fault_spans
from eureka_tck.schedules import scenario
from eureka_tck.targets import parse_target
from tests.eureka_tck.recorded_site import recorded_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eureka_tck.run import Run
    from eureka_tck.workloads.site import Site

pytestmark = pytest.mark.toxiproxy


@pytest.fixture
def site(run: Run, tmp_path: Path) -> Iterator[Site]:
    """Give three Python registries with links."""
    spec = ClusterSpec.of("mesh", parse_target("python"), nodes=3, links=True, speed=10)
    with recorded_site(spec, run, tmp_path) as site:
        yield site


def partition(site: Site, **told: object) -> Partition:
    """Return a partition of node b."""
    data = scenario.Partition(name="cut", node="b", at=0, lasts=1, **told)  # type: ignore[arg-type] # a story is told in plain words
    fault = make_fault(data, site)
    assert isinstance(fault, Partition)
    return fault


def test_partition_cuts_both_ways_proves_it_and_heals(site: Site, tmp_path: Path) -> None:
    """All four links refuse, no probe crosses either way, and afterwards all are whole."""
    with partition(site) as cut:
        proof = cut.prove()
        during = [link for link in site.cluster.links.names() if site.cluster.links.is_cut(link)]

    after = [link for link in site.cluster.links.names() if site.cluster.links.is_cut(link)]
    assert sorted(during) == ["a>b", "b>a", "b>c", "c>b"]
    assert after == []
    assert proof[0].startswith("connections over b>a, b>c, a>b and c>b are refused, asked at ")
    assert proof[1].startswith("PROBE/cut-b, registered at b at ")
    assert "had not arrived at a and c at " in proof[1]
    assert "had not arrived at b at " in proof[2]
    assert fault_spans(read_history(tmp_path))[0].bit is not None


def test_partition_of_one_direction_leaves_the_other_whole(site: Site) -> None:
    """What the node sends is cut off, what it is sent is not: a registry may ask over that way."""
    with partition(site, direction="out") as cut:
        proof = cut.prove()
        during = [link for link in site.cluster.links.names() if site.cluster.links.is_cut(link)]

    assert sorted(during) == ["b>a", "b>c"]
    assert [sentence.partition(" are ")[0] for sentence in proof] == [
        "connections over b>a and b>c"
    ]


def test_partition_from_clients_too_is_proven_by_refusals_alone(site: Site) -> None:
    """A node that nobody of us can ask is proven to be cut off by its refusals."""
    with partition(site, clients=True) as cut:
        (proof,) = cut.prove()

    assert "client>b" in proof


def test_partition_whose_links_still_carry_calls_is_not_proven(site: Site, tmp_path: Path) -> None:
    """A cut that somebody mends at once did not bite, and the history says why."""
    with partition(site) as cut:
        site.cluster.links.restore("a>b")
        proof = cut.prove()

    assert proof == ()
    doubts = [event for event in read_history(tmp_path).events if isinstance(event, Marked)]
    assert [doubt.said for doubt in doubts] == ["the cut link a>b still carried a call"]


def test_partition_leaves_no_probe_behind(site: Site) -> None:
    """Every probe is cancelled again."""
    with partition(site) as cut:
        cut.prove()

    clients = [site.client(node) for node in site.nodes]
    site.clock.wait_until(
        lambda: not any(client.apps().applications().application for client in clients),
        within=10,
        what="the cancellations to arrive",
    )
    for client in clients:
        client.close()
