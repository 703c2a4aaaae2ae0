"""
The recordings as fixtures of the suites: made once a session, evidence of each test that reads one.

`conformance/conftest.py` imports them, for pytest finds fixtures there by name.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from eureka_tck.cluster import Cluster
from eureka_tck.observe.beginning import Beginning, record_cold
from eureka_tck.observe.bracket import Bracket, record_bracket
from eureka_tck.observe.evictions import Evictions, Rhythm, record_evictions, record_rhythm
from eureka_tck.observe.leases import Leases, record_leases
from eureka_tck.observe.recount import Recount, record_recount
from eureka_tck.observe.silence import Silence, record_silence
from eureka_tck.observe.stall import Stall, Step, record_stall, record_step
from eureka_tck.observe.tape import played
from eureka_tck.verdict import Inconclusive

if TYPE_CHECKING:
    from eureka_tck.verdict.case import Case

Clusters = Callable[[str], Cluster]


@pytest.fixture(scope="session")
def leases_recording(profile_cluster: Clusters) -> Leases:
    """Record how long leases live, once."""
    return record_leases(profile_cluster("lease"))


@pytest.fixture
def leases(leases_recording: Leases, case: Case) -> Leases:
    """Read how long leases live, after each thing that can happen to them."""
    return played(leases_recording, case)


@pytest.fixture(scope="session")
def rhythm_recording(profile_cluster: Clusters) -> Rhythm:
    """Record the first eviction of an empty node, once."""
    return record_rhythm(profile_cluster("evict"))


@pytest.fixture
def rhythm(rhythm_recording: Rhythm, case: Case) -> Rhythm:
    """Read what became of the first lease on an empty node."""
    return played(rhythm_recording, case)


@pytest.fixture(scope="session")
def evictions_recording(
    profile_cluster: Clusters, rhythm_recording: Rhythm, depth: str
) -> Evictions:
    """Record eviction, run by run, once."""
    return record_evictions(profile_cluster("evict"), rhythm_recording, short=depth == "quick")


@pytest.fixture
def evictions(evictions_recording: Evictions, case: Case) -> Evictions:
    """Read eviction, run by run, of known numbers of leases."""
    return played(evictions_recording, case)


@pytest.fixture(scope="session")
def stall_recording(profile_cluster: Clusters) -> Stall:
    """Record a process that stands still, once."""
    return record_stall(profile_cluster("clock"))


@pytest.fixture
def stall(stall_recording: Stall, case: Case) -> Stall:
    """Read a run that came late because the process stood still, and the one after it."""
    return played(stall_recording, case)


@pytest.fixture(scope="session")
def step_recording(request: pytest.FixtureRequest, profile_cluster: Clusters) -> Step:
    """Record a step of the wall clock, once; what replication does comes before it."""
    with suppress(Inconclusive):  # its own tests say so
        request.getfixturevalue("step_sending_recording")
    return record_step(profile_cluster("step"))


@pytest.fixture
def step(step_recording: Step, case: Case) -> Step:
    """Read two runs after a step of the wall clock."""
    return played(step_recording, case)


@pytest.fixture(scope="session")
def bracket_recording(profile_cluster: Clusters, depth: str) -> Bracket:
    """Record five minutes around the threshold, once; two for a quick gate."""
    return record_bracket(profile_cluster("windows-a"), short=depth == "quick")


@pytest.fixture
def bracket(bracket_recording: Bracket, case: Case) -> Bracket:
    """Read five minutes in which one renewal more or less decides."""
    return played(bracket_recording, case)


@pytest.fixture(scope="session")
def silence_recording(profile_cluster: Clusters) -> Silence:
    """Record a fleet that falls silent, once."""
    return record_silence(profile_cluster("windows-b"))


@pytest.fixture
def silence(silence_recording: Silence, case: Case) -> Silence:
    """Read five minutes in which a fleet falls silent, and another renews at odd paces."""
    return played(silence_recording, case)


@pytest.fixture(scope="session")
def recount_recording(profile_cluster: Clusters) -> Recount:
    """Record recounts of the clients, once."""
    return record_recount(profile_cluster("recount"))


@pytest.fixture
def recount(recount_recording: Recount, case: Case) -> Recount:
    """Read the threshold before and after recounts."""
    return played(recount_recording, case)


@pytest.fixture(scope="session")
def cold_recording(profile_cluster: Clusters) -> Beginning:
    """Record a registry that starts empty and alone, once."""
    return record_cold(profile_cluster("cold"))


@pytest.fixture
def cold(cold_recording: Beginning, case: Case) -> Beginning:
    """Read a registry that started empty and alone."""
    return played(cold_recording, case)
