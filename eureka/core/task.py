"""A task of replication: one call, as one node tells it to another."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from eureka.core.instance import Instance, Key, Record
from eureka.core.revision import Revision, Stamp
from eureka.core.status import Status

if TYPE_CHECKING:
    from eureka.core.lease import Lease

UNREADABLE = 400
NOT_EXECUTABLE = 500


class Kind(StrEnum):
    """The five calls that travel; a change of metadata travels as a registration."""

    REGISTER = "Register"
    HEARTBEAT = "Heartbeat"
    CANCEL = "Cancel"
    STATUS_UPDATE = "StatusUpdate"
    DELETE_STATUS_OVERRIDE = "DeleteStatusOverride"


class Mark(msgspec.Struct, frozen=True, gc=False):
    """
    What nodes of our own kind tell each other beside a change, so that order does not depend on
    delivery: the stamp of the call, and the record's T, revision and override after it.
    """

    at: Stamp
    dirty_ms: int
    revision: Revision
    override: Status
    silence: float | None = None
    """Of a registration that answers a 404: seconds since the instance was last heard of."""


class Task(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """
    What to do to which instance; only a registration carries the instance itself.

    `mark` travels to nodes that understand it, and to no others.
    """

    kind: Kind
    key: Key
    dirty_ms: int | None = None
    status: Status | None = None
    override: Status | None = None
    record: Record | None = None
    mark: Mark | None = None


class TaskAnswer(msgspec.Struct, frozen=True, gc=False):
    """
    What a receiver says to one task: an HTTP status;
    a 409 comes with the record held instead.
    """

    status: int
    record: Record | None = None


class PeerAnswer(msgspec.Struct, frozen=True, gc=False):
    """What a peer said to one task; with a 409 the instance it holds, if that could be read."""

    status: int
    instance: Instance | None = None


class Unreadable(msgspec.Struct, frozen=True, gc=False):
    """A task of a batch that cannot be understood (400) or cannot be carried out (500)."""

    status: int
    reason: str


def heartbeat_of(instance: Instance) -> Task:
    """Return the task that tells of a renewal of this record."""
    override = instance.overridden_status
    return Task(
        kind=Kind.HEARTBEAT,
        key=instance.key,
        dirty_ms=instance.dirty_ms,
        status=instance.status,
        override=None if override is Status.UNKNOWN else override,
    )


def change_of(kind: Kind, lease: Lease, mark: Mark) -> Task:
    """Return the task that tells of a change of this kind, with the record as it is after it."""
    instance = lease.instance
    return Task(
        kind=kind,
        key=instance.key,
        dirty_ms=instance.dirty_ms,
        status=instance.status,
        record=lease.record() if kind is Kind.REGISTER else None,
        mark=mark,
    )
