"""What calls at one node mean for its peers, and what peers mean for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from eureka.core.errors import UnknownInstance
from eureka.core.event import Changed
from eureka.core.instance import Key, Record
from eureka.core.node import Answer, Node
from eureka.core.policy import Policy, ReplicationPolicy
from eureka.core.status import Status
from eureka.core.task import Kind, PeerAnswer, Task

if TYPE_CHECKING:
    from eureka.core.instance import Instance
    from eureka.core.outbox import Batch
    from tests.eureka.conftest import Builder, HandClock

ONE = Key("CART", "1")
PEER = "http://b:8761/eureka/"
OTHER = "http://c:8761/eureka/"


@pytest.fixture
def node(clock: HandClock) -> Node:
    """Return an open node with two peers that protects its leases."""
    node = Node(Policy(open_count=1000), ReplicationPolicy())
    node.peers.set([PEER, OTHER])
    node.open(0, now=clock.now)
    return node


def sent(node: Node, clock: HandClock, url: str = PEER) -> list[Task]:
    """Let a batching delay pass; return what leaves for a peer, answered with nothing said."""
    clock.passes(0.5)
    batch = node.peers.outboxes[url].take(now=clock.seconds)
    if batch is None:
        return []
    node.peer_answered(url, batch, [], now=clock.now)
    return [replace(task, mark=None) for task in batch.tasks]


def on_its_way(node: Node, clock: HandClock) -> Batch:
    """Let a batching delay pass; return the batch that leaves."""
    clock.passes(0.5)
    batch = node.peers.outboxes[PEER].take(now=clock.seconds)
    assert batch is not None
    return batch


def held(node: Node) -> Instance:
    """Return the one instance that is held."""
    lease = node.registry.leases.find(ONE)
    assert lease is not None
    return lease.instance


# Sending


def test_a_registration_reaches_every_peer_with_the_instance(
    node: Node, clock: HandClock, build: Builder
) -> None:
    """One task a peer, with the record as it is stored."""
    node.register(build(), now=clock.now, replicated=False)
    record = Record(held(node), clock.now.epoch_ms)

    expected = Task(kind=Kind.REGISTER, key=ONE, dirty_ms=100, status=Status.UP, record=record)
    assert sent(node, clock) == [expected]
    assert sent(node, clock, OTHER) == [expected]


def test_each_call_travels_as_its_task(node: Node, clock: HandClock, build: Builder) -> None:
    """A heartbeat tells the override, a cancellation nothing but the key."""
    node.register(build(), now=clock.now, replicated=False)
    sent(node, clock)

    node.set_status(ONE, Status.OUT_OF_SERVICE, now=clock.now, replicated=False)
    node.renew(ONE, now=clock.now, replicated=False)
    status, renewal = sent(node, clock)
    common = Task(kind=Kind.STATUS_UPDATE, key=ONE, dirty_ms=100, status=Status.OUT_OF_SERVICE)
    assert status == common
    assert renewal == replace(common, kind=Kind.HEARTBEAT, override=Status.OUT_OF_SERVICE)

    node.remove_status(ONE, Status.UP, now=clock.now, replicated=False)
    assert sent(node, clock) == [
        replace(common, kind=Kind.DELETE_STATUS_OVERRIDE, status=Status.UP)
    ]

    node.set_metadata(ONE, {"a": "b"}, now=clock.now, replicated=False)
    (metadata,) = sent(node, clock)
    assert metadata.kind is Kind.REGISTER
    assert metadata.record is not None
    assert metadata.record.instance.metadata == {"a": "b"}

    node.cancel(ONE, now=clock.now, replicated=False)
    assert sent(node, clock) == [Task(kind=Kind.CANCEL, key=ONE)]


def test_nothing_replicated_is_sent_on(node: Node, clock: HandClock, build: Builder) -> None:
    """A peer's calls end here, metadata too."""
    node.register(build(), now=clock.now, replicated=True)
    node.renew(ONE, now=clock.now, replicated=True)
    node.set_status(ONE, Status.DOWN, now=clock.now, replicated=True)
    node.remove_status(ONE, Status.UP, now=clock.now, replicated=True)
    node.set_metadata(ONE, {"a": "b"}, now=clock.now, replicated=True)
    node.cancel(ONE, now=clock.now, replicated=True)

    assert sent(node, clock) == []


def test_a_refused_call_is_not_sent(node: Node, clock: HandClock) -> None:
    """What is unknown here is nothing to tell."""
    with pytest.raises(UnknownInstance):
        node.renew(ONE, now=clock.now, replicated=False)
    with pytest.raises(UnknownInstance):
        node.cancel(ONE, now=clock.now, replicated=False)

    assert sent(node, clock) == []


