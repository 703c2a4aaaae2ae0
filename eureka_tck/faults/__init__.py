"""
What breaks: each fault a context manager that heals on leaving, whatever has happened.

It knows whether it can bite where it is asked to, and proves that it did: a fault without proof
makes a run inconclusive. To add one: its data in `schedules.scenario`, a module here with a
subclass of `Fault`, and its entry in `FAULTS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.faults.fault import CannotBite, Fault
from eureka_tck.faults.partition import Partition
from eureka_tck.schedules import scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eureka_tck.workloads.site import Site

__all__ = ["CannotBite", "Fault", "Partition", "make_fault"]

FAULTS: Final[Mapping[type[scenario.Fault], Callable[[scenario.Fault, Site], Fault]]] = {
    scenario.Partition: Partition,
}


def make_fault(data: scenario.Fault, site: Site) -> Fault:
    """Return the fault that the data describes, not begun yet."""
    return FAULTS[type(data)](data, site)
