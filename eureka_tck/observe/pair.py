"""
Two nodes that have met: what is judged between them begins when replication is known to work.

The first batch of a cold JVM takes seconds; a test that waited for it would blame the registry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.wire.client import WireClient
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster

MEETING: Final = 120.0
"""Registry s for the first change to arrive: 24 s of real time at speed 5."""

OK: Final = 200


def acquaint(cluster: Cluster) -> Cluster:
    """Return the cluster once a change made at node a has arrived at node b, and one back."""
    a, b = (WireClient(cluster[name].root) for name in ("a", "b"))
    try:
        for here, there, app in ((a, b, "MEETING-AB"), (b, a, "MEETING-BA")):
            here.register(sample(app, "probe", duration=3600))
            cluster.clock.wait_until(
                lambda there=there, app=app: there.instance(app, "probe").status == OK,  # type: ignore[misc] # bound by the loop
                within=MEETING,
                what="the first change to arrive at the other node",
            )
    finally:
        a.close()
        b.close()
    return cluster
