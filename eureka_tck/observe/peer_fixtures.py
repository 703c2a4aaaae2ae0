"""The recordings with scripted peers as fixtures of the suites, as `fixtures.py` has the others."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from eureka_tck.cluster import Cluster
from eureka_tck.observe.batching import (
    Delays,
    Hot,
    Quick,
    record_delays,
    record_hot,
    record_quick,
)
from eureka_tck.observe.copying import (
    Copied,
    Hopeless,
    Large,
    record_copied,
    record_hopeless,
    record_large,
)
from eureka_tck.observe.failing import (
    Failures,
    Outage,
    Persistence,
    begin_outage,
    record_failures,
    record_persistence,
)
from eureka_tck.observe.healing import (
    Healing,
    LateHealing,
    record_healing,
    record_late_healing,
)
from eureka_tck.observe.odd_peers import (
    NewList,
    OddPeers,
    record_new_list,
    record_odd_peers,
)
from eureka_tck.observe.sending import (
    ReplicatedLease,
    Sending,
    record_replicated_lease,
    record_sending,
)
from eureka_tck.observe.step_sending import StepSending, record_step_sending
from eureka_tck.observe.tape import played
from eureka_tck.verdict import Case, Inconclusive

Clusters = Callable[[str], Cluster]


@pytest.fixture(scope="session")
def outage(profile_cluster: Clusters) -> Outage:
    """Begin the longest recording of the profile `peer`, beside which all others are made."""
    return begin_outage(profile_cluster("peer"))


@pytest.fixture(scope="session")
def sending_recording(profile_cluster: Clusters, outage: Outage) -> Sending:  # noqa: ARG001 - begun first
    """Record what two peers are told, once."""
    return record_sending(profile_cluster("peer"))


@pytest.fixture
def sending(sending_recording: Sending, case: Case) -> Sending:
    """Read what two peers are told after one call of each kind."""
    return played(sending_recording, case)


@pytest.fixture(scope="session")
def replicated_lease_recording(
    profile_cluster: Clusters,
    outage: Outage,  # noqa: ARG001 - begun first
) -> ReplicatedLease:
    """Record what a batch does to a lease, once."""
    return record_replicated_lease(profile_cluster("peer"))


@pytest.fixture
def replicated_lease(replicated_lease_recording: ReplicatedLease, case: Case) -> ReplicatedLease:
    """Read which of two short leases lived on, one of them renewed by a batch."""
    return played(replicated_lease_recording, case)


@pytest.fixture(scope="session")
def healing_recording(profile_cluster: Clusters, outage: Outage) -> Healing:  # noqa: ARG001 - the same
    """Record what follows a peer's answers to single tasks, once."""
    return record_healing(profile_cluster("peer"))


@pytest.fixture
def healing(healing_recording: Healing, case: Case) -> Healing:
    """Read what follows a peer's answers to single tasks."""
    return played(healing_recording, case)


@pytest.fixture(scope="session")
def late_healing_recording(
    profile_cluster: Clusters,
    outage: Outage,  # noqa: ARG001 - the same
) -> LateHealing:
    """Record what follows answers that come too late, once."""
    return record_late_healing(profile_cluster("peer"))


@pytest.fixture
def late_healing(late_healing_recording: LateHealing, case: Case) -> LateHealing:
    """Read what follows answers that come after the read time-out."""
    return played(late_healing_recording, case)


@pytest.fixture(scope="session")
def failures_recording(profile_cluster: Clusters, outage: Outage) -> Failures:  # noqa: ARG001 - the same
    """Record a peer that fails in every way, once."""
    return record_failures(profile_cluster("peer"))


@pytest.fixture
def failures(failures_recording: Failures, case: Case) -> Failures:
    """Read what a node does about a peer that fails."""
    return played(failures_recording, case)


@pytest.fixture(scope="session")
def persistence_recording(
    request: pytest.FixtureRequest, profile_cluster: Clusters, outage: Outage
) -> Persistence:
    """
    Record for how long calls are tried, once, and last.

    The other recordings of the profile use the time; what becomes of them is their tests' affair.
    """
    for other in ("failures", "late_healing", "healing", "sending", "replicated_lease"):
        with suppress(Inconclusive):
            request.getfixturevalue(f"{other}_recording")
    return record_persistence(profile_cluster("peer"), outage)


