"""
Tasks of replication to send, as plain JSON fields, as a peer writes them.

Nothing here checks what it builds: tests send wrong tasks too.
"""

from __future__ import annotations

from typing import TypeAlias

from eureka_tck.wire.sample import DIRTY_MS, Json, Sample

TaskFields: TypeAlias = dict[str, Json]


def task(app: str, instance_id: str, action: str, **more: Json) -> TaskFields:
    """Return a task of any kind; `more` are fields by their names on the wire."""
    return {"appName": app, "id": instance_id, "action": action, **more}


def register_task(fields: Sample, **changes: Json) -> TaskFields:
    """Return the registration of an instance; `changes` replace fields of the task."""
    told = task(
        str(fields["app"]),
        str(fields["instanceId"]),
        "Register",
        lastDirtyTimestamp=int(str(fields.get("lastDirtyTimestamp", DIRTY_MS))),
        status=fields.get("status", "UP"),
        instanceInfo=dict(fields),
    )
    return told | changes


def heartbeat_task(
    app: str,
    instance_id: str,
    *,
    dirty: Json = DIRTY_MS,
    status: str = "UP",
    overridden: str | None = None,
) -> TaskFields:
    """Return a renewal; `dirty` None leaves T out."""
    told = task(app, instance_id, "Heartbeat", status=status)
    if dirty is not None:
        told["lastDirtyTimestamp"] = dirty
    if overridden is not None:
        told["overriddenStatus"] = overridden
    return told


def cancel_task(app: str, instance_id: str) -> TaskFields:
    """Return a cancellation."""
    return task(app, instance_id, "Cancel")


def status_task(app: str, instance_id: str, status: str, *, dirty: Json = DIRTY_MS) -> TaskFields:
    """Return a change of status."""
    return task(app, instance_id, "StatusUpdate", lastDirtyTimestamp=dirty, status=status)


def removal_task(
    app: str, instance_id: str, status: str = "UP", *, dirty: Json = DIRTY_MS
) -> TaskFields:
    """Return the removal of an override; `status` is the one to go on with."""
    return task(app, instance_id, "DeleteStatusOverride", lastDirtyTimestamp=dirty, status=status)
