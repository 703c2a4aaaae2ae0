"""
The clock of a program that knows nothing of speed: libfaketime, preloaded.

libfaketime counts from the start of its own process: with `+0 x10` alone a node restarted later
is far behind its peers (203 s were seen).
So each start is given the offset that puts it on the cluster's axis: (start - epoch) * (speed - 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.clock import unix_now

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from eureka_tck.targets.target import NodePlan


def preload(plan: NodePlan, libraries: Sequence[Path]) -> Mapping[str, str]:
    """Return the environment that puts a process started now on the clock of its cluster."""
    env: dict[str, str] = {}
    if libraries:
        env["LD_PRELOAD"] = ":".join(map(str, libraries))
    if plan.speed != 1:
        offset = (unix_now() - plan.epoch) * (plan.speed - 1)
        env["FAKETIME"] = f"{offset:+.6f} x{plan.speed:g}"
    if plan.wall_file is not None:
        env["WALL_FILE"] = str(plan.wall_file)
    return env
