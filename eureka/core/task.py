"""A task of replication: one call, as one node tells it to another."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from eureka.core.instance import Key, Record
from eureka.core.status import Status


class Kind(StrEnum):
    """The five calls that travel; a change of metadata travels as a registration."""

    REGISTER = "Register"
    HEARTBEAT = "Heartbeat"
    CANCEL = "Cancel"
    STATUS_UPDATE = "StatusUpdate"
    DELETE_STATUS_OVERRIDE = "DeleteStatusOverride"


class Task(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What to do to which instance; only a registration carries the instance itself."""

    kind: Kind
    key: Key
    dirty_ms: int | None = None
    status: Status | None = None
    override: Status | None = None
    record: Record | None = None


class TaskAnswer(msgspec.Struct, frozen=True, gc=False):
    """The HTTP status for one task; a 409 comes with the record held instead."""

    status: int
    record: Record | None = None