@pytest.mark.parametrize(("interval", "sent_lease_info", "life"), [(5, True, 5), (30, False, 90)])
def test_a_registration_is_true_until_the_next_renewal(
    node: Node,
    clock: HandClock,
    build: Builder,
    interval: int,
    sent_lease_info: bool,
    life: float,
) -> None:
    """It is sent until its age is the renewal interval, 90 s where no lease info was sent."""
    instance = build(renewal_interval=interval, sent_lease_info=sent_lease_info)
    node.register(instance, now=clock.now, replicated=False)
    batch = on_its_way(node, clock)

    node.peers.outboxes[PEER].broken(batch, now=clock.seconds)
    clock.passes(life - 0.6)
    assert node.peers.outboxes[PEER].take(now=clock.seconds) == batch

    node.peers.outboxes[PEER].broken(batch, now=clock.seconds)
    clock.passes(0.2)
    assert node.peers.outboxes[PEER].take(now=clock.seconds) is None


# Renewing by timestamps


@pytest.mark.parametrize(
    ("dirty_ms", "replicated", "status"),
    [
        (None, False, 200),
        (100, False, 200),
        (99, False, 200),
        (101, False, 404),
        (None, True, 200),
        (100, True, 200),
        (0, True, 409),
        (101, True, 404),
    ],
)
def test_the_timestamp_of_a_renewal_decides_its_answer(
    node: Node,
    clock: HandClock,
    build: Builder,
    dirty_ms: int | None,
    replicated: bool,
    status: int,
) -> None:
    """Newer: register; older from a peer: here is the newer record. The lease is renewed anyway."""
    node.register(build(), now=clock.now, replicated=False)
    clock.passes(10)

    answer = node.renew(ONE, now=clock.now, replicated=replicated, dirty_ms=dirty_ms)

    lease = node.registry.leases.find(ONE)
    assert lease is not None
    record = lease.record() if status == 409 else None
    assert answer == Answer(status, (), record)
    assert lease.expires_at == clock.seconds + 180


def test_a_renewal_of_a_newer_record_is_sent_with_the_stored_timestamp(
    node: Node, clock: HandClock, build: Builder
) -> None:
    """Though the client is told to register."""
    node.register(build(), now=clock.now, replicated=False)
    sent(node, clock)

    node.renew(ONE, now=clock.now, replicated=False, dirty_ms=999)

    assert [one.dirty_ms for one in sent(node, clock)] == [100]


def test_timestamps_are_not_compared_if_told_so(clock: HandClock, build: Builder) -> None:
    """With eureka.server.syncWhenTimestampDiffers off every renewal is fine."""
    node = Node(Policy(compare_timestamps=False), ReplicationPolicy())
    node.register(build(), now=clock.now, replicated=False)

    assert node.renew(ONE, now=clock.now, replicated=True, dirty_ms=999).status == 200


def test_a_peers_renewal_of_a_newer_record_leaves_its_override(
    node: Node, clock: HandClock, build: Builder
) -> None:
    """The override is stored, the status follows with the next renewal, lists know at once."""
    node.register(build(), now=clock.now, replicated=False)

    answer = node.renew(
        ONE, now=clock.now, replicated=True, dirty_ms=101, override=Status.OUT_OF_SERVICE
    )
    assert answer.status == 404
    assert [type(event) for event in answer.events] == [Changed]
    assert (held(node).status, held(node).overridden_status) == (
        Status.UP,
        Status.OUT_OF_SERVICE,
    )

    answer = node.renew(ONE, now=clock.now, replicated=False, dirty_ms=99)
    assert (answer.status, len(answer.events)) == (200, 1)
    assert held(node).status is Status.OUT_OF_SERVICE


def test_a_clients_renewal_brings_no_override(node: Node, clock: HandClock, build: Builder) -> None:
    """Only a peer may know of one."""
    node.register(build(), now=clock.now, replicated=False)

    node.renew(ONE, now=clock.now, replicated=False, dirty_ms=101, override=Status.DOWN)

    assert held(node).overridden_status is Status.UNKNOWN


def test_a_renewal_that_changes_the_status_says_so_whatever_its_timestamp(
    node: Node, clock: HandClock, build: Builder
) -> None:
    """The change travels with a plain 200 as with a 409."""
    for dirty_ms in (None, 99):
        node.register(build(), now=clock.now, replicated=True)
        node.registry.store_override(ONE, Status.DOWN, now=clock.now)

        answer = node.renew(ONE, now=clock.now, replicated=True, dirty_ms=dirty_ms)

        assert [type(event) for event in answer.events] == [Changed]
        node.cancel(ONE, now=clock.now, replicated=True)


# Healing


def test_a_peer_that_misses_a_renewed_instance_gets_it_registered(
    node: Node, clock: HandClock, build: Builder
) -> None:
    """At that peer only, within one batching delay."""
    node.register(build(), now=clock.now, replicated=True)
    node.renew(ONE, now=clock.now, replicated=False)
    batch = on_its_way(node, clock)

    assert node.peer_answered(PEER, batch, [PeerAnswer(404)], now=clock.now) == ()

    assert [one.kind for one in sent(node, clock)] == [Kind.REGISTER]
    assert [one.kind for one in sent(node, clock, OTHER)] == [Kind.HEARTBEAT]


