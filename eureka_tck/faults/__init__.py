"""
What breaks: each fault a context manager that heals on leaving, whatever has happened.

It knows whether it can bite where it is asked to, and proves that it did: a fault without proof
makes a run inconclusive. To add one: its data in `schedules.fault`, a module here with a
subclass of `Fault`, and its entry in `FAULTS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.faults.clock_shift import ClockShift
from eureka_tck.faults.death import Death
from eureka_tck.faults.fault import CannotBite, Fault
from eureka_tck.faults.flapping import Flapping
from eureka_tck.faults.partition import Partition
from eureka_tck.faults.pause import Pause
from eureka_tck.faults.poison import Poison
from eureka_tck.faults.starvation import Starvation
from eureka_tck.faults.wrong_answers import WrongAnswers
from eureka_tck.faults.wrong_peers import WrongPeers
from eureka_tck.schedules import scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from eureka_tck.targets import Target
    from eureka_tck.workloads.site import Site

__all__ = ["CannotBite", "Fault", "Partition", "make_fault", "refuse_targets"]

FAULTS: Final[Mapping[type[scenario.Fault], type[Fault]]] = {
    scenario.Partition: Partition,
    scenario.Poison: Poison,
    scenario.Flapping: Flapping,
    scenario.Death: Death,
    scenario.Pause: Pause,
    scenario.Starvation: Starvation,
    scenario.ClockShift: ClockShift,
    scenario.WrongAnswers: WrongAnswers,
    scenario.WrongPeers: WrongPeers,
}


def make_fault(data: scenario.Fault, site: Site) -> Fault:
    """Return the fault that the data describes, not begun yet."""
    kind: Callable[[scenario.Fault, Site], Fault] = FAULTS[type(data)]
    return kind(data, site)


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
