"""Every kind of fault on real registries: it bites, proves it, and leaves nothing broken."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock

import pytest

from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.faults import CannotBite, make_fault, pause, poison
from eureka_tck.faults.dial import ANSWERED, ending
from eureka_tck.history import HistoryWriter, read_history
from eureka_tck.history.event import Header
from eureka_tck.history.spans import fault_spans
from eureka_tck.links import Links
from eureka_tck.node import Node
from eureka_tck.schedules import scenario
from eureka_tck.schedules.schedule import Member
from eureka_tck.targets import parse_target
from eureka_tck.workloads.caller import Caller
from eureka_tck.workloads.site import Site
from eureka_tck.workloads.watch import Watch

if TYPE_CHECKING:
    from pathlib import Path

    from eureka_tck.run import Run

pytestmark = pytest.mark.toxiproxy

TIMES: dict[str, Any] = {"name": "bad", "node": "b", "at": 0.0, "lasts": 1.0}
ONE_A_GROUP: dict[str, list[scenario.Fault]] = {
    "slow": [
        scenario.Poison(**TIMES, toxic="latency", delay=3.0, jitter=0.1),
        scenario.Poison(**TIMES, toxic="bandwidth", rate=5.0, stream="requests"),
        scenario.Poison(**TIMES, toxic="slow-close", delay=5.0),
    ],
    "dead-ends": [
        scenario.Poison(**TIMES, toxic="timeout"),
        scenario.Poison(**TIMES, toxic="reset"),
        scenario.Poison(**TIMES, toxic="limit-data", bytes=1),
        scenario.Flapping(**TIMES, down=2.0, up=2.0),
    ],
    "nodes": [
        scenario.Death(**TIMES, how="kill"),
        scenario.Death(**TIMES, how="stop"),
        scenario.Pause(**TIMES),
        scenario.Starvation(**TIMES, share=0.2),
    ],
    "clocks": [
        scenario.ClockShift(**TIMES, jump=90.0),
        scenario.ClockShift(**TIMES, jump=-30.0, rate=2.0),
    ],
    "peers": [scenario.WrongPeers(**TIMES)],
}


@pytest.mark.parametrize("group", ONE_A_GROUP)
def test_fault_bites_and_heals(pair: Site, tmp_path: Path, group: str) -> None:
    """One after the other they are proven, and in the end all links carry and both nodes answer."""
    proofs = []
    for data in ONE_A_GROUP[group]:
        with make_fault(data, pair) as fault:
            proofs.append(fault.prove())

    assert [bool(proof) for proof in proofs] == [True] * len(proofs)
    ends = [ending(pair, link) for link in pair.cluster.links.names()]
    assert set(ends) == {ANSWERED}
    assert all(span.ended < float("inf") for span in fault_spans(read_history(tmp_path)))
    assert not [one for one in threading.enumerate() if one.name.startswith("fault-")]


IN_CONTAINERS: list[scenario.Fault] = [
    scenario.Poison(**TIMES, toxic="latency", delay=3.0, jitter=0.1),
    scenario.Poison(**TIMES, toxic="limit-data", bytes=1),
    scenario.Pause(**TIMES),
    scenario.Starvation(**TIMES, share=0.2),
    scenario.WrongPeers(**TIMES),
    scenario.WrongAnswers(**TIMES, lie="unavailable"),
]


@pytest.mark.docker
@pytest.mark.timeout(300)
def test_fault_bites_and_heals_in_containers(contained_pair: Site, tmp_path: Path) -> None:
    """Links, processor and list of peers of a container are broken, proven broken and mended."""
    cart = Member(app="CART", id="c", number=0, home="a", joins=0, lease=90.0, interval=5.0)
    caller, proofs = Caller(contained_pair, "a"), {}
    for data in IN_CONTAINERS:
        with make_fault(data, contained_pair) as fault:
            caller.register("test", cart, contained_pair.clock.epoch_ms())  # for a peer to hear of
            proofs[fault.said()] = fault.prove()
    caller.close()

    assert all(proofs.values()), proofs
    assert all(span.ended < float("inf") for span in fault_spans(read_history(tmp_path)))


@pytest.mark.parametrize("lie", ["unavailable", "unknown", "dropped"])
def test_peer_that_lies_is_proven_and_goes(pair: Site, lie: str) -> None:
    """A node that renews is what a liar lies about, and afterwards its peer knows it."""
    data = scenario.WrongAnswers(**TIMES, lie=lie)  # type: ignore[arg-type] # a parameter is any text
    cart = Member(app="CART", id="c", number=0, home="a", joins=0, lease=90.0, interval=5.0)
    caller, client = Caller(pair, "a"), pair.client("b")
    dirty_ms = pair.clock.epoch_ms()
    with make_fault(data, pair) as fault:
        caller.register("test", cart, dirty_ms)
        caller.renew("test", cart, dirty_ms)
        proof = fault.prove()

    caller.register("test", cart, pair.clock.epoch_ms())
    pair.clock.wait_until(
        lambda: client.instance("CART", "c").status == 200, 60, "the instance at its peer"
    )
    caller.close()
    client.close()
    assert proof[0].startswith("peers had been given ")


WITHOUT_EFFECT: list[tuple[type, tuple[str, ...], scenario.Fault]] = [
    (Node, ("pause", "resume"), scenario.Pause(**TIMES)),
    (Node, ("kill", "start"), scenario.Death(**TIMES)),
    (Node, ("step_wall_clock",), scenario.ClockShift(**TIMES, jump=90.0)),
    (Node, ("step_wall_clock",), scenario.ClockShift(**TIMES, rate=2.0)),
    (Links, ("cut", "restore"), scenario.Flapping(**TIMES, down=1.0, up=1.0)),
    (Links, ("cut", "restore"), scenario.Partition(**TIMES)),
    (Links, ("toxic",), scenario.Poison(**TIMES, toxic="timeout")),
    (Links, ("toxic",), scenario.Poison(**TIMES, toxic="slow-close", delay=300.0)),
]
"""What breaks things, for each fault the verbs that do nothing."""


def test_fault_without_effect_is_not_proven(pair: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where what breaks things does nothing, no proof says that it bit."""
    monkeypatch.setattr(pause, "FREEZING", 0.0)
    monkeypatch.setattr(poison, "PATIENCE", 30.0)  # a late machine is no dead link
    proofs = []
    for owner, verbs, data in WITHOUT_EFFECT:
        with monkeypatch.context() as idle:
            for verb in verbs:
                idle.setattr(owner, verb, MagicMock())
            with make_fault(data, pair) as fault:
                proofs.append(fault.prove())

    assert proofs == [()] * len(WITHOUT_EFFECT)


