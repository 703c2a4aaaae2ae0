"""Two nodes compare all they hold: what each learns, and what neither may."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka.core import healing
from eureka.core.comparison import Digest, Summary
from eureka.core.instance import Key
from eureka.core.instant import Instant
from eureka.core.node import Node
from eureka.core.policy import Policy, ReplicationPolicy
from eureka.core.status import Status

if TYPE_CHECKING:
    from eureka.core.comparison import Reply
    from eureka.core.event import Event
    from tests.eureka.conftest import Builder

ONE = Key("CART", "1")


class Two:
    """Two nodes that hear nothing of each other but by comparing; their monotonic clocks differ."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.a = Node(Policy(open_count=1000, self_preservation=False), ReplicationPolicy(), "a")
        self.b = Node(Policy(open_count=1000, self_preservation=False), ReplicationPolicy(), "b")
        for node in (self.a, self.b):
            node.open(0, now=self.now(node))

    def now(self, node: Node) -> Instant:
        """Return the present moment by a node's clocks."""
        own = self.seconds + (500 if node is self.b else 0)
        return Instant(own, round(self.seconds * 1000))

    def compare(self) -> int:
        """Let a compare with b; return how many records changed."""
        happened: list[Event] = []
        steps = self.a.healer.compare(Summary(self.a.registry.leases), happened)
        question = next(steps)
        while True:
            reply: Reply
            if isinstance(question, Digest):
                own = Summary(self.b.registry.leases)
                reply = self.b.healer.holdings(question, own, now=self.now(self.b))
            else:
                assert question is not None
                reply, _ = self.b.exchange(question, now=self.now(self.b))
            try:
                question = steps.send((reply, self.now(self.a)))
                while question is None:  # the turn of others, who are none
                    question = steps.send((reply, self.now(self.a)))
            except StopIteration as end:
                return len(end.value)

    def call(self, node: Node, verb: str, *arguments: object, key: Key = ONE) -> None:
        """Make a client's call at one node."""
        getattr(node, verb)(key, *arguments, now=self.now(node), replicated=False)

    def shown(self, node: Node, key: Key = ONE) -> tuple[object, ...] | None:
        """Return what a node holds of an instance."""
        lease = node.registry.leases.find(key)
        if lease is None:
            return None
        instance = lease.instance
        return instance.status, instance.overridden_status, dict(instance.metadata)


@pytest.fixture
def two(build: Builder) -> Two:
    """Return two nodes that both hold one instance."""
    pair = Two()
    for node in (pair.a, pair.b):
        node.register(build(), now=pair.now(node), replicated=True)
    return pair


def test_nodes_that_agree_exchange_a_digest_and_no_more(two: Two) -> None:
    """Nothing changed, and nothing was asked for."""
    steps = two.a.healer.compare(Summary(two.a.registry.leases), [])
    question = next(steps)
    assert isinstance(question, Digest)

    own = Summary(two.b.registry.leases)
    reply = two.b.healer.holdings(question, own, now=two.now(two.b))

    assert (reply.buckets, reply.entries, reply.gone) == ([], [], [])
    assert two.compare() == 0


@pytest.mark.parametrize("at", ["a", "b"])
def test_a_lost_override_is_made_up_for(two: Two, at: str) -> None:
    """Whichever side asks (CLUSTER-09)."""
    two.call(getattr(two, at), "set_status", Status.OUT_OF_SERVICE)

    assert two.compare() > 0

    expected: object = (Status.OUT_OF_SERVICE, Status.OUT_OF_SERVICE, {})
    assert (two.shown(two.a), two.shown(two.b)) == (expected, expected)
    assert two.compare() == 0


def test_different_overrides_end_as_the_later_one(two: Two) -> None:
    """Both sides know when theirs was set (CLUSTER-10)."""
    two.call(two.a, "set_status", Status.DOWN)
    two.seconds += 5
    two.call(two.b, "set_status", Status.OUT_OF_SERVICE)

    two.compare()

    expected: object = (Status.OUT_OF_SERVICE, Status.OUT_OF_SERVICE, {})
    assert (two.shown(two.a), two.shown(two.b)) == (expected, expected)


def test_lost_metadata_are_made_up_for(two: Two) -> None:
    """T is the same at both (CLUSTER-09)."""
    two.call(two.b, "set_metadata", {"a": "b"})

    two.compare()

    expected: object = (Status.UP, Status.UNKNOWN, {"a": "b"})
    assert (two.shown(two.a), two.shown(two.b)) == (expected, expected)


