"""The shortest scenario that breaks something: one node of two is cut off while two renew."""

from __future__ import annotations

from eureka_tck.schedules.scenario import Partition, Scenario, SteadyRenewals


def cut(lasts: float) -> Scenario:
    """Return the scenario; the cut lasts so many registry seconds."""
    return Scenario(
        name="cut",
        title="a cut",
        why="",
        nodes=2,
        max_speed=10,
        promises=("peers_converge",),
        workload=(SteadyRenewals(name="fleet", instances=2, lease=60.0, interval=5.0),),
        fault=(Partition(name="cut", node="b", at=1.0, lasts=lasts),),
    )