def test_fault_that_its_cluster_cannot_have_is_refused(run: Run, tmp_path: Path) -> None:
    """Clocks that cannot be stepped, and lists of peers that nobody reads again, are refused."""
    spec = ClusterSpec.of("plain", parse_target("python"), nodes=2, links=True, autostart=False)
    with Cluster(spec, run) as cluster, HistoryWriter(tmp_path, header_of(run)) as history:
        site = Site(cluster, history, Watch(spec.node_names))

        with pytest.raises(CannotBite, match="made without clocks that can be stepped"):
            make_fault(scenario.ClockShift(**TIMES, jump=1.0), site).refuse_where_useless()
        with pytest.raises(CannotBite, match="reads its peers every 600 s only"):
            make_fault(scenario.WrongPeers(**TIMES), site).refuse_where_useless()
        with pytest.raises(CannotBite, match="shape ring needs 4 nodes, and there are 2"):
            make_fault(scenario.Partition(**TIMES, shape="ring"), site).refuse_where_useless()


def header_of(run: Run) -> Header:
    """Return the header of a history that nobody judges."""
    return Header(
        run=run.id,
        scenario="s",
        target="python",
        backend="process",
        speed=1,
        seed=1,
        started="",
        command="",
        nodes=("a", "b"),
        settings={},
    )
