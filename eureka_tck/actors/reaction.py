"""
How a scripted peer reacts to what arrives: the words its scripts are made of.

    peer.reacts(Reply(503))                              to every batch
    peer.reacts(lambda batch: Hang() if … else None)     None: as the tasks' script says
    peer.answers(lambda task: TaskReply(404) if … else None)     to each task; None: 200

Durations are registry seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from eureka_tck.actors.arrival import Arrival, Task

if TYPE_CHECKING:
    from eureka_tck.wire.sample import Json, Sample

JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Reply:
    """
    An HTTP answer with this body.

    `after` is how long it waits before the first byte, `drip` how long between two bytes.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = JSON
    after: float = 0.0
    drip: float = 0.0
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Late:
    """What the tasks' script says, but only so many seconds later."""

    after: float


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer for so long, then the connection is closed."""

    seconds: float = 3600.0


@dataclass(frozen=True, slots=True)
class Reset:
    """The connection is reset (RST) once the request has been read."""


@dataclass(frozen=True, slots=True)
class Close:
    """The connection is closed without an answer once the request has been read."""


Reaction: TypeAlias = Reply | Late | Hang | Reset | Close


@dataclass(frozen=True, slots=True)
class TaskReply:
    """What is said to one task: a status code, and an instance with it, by its fields."""

    status: int = 200
    entity: Sample | None = None


OK: Final = TaskReply()

BatchScript: TypeAlias = Callable[[Arrival], Reaction | None]
TaskScript: TypeAlias = Callable[[Task], TaskReply | None]


def responses(replies: list[TaskReply]) -> bytes:
    """Return the body of the answer to a batch, one entry a task."""
    entries: list[Json] = [
        {"statusCode": reply.status}
        | ({} if reply.entity is None else {"responseEntity": dict(reply.entity)})
        for reply in replies
    ]
    return msgspec.json.encode({"responseList": entries})
