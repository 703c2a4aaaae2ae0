"""Batches of replication in JSON, both ways; one unreadable task does not spoil the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from eureka.core.errors import InvalidRequest
from eureka.core.instance import Key, Record
from eureka.core.status import Status
from eureka.core.task import NOT_EXECUTABLE, UNREADABLE, Kind, Mark, PeerAnswer, Task, Unreadable
from eureka.wire.fields import known_status, text, timestamp
from eureka.wire.reading import BROKEN, LARGE, InstanceBody, check_crowd, read_instance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eureka.core.instance import Instance
    from eureka.core.task import TaskAnswer
    from eureka.wire.writing import JsonWriter

_encode = msgspec.json.Encoder().encode
_KINDS = frozenset(Kind)


_NOTHING = msgspec.Raw(b"null")


class _Batch(msgspec.Struct, rename="camel", gc=False):
    replication_list: list[msgspec.Raw]


class _Beat(msgspec.Struct, rename="camel", gc=False):
    """A task as nearly all are: a heartbeat with fields of the expected types and none besides."""

    app_name: str
    id: str
    action: Literal["Heartbeat"]
    last_dirty_timestamp: Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] | None = None
    status: Status | None = None
    overridden_status: Status | None = None
    instance_info: None = None


class _Beats(msgspec.Struct, rename="camel", gc=False):
    replication_list: list[_Beat]


class _TaskBody(msgspec.Struct, rename="camel", gc=False):
    app_name: object = None
    id: object = None
    action: object = None
    last_dirty_timestamp: object = None
    status: object = None
    overridden_status: object = None
    instance_info: InstanceBody | None = None
    mark: Mark | None = None


class _Written(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    """A task as it is sent; what has no value is left out."""

    app_name: str
    id: str
    last_dirty_timestamp: int | None = None
    overridden_status: Status | None = None
    status: Status | None = None
    instance_info: msgspec.Raw | None = None
    action: Kind | None = None
    mark: Mark | None = None


class _WrittenBatch(msgspec.Struct, rename="camel", gc=False):
    replication_list: list[_Written]


class _AnswerBody(msgspec.Struct, rename="camel", gc=False):
    status_code: int
    response_entity: msgspec.Raw = _NOTHING


class _Answers(msgspec.Struct, rename="camel", gc=False):
    response_list: list[_AnswerBody]


class _Wrapped(msgspec.Struct, gc=False):
    instance: InstanceBody


DONE = 200
_DONE = PeerAnswer(DONE)
_WRITTEN_DONE = b'{"statusCode":200}'
_beats = msgspec.json.Decoder(_Beats)
_batch = msgspec.json.Decoder(_Batch)
_task = msgspec.json.Decoder(_TaskBody)
_answers = msgspec.json.Decoder(_Answers)
_instance = msgspec.json.Decoder(InstanceBody)
_wrapped = msgspec.json.Decoder(_Wrapped)


def read_batch(body: bytes, *, arrived_ms: int) -> list[Task | Unreadable]:
    """Return the tasks of a batch in their order."""
    check_crowd(body)
    try:
        # A batch of heartbeats alone is read in one go; any other one task by task.
        if len(body) < LARGE:
            return [_read_beat(beat) for beat in _beats.decode(body).replication_list]
    except BROKEN:
        pass
    try:
        tasks = _batch.decode(body).replication_list
    except BROKEN as error:
        raise InvalidRequest(f"cannot parse the batch: {error}") from error
    return [_read_task(raw, arrived_ms=arrived_ms) for raw in tasks]


def write_batch(tasks: Iterable[Task], writer: JsonWriter, *, marked: bool = False) -> bytes:
    """
    Return the body of a batch; fields without a value are left out.

    Only a peer of our own kind is told the marks.
    """
    return _encode(_WrittenBatch([_written(task, writer, marked=marked) for task in tasks]))


def read_answers(body: bytes, *, arrived_ms: int) -> list[PeerAnswer]:
    """Return what a peer said to each task."""
    try:
        answers = _answers.decode(body).response_list
    except BROKEN as error:
        raise InvalidRequest(f"cannot parse the answer to a batch: {error}") from error
    return [
        _DONE
        if answer.status_code == DONE
        else PeerAnswer(answer.status_code, _entity(answer.response_entity, arrived_ms))
        for answer in answers
    ]


def write_answers(answers: Sequence[TaskAnswer], writer: JsonWriter) -> bytes:
    """Return the body that answers a batch; a record held instead is its bare instance."""
    written = []
    for answer in answers:
        if answer.status == DONE:
            written.append(_WRITTEN_DONE)
        elif answer.record is None:
            written.append(b'{"statusCode":%d}' % answer.status)
        else:
            entity = writer.bare_instance(answer.record.instance, answer.record.renewed_ms)
            written.append(b'{"statusCode":%d,"responseEntity":%b}' % (answer.status, entity))
    return b'{"responseList":[%b]}' % b",".join(written)


def _read_beat(beat: _Beat) -> Task | Unreadable:
    if not beat.app_name or not beat.id:
        return Unreadable(NOT_EXECUTABLE, "a task needs appName, id and action")
    override = beat.overridden_status
    return Task(
        kind=Kind.HEARTBEAT,
        key=Key(beat.app_name.upper(), beat.id),
        dirty_ms=beat.last_dirty_timestamp,
        status=beat.status,
        override=None if override is Status.UNKNOWN else override,
    )


def _read_task(raw: msgspec.Raw, *, arrived_ms: int) -> Task | Unreadable:
    try:
        body = _task.decode(raw)
        app = text(body.app_name, "appName")
        instance_id = text(body.id, "id")
        dirty_ms = timestamp(body.last_dirty_timestamp, "lastDirtyTimestamp")
        action = text(body.action, "action")
        if not (app and instance_id and action):
            return Unreadable(NOT_EXECUTABLE, "a task needs appName, id and action")
        if action not in _KINDS:
            return Unreadable(UNREADABLE, f"there is no action {action}")
        kind = Kind(action)
        status = text(body.status, "status") or None
        if kind is Kind.STATUS_UPDATE and known_status(status) is Status.UNKNOWN:
            return Unreadable(NOT_EXECUTABLE, f"{status} is no status to be given")
        if kind is Kind.REGISTER and body.instance_info is None:
            return Unreadable(NOT_EXECUTABLE, "a registration needs its instanceInfo")
        record = None
        if kind is Kind.REGISTER and body.instance_info is not None:
            record = Record(read_instance(body.instance_info, arrived_ms=arrived_ms), 0)
    except (InvalidRequest, *BROKEN) as error:
        return Unreadable(UNREADABLE, str(error))
    override = known_status(body.overridden_status)
    return Task(
        kind=kind,
        key=Key(app.upper(), instance_id),
        dirty_ms=dirty_ms,
        status=known_status(status) if status else None,
        override=None if override is Status.UNKNOWN else override,
        record=record,
        mark=body.mark,
    )


def _written(task: Task, writer: JsonWriter, *, marked: bool) -> _Written:
    key, record = task.key, task.record
    written = _Written(
        app_name=key.app,
        id=key.id,
        last_dirty_timestamp=task.dirty_ms,
        overridden_status=task.override,
        status=task.status,
        action=task.kind,
    )
    if record is not None:
        instance = writer.bare_instance(record.instance, record.renewed_ms, keep=False)
        written.instance_info = msgspec.Raw(instance)
    if marked:
        written.mark = task.mark
    return written


def _entity(raw: msgspec.Raw, arrived_ms: int) -> Instance | None:
    """Return the instance of a 409, bare or wrapped; one that cannot be read heals nothing."""
    try:
        body = _instance.decode(raw)
        if body.instance_id is None and body.host_name is None:
            body = _wrapped.decode(raw).instance
        return read_instance(body, arrived_ms=arrived_ms)
    except (InvalidRequest, *BROKEN):
        return None
