"""The recordings about lists as fixtures of the suites; see `fixtures.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from eureka_tck.cluster import Cluster
from eureka_tck.observe.crush import Crush, record_crush
from eureka_tck.observe.names import Names, record_names
from eureka_tck.observe.region import Region, record_region
from eureka_tck.observe.retention import Retention, record_retention

if TYPE_CHECKING:
    from eureka_tck.verdict.case import Case

Clusters = Callable[[str], Cluster]


@pytest.fixture(scope="session")
def retention_recording(profile_cluster: Clusters) -> Retention:
    """Record what enters the delta and leaves it, once."""
    return record_retention(profile_cluster("retention"))


@pytest.fixture
def retention(retention_recording: Retention, case: Case) -> Retention:
    """Read what entered the delta and left it."""
    retention_recording.tape.play(case)
    return retention_recording


@pytest.fixture(scope="session")
def crush_recording(profile_cluster: Clusters) -> Crush:
    """Record changes while lists are written, once."""
    return record_crush(profile_cluster("crowd"))


@pytest.fixture
def crush(crush_recording: Crush, case: Case) -> Crush:
    """Read what became of changes while lists were written."""
    crush_recording.tape.play(case)
    return crush_recording


@pytest.fixture(scope="session")
def names_recording(profile_cluster: Clusters) -> Names:
    """Record reads with names without end, once."""
    return record_names(profile_cluster("names"))


@pytest.fixture
def names(names_recording: Names, case: Case) -> Names:
    """Read what names without end did to the node."""
    names_recording.tape.play(case)
    return names_recording


@pytest.fixture(scope="session")
def region_recording(profile_cluster: Clusters) -> Region:
    """Record a registry and its remote region, once."""
    return record_region(profile_cluster("region"))


@pytest.fixture
def region(region_recording: Region, case: Case) -> Region:
    """Read what a registry shows of its remote region, and what its failure does."""
    region_recording.tape.play(case)
    return region_recording