@pytest.mark.parametrize("at", ["a", "b"])
def test_a_lost_cancellation_is_carried_out(two: Two, at: str) -> None:
    """Who still holds the record and has not heard of it since holds a ghost."""
    two.seconds += 5
    two.call(getattr(two, at), "cancel")

    two.seconds += 60
    two.compare()

    assert (two.shown(two.a), two.shown(two.b)) == (None, None)


def test_an_instance_that_renewed_since_its_cancellation_is_alive(two: Two) -> None:
    """It stays where it renews, and comes back elsewhere by its next renewal."""
    two.call(two.a, "cancel")
    two.seconds += 5
    two.call(two.b, "renew")

    two.compare()

    assert two.shown(two.b) is not None
    assert two.shown(two.a) is None


def test_a_record_that_travels_keeps_its_age(two: Two, build: Builder) -> None:
    """Nobody lives longer because nodes talk about it."""
    key = Key("CART", "2")
    two.b.register(build("2", duration=30), now=two.now(two.b), replicated=True)
    two.seconds += 10
    two.call(two.b, "renew", key=key)
    two.seconds += 20

    assert two.compare() == 1

    there = two.b.registry.leases.held(key)
    here = two.a.registry.leases.held(key)
    left = there.expires_at - two.now(two.b).monotonic
    assert left == pytest.approx(40)
    assert here.expires_at - two.now(two.a).monotonic == pytest.approx(left)
    assert here.heard_at == pytest.approx(two.now(two.a).monotonic - 20)


def test_an_overdue_record_does_not_travel(two: Two, build: Builder) -> None:
    """It may be kept there by self-preservation alone."""
    two.b.register(build("2", duration=30), now=two.now(two.b), replicated=True)
    two.seconds += 31

    assert two.compare() == 0
    assert two.shown(two.a, Key("CART", "2")) is None


def test_a_record_that_was_evicted_comes_back_only_if_it_was_heard_of_since(
    two: Two, build: Builder
) -> None:
    """An eviction is silence; who heard of it later knows better."""
    key = Key("CART", "2")
    two.b.register(build("2"), now=two.now(two.b), replicated=True)
    two.seconds += 10
    two.a.departures.evicted(key, now=two.now(two.a).monotonic)
    assert two.compare() == 0

    two.seconds += 1
    two.call(two.b, "renew", key=key)

    assert two.compare() == 1
    assert two.shown(two.a, key) is not None


def test_thousands_that_are_missing_travel_in_messages_of_250(two: Two, build: Builder) -> None:
    """And all of them arrive."""
    for number in range(1000):
        two.b.register(build(str(number + 2)), now=two.now(two.b), replicated=True)

    assert two.compare() == 1000
    assert len(two.a.registry.leases) == 1001
    assert two.compare() == 0


def test_no_override_of_before_a_cancellation_comes_back(two: Two, build: Builder) -> None:
    """Cancelled and registered again, it is UP everywhere (CANCEL-03)."""
    for node in (two.a, two.b):
        two.call(node, "set_status", Status.OUT_OF_SERVICE)
    two.seconds += 5
    two.call(two.a, "cancel")
    two.seconds += 5
    two.a.register(build(dirty_ms=200), now=two.now(two.a), replicated=False)

    two.compare()

    expected: object = (Status.UP, Status.UNKNOWN, {})
    assert (two.shown(two.a), two.shown(two.b)) == (expected, expected)


def test_many_records_are_looked_at_in_turns(
    two: Two, build: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others are served in between, and all of them arrive."""
    monkeypatch.setattr(healing, "_AT_ONCE", 2)
    for number in range(2, 8):
        two.a.register(build(str(number)), now=two.now(two.a), replicated=True)
    steps = two.a.healer.compare(Summary(two.a.registry.leases), [])
    asked = next(steps)
    assert isinstance(asked, Digest)
    reply = two.b.healer.holdings(asked, Summary(two.b.registry.leases), now=two.now(two.b))

    turns = [steps.send((reply, two.now(two.a))) for _ in range(3)]

    assert turns[:2] == [None, None]
    assert two.compare() == 6
    assert len(two.b.registry.leases) == 7
