"""
The instances of a fleet: what each is doing, kept in arrays, some 30 bytes each.

Every process of a divided fleet keeps all of them, so that it can take over another's share.
What a moment of the storm does, and to whom, is computed by each alike (`unfolded`). Pure.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from eureka_tck.fleet.schedule import spread
from eureka_tck.fleet.storm import TO_NODES

if TYPE_CHECKING:
    from eureka_tck.fleet.storm import Moment, Storm

OUTSIDE: Final = 0  # not registered, or cancelled
UP: Final = 1
OUT: Final = 2  # out of service, renewing
SILENT: Final = 3  # registered once, and gone without a word

RENEWS: Final = (False, True, True, False)
"""By state: whether an instance renews."""

Act: TypeAlias = Literal["register", "cancel", "silence", "status", "back", "reconcile"]


class Task(NamedTuple):
    """Something that an instance does besides renewing, `at` an instant of the fleet's clock."""

    at: float
    member: int
    act: Act


class Members:
    """The state of each instance by its number; stamps are ms, instants monotonic seconds."""

    def __init__(self, count: int, dirty: int) -> None:
        self.state = bytearray(count)
        self.known = bytearray(count)  # 1: registered, and not cancelled since
        self.arrived = bytearray(count)  # 1: it was registered once
        self.busy = bytearray(count)  # 1: a renewal of it is unanswered
        self.dirty = array("q", [dirty]) * count
        self.stamp = array("q", [0]) * count  # the lease's stamp as last read back
        self.renewed = array("d", [0.0]) * count  # when its last renewal was acknowledged

    def renews(self, member: int) -> bool:
        """Say whether it renews now."""
        return RENEWS[self.state[member]]


def unfolded(storm: Storm, start: float) -> list[Task]:
    """Return all that the storm's moments make instances do, in order; `start` is the arrival's."""
    begin = start + storm.arrive_over
    end = begin + storm.minutes * 60
    tasks = [
        task
        for number, moment in enumerate(storm.moments)
        if moment.does not in TO_NODES
        for task in _of_moment(storm, moment, f"moment-{number}", begin)
    ]
    return sorted(task._replace(at=min(task.at, end)) for task in tasks)


def _of_moment(storm: Storm, moment: Moment, salt: str, begin: float) -> list[Task]:
    chosen = [n for n in range(storm.instances) if spread(n, salt) < moment.share]
    first = begin + moment.at * storm.minutes * 60
    tasks = []
    for place, member in enumerate(chosen):
        at = first + moment.over * place / len(chosen)
        back = at + moment.away
        if moment.does == "restart":
            tasks += [Task(at, member, "silence"), Task(back, member, "register")]
        elif moment.does == "redeploy":
            tasks += [Task(at, member, "cancel"), Task(back, member, "register")]
        elif moment.does == "status":
            tasks += [Task(at, member, "status"), Task(back, member, "back")]
        elif moment.does == "reconcile":
            tasks.append(Task(at, member, "reconcile"))
        else:
            tasks.append(Task(at, member, "silence"))
    return tasks
