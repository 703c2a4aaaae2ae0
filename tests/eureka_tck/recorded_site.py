"""A site on a cluster of a test's own, whose history lies in a folder of the test."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from eureka_tck.cluster import Cluster
from eureka_tck.history import HistoryWriter
from eureka_tck.history.event import Header
from eureka_tck.workloads.site import Site
from eureka_tck.workloads.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eureka_tck.cluster_spec import ClusterSpec
    from eureka_tck.run import Run


@contextmanager
def recorded_site(spec: ClusterSpec, run: Run, folder: Path) -> Iterator[Site]:
    """Run the cluster as long as the block lasts, and write what happens to the folder."""
    header = Header(
        run=run.id,
        scenario="cut",
        target="python",
        backend=spec.backend,
        speed=spec.speed,
        seed=1,
        started="",
        command="",
        nodes=spec.node_names,
        settings={},
    )
    with Cluster(spec, run) as cluster, HistoryWriter(folder, header) as history:
        yield Site(cluster, history, Watch(spec.node_names))
