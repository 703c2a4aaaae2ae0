"""
What must be true of every run, whatever broke: pure functions of the schedule and the record.

Safety holds at every moment, agreement once all is healed and the budget has passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka.core.rift import LONGEST_PAUSE, PACE, SETTLING
from tests.simulation.record import Called, Sampled, Shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.simulation.record import Event, View
    from tests.simulation.schedule import Member, Schedule

BATCHING: Final = 0.5
SLACK: Final = 3.0
"""s for what is computed of nothing: delays, retries, the rest of a comparison."""

_OVERRIDING: Final = ("status", "remove-status")


def budget(schedule: Schedule) -> float:
    """
    Return how long after the last fault the nodes may differ.

    A comparison may have failed just before; then one renewal everywhere, one comparison that
    finds something, and one that a renewal of the last interval gave cause for.
    """
    interval = max(member.interval for member in schedule.members)
    return LONGEST_PAUSE + PACE + 2 * SETTLING + interval + 4 * BATCHING + SLACK


def broken_promises(schedule: Schedule, record: Sequence[Event]) -> list[str]:
    """Return what was broken, a sentence each."""
    return [
        *no_live_instance_is_evicted(schedule, record),
        *nothing_comes_back_after_its_cancellation(schedule, record),
        *the_nodes_agree(schedule, record),
        *the_newest_record_wins(schedule, record),
        *the_last_override_stays(schedule, record),
    ]


def no_live_instance_is_evicted(schedule: Schedule, record: Sequence[Event]) -> Iterator[str]:
    """Check that each eviction has a cause: silence for a lease, for a known reason."""
    renewed: dict[str, list[Called]] = {}
    for event in record:
        if isinstance(event, Called) and event.verb in ("register", "renew"):
            renewed.setdefault(event.instance, []).append(event)
        if not (isinstance(event, Shown) and event.evicted):
            continue
        member = _member(schedule, event.instance)
        if member.leaving == "dies" and event.at > member.leaves:
            continue
        heard = renewed.get(event.instance, [])
        own = [call.at for call in heard if call.node == event.node and call.status in (200, 204)]
        if own and event.at - own[-1] <= member.lease:
            yield (
                f"{event.node} evicted {event.instance} at {event.at:.2f}, "
                f"though it renewed there at {own[-1]:.2f} and its lease is {member.lease} s"
            )
        since = event.at - 2 * member.lease - member.interval - SLACK
        alive = heard and heard[-1].at >= event.at - member.interval - SLACK
        if alive and not _troubled(schedule, event.node, since, event.at):
            yield (
                f"{event.node} evicted {event.instance} at {event.at:.2f}, "
                f"though it lived and nothing was broken since {since:.2f}"
            )


def nothing_comes_back_after_its_cancellation(
    schedule: Schedule, record: Sequence[Event]
) -> Iterator[str]:
    """Check that whoever has seen an instance cancelled, or gone after that, stays without it."""
    cancelled: dict[str, float] = {}
    restarts = [(fault.node, fault.ends) for fault in schedule.faults if fault.kind == "restart"]
    absent: dict[tuple[str, str], float] = {}
    for event in record:
        if isinstance(event, Called) and event.verb == "cancel" and event.status == 200:
            cancelled[event.instance] = event.at
            absent[event.instance, event.node] = event.at
        elif isinstance(event, Shown) and event.instance in cancelled:
            if not event.present:
                absent[event.instance, event.node] = event.at
                continue
            gone_at = absent.get((event.instance, event.node))
            reborn = any(
                node == event.node and gone_at is not None and gone_at <= at <= event.at
                for node, at in restarts
            )
            if gone_at is not None and not reborn:
                yield (
                    f"{event.instance}, cancelled at {cancelled[event.instance]:.2f}, "
                    f"was gone from {event.node} at {gone_at:.2f} and came back at {event.at:.2f}"
                )


def the_nodes_agree(schedule: Schedule, record: Sequence[Event]) -> Iterator[str]:
    """
    Check that, once healed, all nodes hold all that live, alike, and none that was cancelled.

    A cancellation whose node was killed, with all it still had to tell, is excused: the lease ends.
    """
    views = _final_views(record)
    cancelled = {
        event.instance
        for event in record
        if isinstance(event, Called)
        and event.verb == "cancel"
        and event.status == 200
        and not _killed_later(schedule, event)
    }
    if set(views) != set(schedule.nodes):
        yield f"only {sorted(views)} were there at the end"
    for member in schedule.members:
        held = {node: view.get(member.id) for node, view in views.items()}
        if member.id in cancelled:
            ghosts = [node for node, seen in held.items() if seen is not None]
            if ghosts:
                yield f"{member.id} was cancelled and is still at {ghosts}"
        elif member.leaving == "stays":
            if len(set(held.values())) != 1:
                yield f"the nodes differ about {member.id}: {held}"
            elif None in held.values():
                yield f"{member.id} lives and is nowhere"


def the_newest_record_wins(schedule: Schedule, record: Sequence[Event]) -> Iterator[str]:
    """Check that the greatest T that was registered is the one all nodes end with."""
    newest: dict[str, int] = {}
    for event in record:
        if isinstance(event, Called) and event.verb == "register" and event.dirty_ms is not None:
            newest[event.instance] = event.dirty_ms
    for node, view in _final_views(record).items():
        for member in schedule.members:
            seen = view.get(member.id)
            if member.leaving == "stays" and seen and seen[2] != newest.get(member.id):
                yield f"{node} holds {member.id} with T {seen[2]}, not {newest.get(member.id)}"


def the_last_override_stays(schedule: Schedule, record: Sequence[Event]) -> Iterator[str]:
    """
    Check that the last override that was set or removed is in force at every node's end.

    Not where wall clocks were stepped (they order what two sides of a cut cannot), where the
    instance was evicted (its override went with it), or where a node was killed (with its memory).
    """
    if any(fault.kind in ("step", "restart") for fault in schedule.faults):
        return
    last: dict[str, Called] = {}
    evicted: set[str] = set()
    for event in record:
        if isinstance(event, Shown) and event.evicted:
            evicted.add(event.instance)
        if isinstance(event, Called) and event.verb in _OVERRIDING and event.changed:
            last[event.instance] = event
    for instance, call in last.items():
        if instance in evicted or _member(schedule, instance).leaving != "stays":
            continue
        for node, view in _final_views(record).items():
            seen = view.get(instance)
            if seen is not None and seen[1] != call.override:
                yield (
                    f"{node} ends with override {seen[1]} for {instance}; the last call, "
                    f"at {call.node} at {call.at:.2f}, left {call.override}"
                )


def _final_views(record: Sequence[Event]) -> dict[str, View]:
    return {event.node: event.view for event in record if isinstance(event, Sampled)}


def _member(schedule: Schedule, instance: str) -> Member:
    return next(member for member in schedule.members if member.id == instance)


def _killed_later(schedule: Schedule, call: Called) -> bool:
    return any(
        fault.kind == "restart" and fault.node == call.node and fault.begins >= call.at
        for fault in schedule.faults
    )


def _troubled(schedule: Schedule, node: str, since: float, until: float) -> bool:
    """Tell whether anything was broken that may have kept renewals from a node."""
    return any(
        fault.begins < until and fault.ends > since
        for fault in schedule.faults
        if (fault.kind in ("pause", "restart"))
        or (
            fault.kind in ("cut", "lossy")
            and any(link.endswith(f">{node}") for link in fault.links)
        )
    )
