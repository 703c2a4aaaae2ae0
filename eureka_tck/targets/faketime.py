"""
What is preloaded into a node: libfaketime, which speeds up its clock, and the wall-clock shim.

libfaketime counts from the start of its own process: with `+0 x10` alone a node restarted later
is far behind its peers (203 s were seen).
So each start is given the offset that puts it on the cluster's axis: (start - epoch) * (speed - 1).
The shim stands before it, since it asks the next in the order for the time and adds a step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.clock import unix_now

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eureka_tck.targets.target import NodePlan


def preload(plan: NodePlan, *, faked: bool) -> Mapping[str, str]:
    """
    Return the environment of a process that starts now; with `faked`, on the cluster's clock.

    A program that scales its own clock is not faked; its wall clock can be stepped all the same.
    """
    from eureka_tck.supplies import faketime, shim  # noqa: PLC0415 - few nodes need either

    env: dict[str, str] = {}
    libraries: list[Path] = []
    if plan.wall_file is not None:
        libraries.append(shim.library())
        env[shim.VARIABLE] = str(plan.wall_file)
    if faked and plan.speed != 1:
        libraries.append(faketime.library())
        offset = (unix_now() - plan.epoch) * (plan.speed - 1)
        env["FAKETIME"] = f"{offset:+.6f} x{plan.speed:g}"
    if libraries:
        env["LD_PRELOAD"] = shim.preload(*libraries)
    return env
