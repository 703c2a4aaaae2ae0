"""Who is told of a change, and whom a node compares with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka.core.instance import Key, Record
from eureka.core.lease import Lease
from eureka.core.merge import DIALECT
from eureka.core.peers import Peers
from eureka.core.policy import ReplicationPolicy
from eureka.core.task import Kind, PeerAnswer, Task

if TYPE_CHECKING:
    from eureka.core.outbox import Batch
    from tests.eureka.conftest import Builder, HandClock

ONE = Key("CART", "1")
PEER = "http://b:8761/eureka/"
OTHER = "http://c:8761/eureka/"
CANCEL = Task(kind=Kind.CANCEL, key=ONE)


@pytest.fixture
def peers() -> Peers:
    """Return two peers of a node that is not open yet."""
    peers = Peers(ReplicationPolicy())
    peers.set([PEER, OTHER])
    return peers


def taken(peers: Peers, url: str = PEER, *, now: float) -> Batch:
    """Take a batch that must be due."""
    batch = peers.outboxes[url].take(now=now)
    assert batch is not None
    return batch


def test_every_peer_is_told(peers: Peers) -> None:
    """Each in its own time."""
    peers.tell(CANCEL, now=0.0)

    assert taken(peers, now=1).tasks == taken(peers, OTHER, now=2).tasks == (CANCEL,)


@pytest.mark.parametrize(("interval", "life"), [(5, 5), (300, 300)])
def test_a_registration_lives_as_its_instance_says(
    peers: Peers, build: Builder, interval: int, life: float
) -> None:
    """Until the next renewal; other changes live as the policy says."""
    record = Record(build(renewal_interval=interval), 0)
    peers.tell(Task(kind=Kind.REGISTER, key=ONE, record=record), now=0.0)
    peers.tell(CANCEL, now=0.0)

    kinds = [task.kind for task in taken(peers, now=life - 1).tasks]
    assert kinds == [Kind.REGISTER] * (life > 1) + [Kind.CANCEL] * (life - 1 < 30)
    assert peers.outboxes[OTHER].take(now=max(life, 30.0)) is None


def test_what_is_withdrawn_is_told_to_nobody(
    peers: Peers, build: Builder, clock: HandClock
) -> None:
    """Another node has told it."""
    peers.tell(CANCEL, now=0.0)

    peers.withdraw(ONE, Lease.of(build(), now=clock.now))

    assert [outbox.waiting for outbox in peers.outboxes.values()] == [0, 0]


def test_a_removed_peer_gets_nothing_and_a_kept_one_keeps_its_tasks(peers: Peers) -> None:
    """A changed list drops what waited for the removed one only; what that says means nothing."""
    peers.tell(Task(kind=Kind.HEARTBEAT, key=ONE), now=0.0)
    batch = taken(peers, now=1)

    peers.set([OTHER])

    assert list(peers.outboxes) == list(peers.rifts) == [OTHER]
    assert peers.answered(PEER, batch, [PeerAnswer(404)], now=2) == []
    assert peers.compares_at(PEER, now=2) is None
    assert len(taken(peers, OTHER, now=2).tasks) == 1


def test_a_peer_that_is_named_again_is_sent_new_numbers(peers: Peers) -> None:
    """It remembers the batches of before, and would take one of the same number for repeated."""
    peers.tell(CANCEL, now=0.0)
    before = taken(peers, now=1)

    peers.set(["http://nowhere:8761/eureka/"])
    peers.set([PEER, OTHER])
    peers.tell(CANCEL, now=2.0)

    assert taken(peers, now=3).number > before.number


def test_a_peer_that_is_named_after_opening_is_compared_with_at_once(peers: Peers) -> None:
    """What changed while it was no peer was told to nobody there; it must say that it can."""
    peers.open(now=10.0)
    peers.set([PEER, "late"])
    assert peers.compares_at("late", now=10.0) is None

    peers.tell(CANCEL, now=10.0)
    peers.answered("late", taken(peers, "late", now=11), [], now=11, dialect=DIALECT)

    due = peers.compares_at("late", now=11.0)
    assert due is not None
    assert due <= 11.0


def test_opening_is_a_cause_to_compare(peers: Peers) -> None:
    """With peers that are of our own kind: what was copied may be old."""
    peers.known_as = {"b": PEER}
    peers.heard("name@b", DIALECT)
    assert peers.compares_at(PEER, now=10.0) is None

    peers.open(now=10.0)

    assert peers.compares_at(PEER, now=10.0) is not None
    assert peers.compares_at(OTHER, now=10.0) is None


@pytest.mark.parametrize("sender", ["", "name@nowhere", "name@removed"])
def test_a_sender_that_is_no_peer_is_nobody(peers: Peers, sender: str) -> None:
    """Whatever it announces."""
    peers.known_as = {"removed": "http://removed:8761/eureka/"}

    peers.heard(sender, DIALECT)

    assert not any(rift.capable for rift in peers.rifts.values())
