"""Batches of replication, as the reference sends and answers them, and as others do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka.core.errors import InvalidRequest
from eureka.core.instance import Key, Record
from eureka.core.status import Status
from eureka.core.task import Kind, PeerAnswer, Task, TaskAnswer, Unreadable
from eureka.wire.batch import read_answers, read_batch, write_answers, write_batch
from eureka.wire.reading import PLAIN
from eureka.wire.writing import JsonWriter

if TYPE_CHECKING:
    from tests.eureka.conftest import Builder

KEY = Key("FOO", "host-1:foo:8080")
INSTANCE = {
    "instanceId": KEY.id,
    "hostName": "host-1",
    "app": "FOO",
    "ipAddr": "10.0.0.1",
    "dataCenterInfo": {"@class": PLAIN, "name": "MyOwn"},
    "lastDirtyTimestamp": "7",
}


def read(*tasks: object) -> list[Task | Unreadable]:
    """Return what is read of a batch of these tasks."""
    return read_batch(msgspec.json.encode({"replicationList": tasks}), arrived_ms=1)


def fields(**changes: object) -> dict[str, object]:
    """Return a task of another registry: explicit nulls, empty texts."""
    task: dict[str, object] = {
        "appName": "foo",
        "id": KEY.id,
        "lastDirtyTimestamp": "1700000000000",
        "overriddenStatus": "",
        "status": None,
        "instanceInfo": None,
        "action": "Heartbeat",
    }
    return task | changes


def test_tasks_are_written_as_the_reference_writes_them(build: Builder) -> None:
    """Fields without a value are left out, only a registration carries the instance."""
    writer = JsonWriter()
    record = Record(build("1", "FOO"), 3)
    tasks = [
        Task(kind=Kind.HEARTBEAT, key=KEY, dirty_ms=17, status=Status.UP),
        Task(kind=Kind.HEARTBEAT, key=KEY, dirty_ms=17, status=Status.DOWN, override=Status.DOWN),
        Task(kind=Kind.CANCEL, key=KEY),
        Task(kind=Kind.REGISTER, key=record.instance.key, dirty_ms=100, record=record),
    ]

    written = write_batch(tasks, writer)

    assert written == (
        b'{"replicationList":['
        b'{"appName":"FOO","id":"host-1:foo:8080","lastDirtyTimestamp":17,"status":"UP",'
        b'"action":"Heartbeat"},'
        b'{"appName":"FOO","id":"host-1:foo:8080","lastDirtyTimestamp":17,'
        b'"overriddenStatus":"DOWN","status":"DOWN","action":"Heartbeat"},'
        b'{"appName":"FOO","id":"host-1:foo:8080","action":"Cancel"},'
        b'{"appName":"FOO","id":"1","lastDirtyTimestamp":100,"instanceInfo":'
        + writer.bare_instance(record.instance, 3)
        + b',"action":"Register"}]}'
    )


def test_what_is_written_is_read_back(build: Builder) -> None:
    """But for the stamps a receiver sets itself."""
    tasks = [
        Task(kind=Kind.STATUS_UPDATE, key=KEY, dirty_ms=17, status=Status.DOWN),
        Task(kind=Kind.DELETE_STATUS_OVERRIDE, key=KEY, dirty_ms=17, status=Status.UP),
        Task(kind=Kind.CANCEL, key=KEY),
    ]
    record = Record(build("1", "FOO"), 0)
    register = Task(kind=Kind.REGISTER, key=record.instance.key, record=record)

    found = read_batch(write_batch([*tasks, register], JsonWriter()), arrived_ms=1)

    assert found[:3] == tasks
    (last,) = found[3:]
    assert isinstance(last, Task)
    assert last.record is not None
    assert last.record.instance == record.instance


def test_explicit_nulls_and_empty_texts_are_as_if_absent() -> None:
    """Other registries write them."""
    assert read(fields()) == [Task(kind=Kind.HEARTBEAT, key=KEY, dirty_ms=1_700_000_000_000)]
    assert read(fields(lastDirtyTimestamp=0, overriddenStatus="DOWN", more=[{"a": 1}])) == [
        Task(kind=Kind.HEARTBEAT, key=KEY, dirty_ms=0, override=Status.DOWN)
    ]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"action": None}, 500),
        ({"id": ""}, 500),
        ({"appName": None}, 500),
        ({"action": "Register"}, 500),
        ({"action": "StatusUpdate"}, 500),
        ({"action": "StatusUpdate", "status": "BOGUS"}, 500),
        ({"action": "Bogus"}, 400),
        ({"action": "heartbeat"}, 400),
        ({"action": []}, 400),
        ({"lastDirtyTimestamp": "soon"}, 400),
        ({"instanceInfo": []}, 400),
        ({"action": "Register", "instanceInfo": {}}, 400),
        ({"action": "Register", "instanceInfo": {"instance": INSTANCE}}, 400),
    ],
)
def test_one_odd_task_does_not_spoil_the_others(changes: dict[str, object], status: int) -> None:
    """It is answered for itself: 500 if it cannot be carried out, 400 if it is not understood."""
    before, odd, after = read(fields(), fields(**changes), fields(action="Cancel"))

    assert isinstance(before, Task)
    assert isinstance(odd, Unreadable)
    assert odd.status == status
    assert isinstance(after, Task)


@pytest.mark.parametrize("odd", [None, 5, "x", []])
def test_a_task_that_is_no_object_does_not_spoil_the_others(odd: object) -> None:
    """Null too."""
    first, second = read(odd, fields())

    assert isinstance(first, Unreadable)
    assert isinstance(second, Task)


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b"{}", b'{"replicationList":null}', b'{"replicationList":5}', b"{"],
)
def test_a_body_that_is_no_batch_is_refused(body: bytes) -> None:
    """As a whole."""
    with pytest.raises(InvalidRequest, match=r"^cannot parse the batch: "):
        read_batch(body, arrived_ms=1)


def test_an_empty_batch_has_no_tasks() -> None:
    """Unknown fields beside the list are ignored."""
    assert read_batch(b'{"replicationList":[],"more":{}}', arrived_ms=1) == []


def test_answers_as_the_reference_writes_them(build: Builder) -> None:
    """One a task; the instance of a 409 is bare."""
    writer = JsonWriter()
    record = Record(build(), 3)

    written = write_answers([TaskAnswer(200), TaskAnswer(409, record)], writer)

    assert written == (
        b'{"responseList":[{"statusCode":200},{"statusCode":409,"responseEntity":'
        + writer.bare_instance(record.instance, 3)
        + b"}]}"
    )


@pytest.mark.parametrize("wrapped", [False, True])
def test_the_instance_of_a_conflict_is_read_bare_or_wrapped(wrapped: bool) -> None:
    """Peers of other kinds may wrap it."""
    entity = {"instance": INSTANCE} if wrapped else INSTANCE
    body = msgspec.json.encode(
        {"responseList": [{"statusCode": 409, "responseEntity": entity}, {"statusCode": 404}]}
    )

    first, second = read_answers(body, arrived_ms=1)

    assert first.instance is not None
    assert (first.instance.key, first.instance.dirty_ms) == (KEY, 7)
    assert second == PeerAnswer(404)


@pytest.mark.parametrize("entity", [5, {}, {"instance": 5}, {"hostName": "h"}, None])
def test_an_unreadable_instance_of_a_conflict_heals_nothing(entity: object) -> None:
    """The answer is as if it brought none."""
    body = msgspec.json.encode({"responseList": [{"statusCode": 409, "responseEntity": entity}]})

    assert read_answers(body, arrived_ms=1) == [PeerAnswer(409)]


@pytest.mark.parametrize("body", [b"", b"{}", b"<html>", b'{"responseList":[{}]}'])
def test_an_unreadable_answer_is_told(body: bytes) -> None:
    """It may come from something that is no registry."""
    with pytest.raises(InvalidRequest, match=r"^cannot parse the answer to a batch: "):
        read_answers(body, arrived_ms=1)
