"""
The recording of profile `names`: read URLs with names that nobody has read before, one by one.

A registry that keeps a list for each name must end: its memory grows by each, or it runs out of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.observe.observer import Observer
from eureka_tck.wire.client import ReadBudget, WireClient
from eureka_tck.wire.errors import NoAnswer
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape

APP: Final = "NAMES"
INSTANCES: Final = 600
WARMING: Final = 40  # names read before the memory is measured first
NAMES: Final = 300
MB: Final = 1 << 20
OK: Final = 200
BUDGET: Final = ReadBudget(seconds=3.0)
"""Real seconds for a list that takes 20 ms: a node that is short of memory is not waited for."""


@dataclass(frozen=True, slots=True)
class Names:
    """
    What became of the node: `served` are the MB of lists that it gave for as many names.

    `grown` is by how many MB its memory grew meanwhile; `failed` says how a read failed, "" where
    none did.
    """

    tape: Tape
    names: int
    served: float
    grown: float
    failed: str

    @property
    def is_bounded(self) -> bool:
        """Whether it went on serving, and kept less than half of what it had served."""
        return not self.failed and self.grown < self.served / 2


def record_names(cluster: Cluster, names: int = NAMES) -> Names:
    """Read the whole list under so many names; stop where the node no longer answers."""
    with Observer(cluster) as observer:
        observer.register([sample(APP, f"name-{n}", duration=3600) for n in range(INSTANCES)])
        wire = WireClient(observer.node.root, recorder=observer.wire.recorder, budget=BUDGET)
        served, read, failed = 0, 0, ""
        before = observer.node.memory()
        for number in range(WARMING + names):
            if number == WARMING:
                before, served = observer.node.memory(), 0
            try:
                answer = wire.call("GET", "/apps", params={"regions": f"name-{number}"})
            except NoAnswer as error:
                failed = error.detail
                break
            if answer.status != OK or not answer.body:
                observer.keep(answer)
                failed = f"status {answer.status} with {len(answer.body)} bytes"
                break
            read, served = number + 1, served + len(answer.body)
        wire.close()
        grown = (observer.node.memory() - before) / MB if observer.node.is_alive() else 0.0
        observer.note(
            f"{read} names, {served / MB:.0f} MB of lists, {grown:.0f} MB more memory"
            + (f", then {failed}" if failed else "")
        )
        return Names(
            tape=observer.tape(f"{INSTANCES} instances, read-only cache on"),
            names=read,
            served=served / MB,
            grown=grown,
            failed=failed,
        )
