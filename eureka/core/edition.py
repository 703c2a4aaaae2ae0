"""
What becomes of a record when something happens to its instance: the next edition, with the stamps
that the registry puts on it. Nothing here knows what is held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from eureka.core.override import effective_status
from eureka.core.status import Action, Status

if TYPE_CHECKING:
    from eureka.core.instance import Instance
    from eureka.core.instant import Instant


def registered(
    instance: Instance, *, held: Instance | None, replicated: bool, now: Instant
) -> Instance:
    """
    Return what a registration makes of the record that was held, if any.

    An instance older than the held one,
    by its dirty timestamp, leaves that one's data as it is.
    An override that is stored already outlives the one it brings.
    """
    if held is not None and held.dirty_ms > instance.dirty_ms:
        instance = held
    override = instance.overridden_status
    if held is not None and held.overridden_status is not Status.UNKNOWN:
        override = held.overridden_status
    status = effective_status(
        instance.status,
        override=override,
        held=held.status if held else None,
        replicated=replicated,
    )
    return replace(
        instance,
        status=status,
        overridden_status=override,
        registered_ms=now.epoch_ms,
        service_up_ms=_up_since(held, status, now),
        evicted_ms=0,
        updated_ms=now.epoch_ms,
        action=Action.ADDED,
    )


def adopted(instance: Instance, *, held: Instance | None, fresh: bool, now: Instant) -> Instance:
    """Return a record that nodes agreed on; it goes on, unless it is held as a fresh one."""
    goes_on = held if not fresh else None
    return replace(
        instance,
        registered_ms=goes_on.registered_ms if goes_on else now.epoch_ms,
        service_up_ms=_up_since(held or instance, instance.status, now),
        evicted_ms=0,
        updated_ms=now.epoch_ms,
        action=Action.MODIFIED if goes_on else Action.ADDED,
    )


def modified(
    held: Instance,
    *,
    now: Instant,
    status: Status | None = None,
    override: Status | None = None,
    dirty_ms: int | None = None,
) -> Instance:
    """Return a record with another status or override; its dirty timestamp never falls."""
    status = held.status if status is None else status
    newer = dirty_ms is not None and dirty_ms > held.dirty_ms
    return replace(
        held,
        status=status,
        overridden_status=held.overridden_status if override is None else override,
        dirty_ms=dirty_ms if newer else held.dirty_ms,
        service_up_ms=_up_since(held, status, now),
        updated_ms=now.epoch_ms,
        action=Action.MODIFIED,
    )


def removed(held: Instance, *, now: Instant) -> Instance:
    """Return the last edition of a record: its instance left."""
    return replace(held, evicted_ms=now.epoch_ms, updated_ms=now.epoch_ms, action=Action.DELETED)


def _up_since(held: Instance | None, status: Status, now: Instant) -> int:
    """Return when it was first UP: 0 until then, kept ever after."""
    known = held.service_up_ms if held else 0
    return known or (now.epoch_ms if status is Status.UP else 0)
