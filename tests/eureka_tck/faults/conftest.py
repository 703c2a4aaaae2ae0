"""Two real registries with links, whose faults these tests see bite and heal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.cluster_spec import ClusterSpec
from eureka_tck.targets import parse_target
from tests.eureka_tck.recorded_site import recorded_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eureka_tck.run import Run
    from eureka_tck.workloads.site import Site

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
    with recorded_site(spec, run, folder) as site:
        yield site