def test_what_was_cancelled_meanwhile_is_not_healed(
    node: Node, clock: HandClock, build: Builder
) -> None:
    """Neither registered there nor adopted here."""
    node.register(build(), now=clock.now, replicated=True)
    node.renew(ONE, now=clock.now, replicated=False)
    batch = on_its_way(node, clock)
    node.cancel(ONE, now=clock.now, replicated=True)

    node.peer_answered(PEER, batch, [PeerAnswer(409, build(dirty_ms=500))], now=clock.now)

    assert node.registry.leases.find(ONE) is None
    assert sent(node, clock) == []


def test_a_newer_record_of_a_peer_is_adopted_with_its_override(
    node: Node, clock: HandClock, build: Builder
) -> None:
    """Data and override both, and nobody is told."""
    node.register(build(), now=clock.now, replicated=True)
    node.renew(ONE, now=clock.now, replicated=False)
    batch = on_its_way(node, clock)
    newer = build(dirty_ms=500, overridden_status=Status.OUT_OF_SERVICE, metadata={"a": "b"})

    events = node.peer_answered(PEER, batch, [PeerAnswer(409, newer)], now=clock.now)

    assert len(events) == 2
    found = held(node)
    assert (found.dirty_ms, found.metadata) == (500, {"a": "b"})
    assert (found.status, found.overridden_status) == (Status.OUT_OF_SERVICE,) * 2
    assert sent(node, clock) == []


@pytest.mark.parametrize(
    ("instance_id", "app", "dirty_ms"), [("1", "CART", 100), ("2", "CART", 500), ("1", "PAY", 500)]
)
def test_a_record_of_another_instance_or_an_older_one_is_not_adopted(
    node: Node, clock: HandClock, build: Builder, instance_id: str, app: str, dirty_ms: int
) -> None:
    """What a 409 brings has to be the instance that was asked about, and newer."""
    node.register(build(), now=clock.now, replicated=True)
    node.renew(ONE, now=clock.now, replicated=False)
    batch = on_its_way(node, clock)
    brought = build(instance_id, app, dirty_ms=dirty_ms, metadata={"a": "b"})

    assert node.peer_answered(PEER, batch, [PeerAnswer(409, brought)], now=clock.now) == ()
    assert held(node).metadata == {}
    assert len(node.registry.leases) == 1


def test_a_newer_record_without_override_is_one_change(
    node: Node, clock: HandClock, build: Builder
) -> None:
    """There is no override to store first."""
    node.register(build(), now=clock.now, replicated=True)
    node.renew(ONE, now=clock.now, replicated=False)
    batch = on_its_way(node, clock)

    newer = PeerAnswer(409, build(dirty_ms=500))
    assert len(node.peer_answered(PEER, batch, [newer], now=clock.now)) == 1


# Starting


def test_a_copy_gives_fresh_leases_and_keeps_everything_else(
    clock: HandClock, build: Builder
) -> None:
    """Statuses, overrides and metadata are the peer's."""
    node = Node(Policy(), ReplicationPolicy())
    copied = [
        build("1", status=Status.OUT_OF_SERVICE, overridden_status=Status.OUT_OF_SERVICE),
        build("2", status=Status.STARTING, metadata={"a": "b"}, duration=10),
        build("3", status=Status.UNKNOWN),
    ]

    node.copy(copied, now=clock.now)
    node.open(3, now=clock.now)

    found = [lease.instance for lease in node.registry.leases.by_app["CART"].values()]
    assert [(one.status, one.overridden_status, one.metadata) for one in found] == [
        (one.status, one.overridden_status, one.metadata) for one in copied
    ]
    lease = node.registry.leases.find(Key("CART", "2"))
    assert lease is not None
    assert lease.expires_at == clock.seconds + 10
    assert node.registry.preservation.clients == 3


def test_what_happened_here_meanwhile_is_newer_than_the_copy(
    clock: HandClock, build: Builder
) -> None:
    """A registration with the same or a newer timestamp stays, a cancelled one stays away."""
    node = Node(Policy(), ReplicationPolicy())
    node.register(build("1", metadata={"here": "yes"}), now=clock.now, replicated=False)
    node.register(build("2", dirty_ms=50), now=clock.now, replicated=True)
    with pytest.raises(UnknownInstance):
        node.cancel(Key("CART", "3"), now=clock.now, replicated=True)

    events = node.copy([build("1"), build("2"), build("3")], now=clock.now)

    assert [event.after.key.id for event in events if isinstance(event, Changed)] == ["2"]
    assert held(node).metadata == {"here": "yes"}
    node.open(0, now=clock.now)
    assert len(node.registry.leases) == 2
