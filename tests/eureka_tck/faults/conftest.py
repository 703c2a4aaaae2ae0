"""Two real registries with links, whose faults these tests see bite and heal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.cluster import Cluster
from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.history import HistoryWriter
from eureka_tck.history.event import Header
from eureka_tck.targets import parse_target
from eureka_tck.workloads.site import Site
from eureka_tck.workloads.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eureka_tck.run import Run

SPEED = 10.0


@pytest.fixture
def pair(run: Run, tmp_path: Path) -> Iterator[Site]:
    """Give two Python registries that read their peers every second and whose clocks step."""
    yield from site_of(run, tmp_path, "process")


@pytest.fixture
def contained_pair(run: Run, tmp_path: Path) -> Iterator[Site]:
    """Give the same in containers."""
    yield from site_of(run, tmp_path, "docker")


def site_of(run: Run, folder: Path, backend: str) -> Iterator[Site]:
    """Run two registries as long as the generator lives; their history lies in the folder."""
    spec = ClusterSpec.of(
        "pair",
        parse_target("python"),
        nodes=2,
        backend=backend,
        links=True,
        speed=SPEED,
        wall_steps=True,
        settings={"eureka.server.peerEurekaNodesUpdateIntervalMs": 1000},
    )
    header = Header(
        run=run.id,
        scenario="s",
        target="python",
        backend=backend,
        speed=SPEED,
        seed=1,
        started="",
        command="",
        nodes=spec.node_names,
        settings={},
    )
    with Cluster(spec, run) as cluster, HistoryWriter(folder, header) as history:
        yield Site(cluster, history, Watch(spec.node_names))
