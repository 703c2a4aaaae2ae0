"""
Chapter 16, clusters: that a change travels, that nodes at rest agree, and what a cut leaves behind.

The tests read recordings of three nodes (`eureka_tck.observe.mesh`, `cut`, `traffic`).
CLUSTER-05 is judged where the nodes are of different targets (`--target java:5.0.3,python,python`);
a single target makes no mixed cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.actors.page import replicas
from eureka_tck.observe.mesh import SEEN_WITHIN
from eureka_tck.verdict import NotApplicable, expect, requirement
from eureka_tck.wire.sample import DIRTY_MS, sample

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.cut import Rift, Ring
    from eureka_tck.observe.mesh import Agreement, Lags
    from eureka_tck.observe.traffic import Haste, Return, Traffic
    from eureka_tck.registry import Registry

NEEDS = {"settings", "peers"}
CUT = NEEDS | {"links"}


@requirement("CLUSTER-01", profile="mesh", needs=NEEDS, seconds=60)
def test_a_change_is_readable_at_the_other_nodes_within_a_second(lags: Lags) -> None:
    """
    Of ten changes at most five are seen later than 1 s and a round trip at both other nodes.

    A right registry is late by a stall of the machine, in one sample of twenty at most: six of ten
    then come once in 350,000 gates. A registry with a longer delay is late in all ten.
    """
    late = [lag.what for lag in lags.lags if lag.seconds > 1.0 + lag.round_trip]

    expect("the number of late changes", len(late)).is_at_most(
        5, unit="of 10", because="0.5 s of batching and 0.5 s more", margin=0.5
    )


@requirement("CLUSTER-01", profile="mesh", needs=NEEDS, seconds=60)
def test_every_change_arrives(lags: Lags) -> None:
    """Each kind of change made at one node shows at both others."""
    lost = [lag.what for lag in lags.lags if lag.seconds > SEEN_WITHIN]

    expect(f"the number of lost changes ({', '.join(lost)})", len(lost)).is_at_most(
        0, unit="of 10", because="each is seen within 10 s", margin=2
    )


@requirement("CLUSTER-02", profile="mesh", needs=NEEDS, seconds=60)
@pytest.mark.parametrize("node", ["b", "c"])
def test_nodes_at_rest_agree(agreement: Agreement, node: str) -> None:
    """Instances, statuses, overrides, T and metadata are the same at every node after 3 s."""
    expect(f"what node {node} holds", agreement.states[node]).equals(
        agreement.states["a"], because="node a holds that"
    )


@requirement("CLUSTER-02", profile="mesh", needs=NEEDS, seconds=60)
def test_nodes_at_rest_hold_what_was_registered(agreement: Agreement) -> None:
    """Node a lists exactly the instances that were registered, at whichever node, and not left."""
    expect("the set of instances at node a", set(agreement.states["a"])).consists_of(
        agreement.expected
    )


# CLUSTER-03: a ring


@requirement("CLUSTER-03", profile="mesh", needs=CUT, seconds=12, depth="full")
def test_a_ring_does_not_relay(ring: Ring) -> None:
    """In a ring the node behind the next one lacks what was registered."""
    expect("the third node of a ring has what was registered at the first", ring.relayed).is_false()


@requirement("CLUSTER-03", profile="mesh", needs=CUT, seconds=12, depth="full")
def test_a_renewal_carries_an_instance_on(ring: Ring) -> None:
    """Once the client renews at the second node of a ring, the third has the instance."""
    expect("the third node has it after a renewal at the second", ring.renewed).is_true()


# CLUSTER-04: how much


@requirement("CLUSTER-04", profile="mesh", needs=NEEDS, seconds=15)
def test_one_call_is_one_task_at_a_peer(traffic: Traffic) -> None:
    """
    Of 43 calls at one of three nodes their common peer is told once each.

    A metadata change is a registration. More would be an echo of the other two.
    """
    due = {"Register": 21, "Heartbeat": 20, "StatusUpdate": 1, "Cancel": 1}

    expect("the number of tasks by kind", dict(sorted(traffic.told.items()))).equals(
        dict(sorted(due.items()))
    )


@requirement("CLUSTER-04", profile="mesh", needs=NEEDS, seconds=15)
def test_quiet_nodes_send_nothing(traffic: Traffic) -> None:
    """In 8 s without a call their common peer is told nothing."""
    expect("the list of tasks in silence", traffic.in_silence).is_absent()


# CLUSTER-05: different implementations


@pytest.fixture
def mixed(cluster: Cluster) -> None:
    """Refuse where all nodes are of one implementation."""
    names = {target.name for target in cluster.spec.targets}
    if len(names) == 1:
        raise NotApplicable(
            f"all nodes are {names.pop()}; a list of targets, one a node, makes a mixed cluster: "
            "--target java:5.0.3,java:5.0.3,python."
        )


@requirement("CLUSTER-05", profile="mesh", needs=NEEDS, seconds=60)
@pytest.mark.usefixtures("mixed")
def test_a_change_is_readable_at_another_implementation_within_a_second(lags: Lags) -> None:
    """Of ten changes at most five are seen later than 1 s and a round trip at both others."""
    late = [lag.what for lag in lags.lags if lag.seconds > 1.0 + lag.round_trip]

    expect("the number of late changes", len(late)).is_at_most(5, unit="of 10", margin=0.5)


@requirement("CLUSTER-05", profile="mesh", needs=NEEDS, seconds=60)
@pytest.mark.usefixtures("mixed")
@pytest.mark.parametrize("node", ["b", "c"])
def test_nodes_of_different_implementations_agree(agreement: Agreement, node: str) -> None:
    """Instances, statuses, overrides, T and metadata are the same at every node after 3 s."""
    expect(f"what node {node} holds", agreement.states[node]).equals(
        agreement.states["a"], because="node a holds that"
    )


@requirement("CLUSTER-05", profile="mesh", needs=NEEDS, seconds=15)
@pytest.mark.usefixtures("mixed")
def test_different_implementations_send_each_other_one_task_a_call(traffic: Traffic) -> None:
    """Of 43 calls at one of three nodes their common peer is told 43 tasks, and none in silence."""
    expect("the number of tasks", sum(traffic.told.values())).equals(43)
    expect("the list of tasks in silence", traffic.in_silence).is_absent()


# CLUSTER-06: what the page says


@requirement("CLUSTER-06", profile="peer", needs=NEEDS, seconds=2)
def test_a_replica_is_available_if_an_instance_has_its_host(
    cluster: Cluster, registry: Registry
) -> None:
    """A peer that refuses all is listed as available once an instance has its host name."""
    peer = cluster.peer("deaf")
    registry.register(sample("REGISTRY", "replica", hostName=peer.known_as, duration=3600))

    listed = replicas(registry.page("/").text)

    registry.cancel("REGISTRY", "replica")
    expect("the list of available replicas", listed).contains(peer.url)


# CLUSTER-07, CLUSTER-08: the newest T


@requirement("CLUSTER-07", profile="mesh", needs=CUT, seconds=35, depth="full")
@pytest.mark.parametrize(
    "story", ["aa", "ab", "ba", "bb"], ids=["a-then-a", "a-then-b", "b-then-a", "b-then-b"]
)
def test_the_newest_t_wins_after_a_cut(rift: Rift, story: str) -> None:
    """An instance registered anew at one side is the same at both after a renewal at either."""
    held = rift.of(story)

    told = {node: state and (state.dirty_ms, dict(state.metadata)) for node, state in held.items()}
    due = (DIRTY_MS + 1000, {"colour": "red"})
    expect("T and metadata at each node", told).equals(dict.fromkeys(told, due))


@requirement("CLUSTER-08", profile="mesh", needs=CUT, seconds=35, depth="full")
def test_a_registration_with_a_newer_t_brings_all_nodes_to_it(rift: Rift) -> None:
    """What had been changed at one side of a cut is what was registered after it, at all nodes."""
    held = rift.of("again")

    told = {node: state and (state.dirty_ms, dict(state.metadata)) for node, state in held.items()}
    due = (DIRTY_MS + 2000, {"colour": "gold"})
    expect("T and metadata at each node", told).equals(dict.fromkeys(told, due))


# CLUSTER-09, CLUSTER-10, CLUSTER-11: what T does not tell


@requirement("CLUSTER-09", profile="mesh", needs=CUT, seconds=35, depth="full")
@pytest.mark.parametrize("node", ["b", "c"])
def test_an_override_lost_in_a_cut_is_repaired_by_renewals(rift: Rift, node: str) -> None:
    """An instance taken out of service during the cut is so at the other side too."""
    state = rift.of("override")[node]

    expect(f"the override at node {node}", state and state.overridden).equals("OUT_OF_SERVICE")


@requirement("CLUSTER-09", profile="mesh", needs=CUT, seconds=35, depth="full")
@pytest.mark.parametrize("node", ["b", "c"])
def test_metadata_lost_in_a_cut_are_repaired_by_renewals(rift: Rift, node: str) -> None:
    """A change of metadata during the cut is at the other side too."""
    state = rift.of("metadata")[node]
    metadata = dict(state.metadata) if state else {}

    expect(f"the colour at node {node}", metadata.get("colour")).equals("red")


@requirement("CLUSTER-10", profile="mesh", needs=CUT, seconds=35, depth="full")
def test_different_overrides_of_two_sides_end_equal(rift: Rift) -> None:
    """Out of service at one side and down at the other, an instance ends alike at all nodes."""
    held = rift.of("both")

    overrides = {node: state and state.overridden for node, state in held.items()}
    lacking = [node for node, state in held.items() if state is None]
    expect("the list of nodes that have lost the instance", lacking).is_absent()
    expect("the override at node a and at the others", overrides).equals(
        dict.fromkeys(overrides, overrides["a"])
    )


@requirement("CLUSTER-11", profile="mesh", needs=NEEDS | {"stamps"}, seconds=40, depth="full")
def test_nodes_agree_on_what_one_alone_evicted(returned: Return) -> None:
    """An overridden instance that one node evicted, and that came back there, is alike at all."""
    told = {
        node: state and (state.status, state.overridden) for node, state in returned.states.items()
    }

    lacking = [node for node, state in told.items() if state is None]
    expect("the list of nodes that have not got it back", lacking).is_absent()
    expect("status and override at each node", told).equals(dict.fromkeys(told, told["a"]))


# CLUSTER-12: haste


@requirement("CLUSTER-12", profile="mesh", needs=NEEDS, seconds=30, depth="full")
def test_nodes_agree_after_a_fast_workload(haste: Haste) -> None:
    """Six calls for an instance at once, at one node, leave it alike at all nodes."""
    expect(f"the list of instances that differ, of {haste.compared}", haste.differing).is_absent()
