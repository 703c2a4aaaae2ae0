"""Batches of peers are carried out: task by task, once, and told to nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from eureka.core.inbox import Inbox
from eureka.core.instance import Key, Record
from eureka.core.node import Node
from eureka.core.policy import Policy, ReplicationPolicy
from eureka.core.status import Status
from eureka.core.task import Kind, Task, TaskAnswer, Unreadable

if TYPE_CHECKING:
    from tests.eureka.conftest import Builder, HandClock

ONE = Key("CART", "1")
OTHER = "http://c:8761/eureka/"


@pytest.fixture
def inbox(clock: HandClock) -> Inbox:
    """Return the inbox of an open node with another peer than the sender."""
    node = Node(Policy(open_count=1000), ReplicationPolicy())
    node.peers.set([OTHER])
    node.open(0, now=clock.now)
    return Inbox(node)


def test_tasks_are_carried_out_in_their_order(
    inbox: Inbox, clock: HandClock, build: Builder
) -> None:
    """One answer each, also where a task cannot be carried out."""
    register = Task(kind=Kind.REGISTER, key=ONE, record=Record(build(), 0))
    cancel = Task(kind=Kind.CANCEL, key=ONE)
    tasks: list[Task | Unreadable] = [
        cancel,
        register,
        Unreadable(400, "no action"),
        Task(kind=Kind.HEARTBEAT, key=ONE, dirty_ms=0),
        Task(kind=Kind.STATUS_UPDATE, key=ONE, status=Status.DOWN),
        Task(kind=Kind.STATUS_UPDATE, key=ONE),
        Task(kind=Kind.DELETE_STATUS_OVERRIDE, key=ONE),
        replace(register, key=Key("PAY", "1")),
        replace(register, record=None),
        cancel,
        register,
    ]

    done = inbox.apply(tasks, now=clock.now)

    codes = [answer.status for answer in done.answers]
    assert codes == [404, 200, 400, 409, 200, 400, 200, 400, 400, 200, 200]
    held = inbox.node.registry.leases.held(ONE).instance
    assert done.answers[3].record == Record(
        replace(held, registered_ms=clock.now.epoch_ms),
        clock.now.epoch_ms + 90_000,
    )
    assert len(done.events) == 5
    assert inbox.node.peers.outboxes[OTHER].waiting == 0


def test_a_repeated_batch_of_our_own_kind_counts_once(
    inbox: Inbox, clock: HandClock, build: Builder
) -> None:
    """It is answered as before; a batch without a number is another one."""
    inbox.node.register(build(), now=clock.now, replicated=True)
    renewal = Task(kind=Kind.HEARTBEAT, key=ONE)

    for sender, number in (("a", "7"), ("a", "7"), ("", ""), ("", "")):
        done = inbox.apply([renewal], now=clock.now, sender=sender, batch=number)
        assert done.answers == (TaskAnswer(200),)

    counted = inbox.node.registry.preservation.renewals_last_minute(now=clock.passes(60).monotonic)
    assert counted == 3
