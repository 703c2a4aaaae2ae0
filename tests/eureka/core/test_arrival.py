"""Marked changes are carried out in the order they were made in, however they arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from eureka.core.inbox import Inbox
from eureka.core.instance import Key, Record
from eureka.core.node import Node
from eureka.core.policy import Policy, ReplicationPolicy
from eureka.core.revision import NEVER, Revision, Stamp
from eureka.core.status import Status
from eureka.core.task import Kind, Mark, Task

if TYPE_CHECKING:
    from eureka.core.instance import Instance
    from tests.eureka.conftest import Builder, HandClock

ONE = Key("CART", "1")


def at(seconds: float, node: str = "a") -> Stamp:
    """Return the stamp of a moment of the hand clock."""
    return Stamp(1_796_040_000_000 + round(seconds * 1000), node)


def mark(seconds: float, dirty_ms: int = 100, override: Status = Status.UNKNOWN) -> Mark:
    """Return the mark of a change of that moment; one of an override is stamped with it."""
    stamp = NEVER if override is Status.UNKNOWN else at(seconds)
    return Mark(at(seconds), dirty_ms, Revision(NEVER, stamp), override)


def registration(instance: Instance, marked: Mark) -> Task:
    """Return the task of a registration."""
    return Task(kind=Kind.REGISTER, key=ONE, record=Record(instance, 0), mark=marked)


@pytest.fixture
def node(clock: HandClock) -> Node:
    """Return an open node without peers."""
    node = Node(Policy(open_count=1000), ReplicationPolicy(), "b")
    node.open(0, now=clock.now)
    return node


def apply(node: Node, clock: HandClock, *tasks: Task) -> list[int]:
    """Carry out a batch of a node of our own kind; return what was answered."""
    done = Inbox(node).apply(tasks, now=clock.now, sender="a@a", batch=str(clock.seconds))
    clock.passes(0.001)
    return [answer.status for answer in done.answers]


def held(node: Node) -> Instance | None:
    """Return the record that is held."""
    lease = node.registry.leases.find(ONE)
    return lease.instance if lease else None


def test_a_late_registration_does_not_undo_a_cancellation(
    node: Node, clock: HandClock, build: Builder
) -> None:
    """It was made before."""
    register = registration(build(), mark(1000))
    cancel = Task(kind=Kind.CANCEL, key=ONE, mark=mark(1001))

    assert apply(node, clock, register, cancel, register) == [200, 200, 200]
    assert held(node) is None


def test_a_late_cancellation_does_not_undo_a_newer_registration(
    node: Node, clock: HandClock, build: Builder
) -> None:
    """The reference loses a live instance so, until it renews."""
    register = registration(build(dirty_ms=200), mark(1002, 200))
    cancel = Task(kind=Kind.CANCEL, key=ONE, mark=mark(1001, 100))

    assert apply(node, clock, register, cancel) == [200, 200]
    assert held(node) is not None


def test_a_late_override_does_not_undo_a_later_one(
    node: Node, clock: HandClock, build: Builder
) -> None:
    """However often it is repeated."""
    first = Task(
        kind=Kind.STATUS_UPDATE,
        key=ONE,
        status=Status.DOWN,
        mark=mark(1001, override=Status.DOWN),
    )
    second = Task(
        kind=Kind.STATUS_UPDATE,
        key=ONE,
        status=Status.OUT_OF_SERVICE,
        mark=mark(1002, override=Status.OUT_OF_SERVICE),
    )

    apply(node, clock, registration(build(), mark(1000)), second, first)

    found = held(node)
    assert found is not None
    assert found.overridden_status is Status.OUT_OF_SERVICE


def test_an_override_of_an_unknown_instance_is_404(node: Node, clock: HandClock) -> None:
    """As without a mark."""
    task = Task(
        kind=Kind.STATUS_UPDATE,
        key=ONE,
        status=Status.DOWN,
        mark=mark(1001, override=Status.DOWN),
    )

    assert apply(node, clock, task) == [404]


@pytest.mark.parametrize(("silence", "comes_back"), [(60.0, False), (0.0, True)])
def test_a_registration_that_heals_is_of_an_instance_heard_of_since(
    node: Node, clock: HandClock, build: Builder, silence: float, comes_back: bool
) -> None:
    """Durations tell, not wall clocks: its stamp is of when the peer was told."""
    apply(node, clock, registration(build(), mark(1000)))
    apply(node, clock, Task(kind=Kind.CANCEL, key=ONE, mark=mark(1001)))
    clock.passes(30)

    apply(node, clock, registration(build(), replace(mark(9999), silence=silence)))

    assert (held(node) is not None) is comes_back


def test_a_heartbeat_of_our_own_kind_tells_no_override(
    node: Node, clock: HandClock, build: Builder
) -> None:
    """It has no stamp; the registration that follows has one."""
    apply(node, clock, registration(build(), mark(1000)))
    beat = Task(kind=Kind.HEARTBEAT, key=ONE, dirty_ms=200, override=Status.DOWN)

    assert apply(node, clock, beat) == [404]

    found = held(node)
    assert found is not None
    assert found.overridden_status is Status.UNKNOWN
