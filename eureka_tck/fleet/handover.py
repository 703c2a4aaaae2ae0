"""
What happens to instances that another process drives from now on. Pure.

Nobody can say what a worker that died had still done; so who may not have registered registers once
more, and turns of which nobody can tell are counted as orphaned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.fleet.member import OUTSIDE, UP

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from eureka_tck.fleet.member import Members


def adopt(held: Members, adopted: Sequence[int], away: Collection[int], *, late: bool) -> list[int]:
    """
    Take members over as the storm has left them, and return those who have yet to register.

    `away` are cancelled, and will register anew; `late` says that the fleet has long arrived, so
    that whoever is not known to be anything else is up.
    """
    arriving = []
    for member in adopted:
        if member in away:
            held.arrived[member] = 1
        elif held.state[member] == OUTSIDE and not late:
            arriving.append(member)
        else:
            if held.state[member] == OUTSIDE:
                held.state[member] = UP
            held.arrived[member] = held.known[member] = 1
    return arriving


def orphaned(
    turns: Iterable[tuple[int, float]], held: Members, interval: float, lost: float, until: float
) -> int:
    """
    Return how many turns of members that renew fell between two owners: after `lost` to `until`.

    `turns` are the members with the instants of their first turns; each has one every `interval`.
    """
    count = 0
    for member, phase in turns:
        if held.renews(member) and until >= phase:
            before = max(lost, phase - interval)
            count += int((until - phase) // interval - (before - phase) // interval)
    return count
