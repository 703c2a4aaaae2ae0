"""Two real registries with links, whose faults these tests see bite and heal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.cluster import Cluster, ClusterSpec
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
    spec = ClusterSpec.of(
        "pair",
        parse_target("python"),
        nodes=2,
        links=True,
        speed=SPEED,
        wall_steps=True,
        settings={"eureka.server.peerEurekaNodesUpdateIntervalMs": 1000},
    )
    header = Header(
        run=run.id,
        scenario="s",
        target="python",
        backend="process",
        speed=SPEED,
        seed=1,
        started="",
        command="",
        nodes=spec.node_names,
        settings={},
    )
    with Cluster(spec, run) as cluster, HistoryWriter(tmp_path, header) as history:
        yield Site(cluster, history, Watch(spec.node_names))
