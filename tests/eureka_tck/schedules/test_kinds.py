"""Every kind that a scenario can name is played by something."""

from __future__ import annotations

from typing import get_args

from eureka_tck.faults import FAULTS
from eureka_tck.schedules import scenario
from eureka_tck.schedules.runner import WORKLOADS


def test_every_kind_of_workload_is_played() -> None:
    """A workload that a scenario may name has a player of that name."""
    kinds = {kind.__struct_config__.tag for kind in get_args(scenario.Workload)}

    assert set(WORKLOADS) == kinds


def test_every_kind_of_fault_is_played() -> None:
    """A fault that a scenario may name has a class."""
    kinds = set(get_args(scenario.Fault) or (scenario.Fault,))

    assert set(FAULTS) == kinds
