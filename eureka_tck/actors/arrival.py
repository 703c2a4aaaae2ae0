"""
What arrives at a scripted peer, as frozen values: requests, and the tasks of replication in them.

Instants are registry seconds of the cluster's clock; bodies are parsed at once and not kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eureka_tck.wire.sample import Json

LIST: Final = "replicationList"
"""What a batch calls its tasks, com.netflix.eureka.cluster.protocol.ReplicationList 2.0.6."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task of a batch; `fields` is all that it said, `at` when its batch had arrived whole."""

    at: float
    batch: int
    place: int
    fields: Mapping[str, Json]

    @property
    def app(self) -> str:
        """The application's name, empty where it is left out."""
        return str(self.fields.get("appName") or "")

    @property
    def id(self) -> str:
        """The instance's id, empty where it is left out."""
        return str(self.fields.get("id") or "")

    @property
    def action(self) -> str:
        """The kind: Register, Heartbeat, Cancel, StatusUpdate or DeleteStatusOverride."""
        return str(self.fields.get("action") or "")

    @property
    def status(self) -> str | None:
        """The status, None where it is left out."""
        return _text(self.fields.get("status"))

    @property
    def overridden(self) -> str | None:
        """The overridden status, None where it is left out."""
        return _text(self.fields.get("overriddenStatus"))

    @property
    def dirty_ms(self) -> int | None:
        """The T of the task, None where it is left out or is no number."""
        return _number(self.fields.get("lastDirtyTimestamp"))

    @property
    def instance(self) -> Mapping[str, Json]:
        """The fields of the instance it carries, none where it carries none."""
        carried = self.fields.get("instanceInfo")
        return carried if isinstance(carried, dict) else {}

    @property
    def metadata(self) -> Mapping[str, Json]:
        """The metadata of the instance it carries."""
        carried = self.instance.get("metadata")
        return carried if isinstance(carried, dict) else {}

    @property
    def instance_dirty_ms(self) -> int | None:
        """The T of the instance it carries."""
        return _number(self.instance.get("lastDirtyTimestamp"))

    def says_the_same_as(self, other: Task) -> bool:
        """Tell whether another task says exactly the same."""
        return self.fields == other.fields


@dataclass(frozen=True, slots=True)
class Arrival:
    """
    One request as it arrived.

    `connection` numbers the connections in the order they were accepted.
    `fault` says what of the body could not be read as a batch, empty where it could or is none.
    """

    at: float
    number: int
    connection: int
    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    tasks: tuple[Task, ...] = ()
    fault: str = ""

    @property
    def is_batch(self) -> bool:
        """Tell whether it is replication."""
        return self.method == "POST" and "/peerreplication/batch" in self.path

    def header(self, name: str) -> str | None:
        """Return a header by its name in any case, None where it is not there."""
        return next((text for key, text in self.headers if key.lower() == name.lower()), None)

    def named(self) -> frozenset[tuple[str, str, str]]:
        """Return application, id and kind of each task."""
        return frozenset((task.app, task.id, task.action) for task in self.tasks)


def read_tasks(body: bytes, *, at: float, batch: int) -> tuple[tuple[Task, ...], str]:
    """Return the tasks of a body, and what is wrong with it where it holds none."""
    try:
        document = msgspec.json.decode(body)
    except msgspec.DecodeError as problem:
        return (), f"no JSON: {problem}"
    tasks = document.get(LIST) if isinstance(document, dict) else None
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        return (), f"no list of objects under {LIST!r}"
    return tuple(_tasks(tasks, at=at, batch=batch)), ""


def _tasks(tasks: list[dict[str, Json]], *, at: float, batch: int) -> Iterable[Task]:
    return (Task(at, batch, place, fields) for place, fields in enumerate(tasks))


def _text(value: Json) -> str | None:
    return None if value is None else str(value)


def _number(value: Json) -> int | None:
    try:
        return int(value)  # type: ignore[arg-type]  # what is no number is caught
    except (TypeError, ValueError):
        return None
