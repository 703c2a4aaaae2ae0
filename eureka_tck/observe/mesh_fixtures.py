"""The recordings of a mesh of nodes as fixtures of the suites, as `fixtures.py` has the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from eureka_tck.cluster import Cluster
from eureka_tck.observe.cut import Rift, Ring, record_rift, record_ring
from eureka_tck.observe.mesh import (
    Agreement,
    Lags,
    LoneEviction,
    record_agreement,
    record_lags,
    record_lone_eviction,
)
from eureka_tck.observe.tape import played
from eureka_tck.observe.traffic import (
    Comeback,
    Haste,
    Return,
    Traffic,
    record_comeback,
    record_haste,
    record_return,
    record_traffic,
)

if TYPE_CHECKING:
    from eureka_tck.verdict import Case

Clusters = Callable[[str], Cluster]


@pytest.fixture(scope="session")
def lags_recording(profile_cluster: Clusters) -> Lags:
    """Record changes that travel, once."""
    return record_lags(profile_cluster("mesh"))


@pytest.fixture
def lags(lags_recording: Lags, case: Case) -> Lags:
    """Read how long ten changes took to show at the other nodes."""
    return played(lags_recording, case)


@pytest.fixture(scope="session")
def agreement_recording(profile_cluster: Clusters) -> Agreement:
    """Record three nodes that come to rest, once."""
    return record_agreement(profile_cluster("mesh"))


@pytest.fixture
def agreement(agreement_recording: Agreement, case: Case) -> Agreement:
    """Read what three nodes hold once nobody writes."""
    return played(agreement_recording, case)


@pytest.fixture(scope="session")
def lone_eviction_recording(profile_cluster: Clusters) -> LoneEviction:
    """Record evictions at one node of three, once."""
    return record_lone_eviction(profile_cluster("mesh"))


@pytest.fixture
def lone_eviction(lone_eviction_recording: LoneEviction, case: Case) -> LoneEviction:
    """Read who is still listed at two nodes after the third alone evicted."""
    return played(lone_eviction_recording, case)


@pytest.fixture(scope="session")
def ring_recording(profile_cluster: Clusters) -> Ring:
    """Record three nodes in a ring, once."""
    return record_ring(profile_cluster("mesh"))


@pytest.fixture
def ring(ring_recording: Ring, case: Case) -> Ring:
    """Read three nodes in a ring."""
    return played(ring_recording, case)


@pytest.fixture(scope="session")
def rift_recording(profile_cluster: Clusters) -> Rift:
    """Record two sides of a cut that drift apart, once."""
    return record_rift(profile_cluster("mesh"))


@pytest.fixture
def rift(rift_recording: Rift, case: Case) -> Rift:
    """Read two sides of a cut that drift apart."""
    return played(rift_recording, case)


@pytest.fixture(scope="session")
def traffic_recording(profile_cluster: Clusters) -> Traffic:
    """Record how many tasks a call causes, once."""
    return record_traffic(profile_cluster("mesh"))


@pytest.fixture
def traffic(traffic_recording: Traffic, case: Case) -> Traffic:
    """Read how many tasks a call causes."""
    return played(traffic_recording, case)


@pytest.fixture(scope="session")
def haste_recording(profile_cluster: Clusters) -> Haste:
    """Record what fast changes leave behind, once."""
    return record_haste(profile_cluster("mesh"))


@pytest.fixture
def haste(haste_recording: Haste, case: Case) -> Haste:
    """Read what fast changes leave behind."""
    return played(haste_recording, case)


@pytest.fixture(scope="session")
def returned_recording(profile_cluster: Clusters) -> Return:
    """Record an instance that one node alone evicted, once."""
    return record_return(profile_cluster("mesh"))


@pytest.fixture
def returned(returned_recording: Return, case: Case) -> Return:
    """Read an instance that one node alone evicted."""
    return played(returned_recording, case)


@pytest.fixture(scope="session")
def comeback_recording(profile_cluster: Clusters) -> Comeback:
    """Record when a killed node is complete again, once."""
    return record_comeback(profile_cluster("mesh"))


@pytest.fixture
def comeback(comeback_recording: Comeback, case: Case) -> Comeback:
    """Read when a killed node is complete again."""
    return played(comeback_recording, case)
