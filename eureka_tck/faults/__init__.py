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
    from collections.abc import Iterable, Mapping

    from eureka_tck.targets import Target
    from eureka_tck.workloads.site import Site

__all__ = ["CannotBite", "Fault", "Partition", "make_fault", "refuse_targets"]

FAULTS: Final[Mapping[type[scenario.Fault], type[Partition]]] = {
    scenario.Partition: Partition,
}


def make_fault(data: scenario.Fault, site: Site) -> Fault:
    """Return the fault that the data describes, not begun yet."""
    return FAULTS[type(data)](data, site)


def refuse_targets(faults: Iterable[scenario.Fault], targets: Iterable[Target]) -> None:
    """Raise CannotBite for a target that lacks what a fault needs; nothing has to run for that."""
    chosen = tuple(dict.fromkeys(targets))
    for fault in faults:
        kind = FAULTS[type(fault)]
        for target in chosen:
            if missing := sorted(kind.needs - target.capabilities):
                raise CannotBite(
                    f"the target {target.name} lacks {', '.join(missing)}, "
                    f"which the fault {fault.name} ({kind.kind}) needs.",
                    "An adapter says in `capabilities` what its program can do."
                    if target.family == "command"
                    else "",
                )