@pytest.fixture
def persistence(persistence_recording: Persistence, case: Case) -> Persistence:
    """Read for how long each call was tried at a peer that is busy."""
    return played(persistence_recording, case)


@pytest.fixture(scope="session")
def delays_recording(profile_cluster: Clusters) -> Delays:
    """Record how late single changes arrive, once."""
    return record_delays(profile_cluster("peer-fine"))


@pytest.fixture
def delays(delays_recording: Delays, case: Case) -> Delays:
    """Read how late ten single changes arrived."""
    return played(delays_recording, case)


@pytest.fixture(scope="session")
def quick_recording(profile_cluster: Clusters) -> Quick:
    """Record several changes within one batching delay, once."""
    return record_quick(profile_cluster("peer-fine"))


@pytest.fixture
def quick(quick_recording: Quick, case: Case) -> Quick:
    """Read what a peer was told of several changes within one batching delay."""
    return played(quick_recording, case)


@pytest.fixture(scope="session")
def hot_recording(profile_cluster: Clusters) -> Hot:
    """Record a client that renews far too often, once."""
    return record_hot(profile_cluster("peer-fine"))


@pytest.fixture
def hot(hot_recording: Hot, case: Case) -> Hot:
    """Read how long a change took beside a client that renews far too often."""
    return played(hot_recording, case)


@pytest.fixture(scope="session")
def odd_peers_recording(profile_cluster: Clusters, depth: str) -> OddPeers:
    """Record what odd peers are told, once; without the slow link for a quick gate."""
    return record_odd_peers(profile_cluster("peer-odd"), short=depth == "quick")


@pytest.fixture
def odd_peers(odd_peers_recording: OddPeers, case: Case) -> OddPeers:
    """Read what peers were told that stood oddly in a list."""
    return played(odd_peers_recording, case)


@pytest.fixture(scope="session")
def new_list_recording(
    profile_cluster: Clusters,
    odd_peers_recording: OddPeers,  # noqa: ARG001 - with the list of before
) -> NewList:
    """Record what a changed list of peers does, once, and last."""
    return record_new_list(profile_cluster("peer-odd"))


@pytest.fixture
def new_list(new_list_recording: NewList, case: Case) -> NewList:
    """Read what peers were told after the list of them was changed."""
    return played(new_list_recording, case)


@pytest.fixture(scope="session")
def step_sending_recording(profile_cluster: Clusters) -> StepSending:
    """Record what a step of the wall clock does to replication, once."""
    return record_step_sending(profile_cluster("step"))


@pytest.fixture
def step_sending(step_sending_recording: StepSending, case: Case) -> StepSending:
    """Read how long changes took right after steps of the wall clock."""
    return played(step_sending_recording, case)


@pytest.fixture(scope="session")
def start_recording(profile_cluster: Clusters) -> Copied:
    """Record a node that starts beside a full peer, once."""
    return record_copied(profile_cluster("copy"))


@pytest.fixture
def start(start_recording: Copied, case: Case) -> Copied:
    """Read a node that starts beside a full peer."""
    return played(start_recording, case)


@pytest.fixture(scope="session")
def hopeless_recording(profile_cluster: Clusters) -> Hopeless:
    """Record a node that starts beside peers that refuse, once."""
    return record_hopeless(profile_cluster("copy"))


@pytest.fixture
def hopeless(hopeless_recording: Hopeless, case: Case) -> Hopeless:
    """Read a node that starts beside peers that refuse."""
    return played(hopeless_recording, case)


@pytest.fixture(scope="session")
def large_recording(profile_cluster: Clusters) -> Large:
    """Record the first lists of a node that copies thousands, once."""
    return record_large(profile_cluster("copy"))


@pytest.fixture
def large(large_recording: Large, case: Case) -> Large:
    """Read the first lists of a node that copies thousands."""
    return played(large_recording, case)
