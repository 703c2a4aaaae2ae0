"""
Nodes of the Java reference and ours in one cluster: every call at any node reaches all.

What a node of ours tells another of ours besides must not disturb what both tell the reference.
"""

from __future__ import annotations

import contextlib
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from eureka_tck.clock import WaitedInVain
from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.run import Run
from eureka_tck.targets import parse_target
from eureka_tck.wire.client import WireClient
from eureka_tck.wire.recorder import Recorder
from eureka_tck.wire.sample import DIRTY_MS, Sample, sample

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.java, pytest.mark.faketime, pytest.mark.slow]

SPEED = 2  # a JVM's first batches take longer than the reference's time-outs, faster still
AGREEMENT = 10.0  # registry s: two batches, one retry after a time-out, a busy machine
SETTINGS = {
    "eureka.server.peerNodeReadTimeoutMs": 3000,
    "eureka.server.peerNodeConnectTimeoutMs": 3000,
    "eureka.instance.registry.defaultOpenForTrafficCount": 1,
}
MINE = {"of": "its client"}
MIXES = {
    "two-java-one-python": "java:5.0.3,java:5.0.3,python",
    "one-java-two-python": "java:5.0.3,python,python",
}


def instance(name: str, of: str, dirty_ms: int = DIRTY_MS) -> Sample:
    """Return a registration with one key of metadata."""
    return sample("MIXED", name, metadata={"of": of}, lastDirtyTimestamp=str(dirty_ms))


class Mesh:
    """A running cluster and a client for each node."""

    def __init__(self, cluster: Cluster, clients: dict[str, WireClient]) -> None:
        self.cluster = cluster
        self.clients = clients

    def state(self, letter: str, name: str) -> object:
        """Return what a node says of an instance; None if it does not know it."""
        answer = self.clients[letter].instance("MIXED", name)
        if answer.status != 200:
            return None
        record = answer.record()
        return (record.status, record.overridden_status, record.dirty_ms, record.user_metadata)

    def agree(self, name: str, expected: object, what: str) -> None:
        """Wait until all nodes say the same, and what is expected."""
        seen: dict[str, object] = {}

        def all_say_so() -> bool:
            seen.update({letter: self.state(letter, name) for letter in self.clients})
            return all(state == expected for state in seen.values())

        with contextlib.suppress(WaitedInVain):  # what was seen says more
            self.cluster.clock.wait_until(all_say_so, within=AGREEMENT, what=what)
        assert seen == dict.fromkeys(self.clients, expected), f"{what}, within {AGREEMENT} s"


@pytest.fixture(scope="module", params=list(MIXES.values()), ids=list(MIXES))
def mesh(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mesh]:
    """Return a cluster of three nodes of two kinds."""
    spec = ClusterSpec.of("mixed", parse_target(request.param), settings=SETTINGS, speed=SPEED)
    folder = tmp_path_factory.mktemp("mixed")
    with pytest.MonkeyPatch.context() as patch, ExitStack() as closing:
        patch.setenv("XDG_STATE_HOME", str(folder))
        run = Run.create("test", "mixed", folder / "reports", seed=1)
        closing.callback(run.close)
        cluster = closing.enter_context(Cluster(spec, run))
        clients = {}
        for letter, node in cluster.nodes.items():
            clients[letter] = WireClient(node.root, recorder=Recorder())
            closing.callback(clients[letter].close)
        yield Mesh(cluster, clients)


@pytest.mark.parametrize("home", "abc")
def test_a_registration_and_its_cancellation_reach_all(mesh: Mesh, home: str) -> None:
    """Whatever kind of node the client chose."""
    name = f"comes-and-goes-{home}"
    client = mesh.clients[home]

    client.register(instance(name, "its client"))
    expected: object = ("UP", "UNKNOWN", DIRTY_MS, MINE)
    mesh.agree(name, expected, "the registration everywhere")

    client.cancel("MIXED", name)
    mesh.agree(name, None, "the cancellation everywhere")


@pytest.mark.parametrize("home", "abc")
def test_an_override_reaches_all_and_goes_again(mesh: Mesh, home: str) -> None:
    """Set at one node, removed at the next."""
    name = f"overridden-{home}"
    mesh.clients["a"].register(instance(name, "its client"))
    mesh.agree(name, ("UP", "UNKNOWN", DIRTY_MS, MINE), "the registration everywhere")

    mesh.clients[home].set_status("MIXED", name, "OUT_OF_SERVICE")
    expected: object = ("OUT_OF_SERVICE", "OUT_OF_SERVICE", DIRTY_MS, MINE)
    mesh.agree(name, expected, "the override everywhere")

    following = {"a": "b", "b": "c", "c": "a"}[home]
    mesh.clients[following].remove_status("MIXED", name, "UP")
    mesh.agree(name, ("UP", "UNKNOWN", DIRTY_MS, MINE), "the end of the override everywhere")


@pytest.mark.parametrize("home", "abc")
def test_metadata_reach_all(mesh: Mesh, home: str) -> None:
    """They travel as a registration of the same T."""
    name = f"described-{home}"
    mesh.clients["a"].register(instance(name, "its client"))
    mesh.agree(name, ("UP", "UNKNOWN", DIRTY_MS, MINE), "the registration everywhere")

    mesh.clients[home].set_metadata("MIXED", name, {"zone": "one"})

    mesh.agree(
        name, ("UP", "UNKNOWN", DIRTY_MS, {**MINE, "zone": "one"}), "the metadata everywhere"
    )


@pytest.mark.parametrize("home", "abc")
def test_a_renewal_brings_an_instance_to_who_lacks_it(mesh: Mesh, home: str) -> None:
    """Known at one node alone, it is everywhere after one renewal: 404, then a registration."""
    name = f"renewed-{home}"
    client = mesh.clients[home]
    client.register(instance(name, "its client"), replication=True)

    client.renew("MIXED", name, dirty=DIRTY_MS)

    mesh.agree(name, ("UP", "UNKNOWN", DIRTY_MS, MINE), "the instance everywhere")


@pytest.mark.parametrize("newer", "abc")
@pytest.mark.parametrize("renewed_at", ["the newer", "an older"])
def test_the_newest_record_wins_on_either_renewal(mesh: Mesh, newer: str, renewed_at: str) -> None:
    """One node holds a newer T: a renewal there tells the others, one elsewhere is told (409)."""
    name = f"conflict-{newer}-{renewed_at[-5:]}"
    for letter, client in mesh.clients.items():
        held = (
            instance(name, "newer", DIRTY_MS + 10) if letter == newer else instance(name, "older")
        )
        client.register(held, replication=True)
    expected: object = ("UP", "UNKNOWN", DIRTY_MS + 10, {"of": "newer"})

    if renewed_at == "the newer":
        mesh.clients[newer].renew("MIXED", name, dirty=DIRTY_MS + 10)
    else:
        for letter in mesh.clients:
            if letter != newer:
                mesh.clients[letter].renew("MIXED", name, dirty=DIRTY_MS)

    mesh.agree(name, expected, "the newest record everywhere")
