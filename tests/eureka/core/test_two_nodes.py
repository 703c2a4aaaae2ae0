"""Any client calls at one node, over a link that fails: the peer ends as the node ended."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from eureka.core.errors import RequestError
from eureka.core.inbox import Inbox
from eureka.core.instance import DataCenter, Instance, Key
from eureka.core.instant import Instant
from eureka.core.node import Node
from eureka.core.policy import Policy, ReplicationPolicy
from eureka.core.status import Status
from eureka.core.task import PeerAnswer

if TYPE_CHECKING:
    from eureka.core.outbox import Batch

URL = "b"
CALLS = st.lists(
    st.tuples(
        st.sampled_from(["register", "renew", "cancel", "set", "remove", "metadata"]),
        st.sampled_from(["1", "2"]),
        st.sampled_from([0.0, 0.1, 0.3, 0.7]),
    ),
    min_size=1,
    max_size=25,
)


class Pair:
    """A node, its peer, and the link between them."""

    def __init__(self, failures: Random, share: float) -> None:
        self.seconds = 0.0
        self.failures = failures
        self.share = share
        policy = Policy(open_count=1000)
        self.a = Node(policy, ReplicationPolicy())
        self.b = Node(policy, ReplicationPolicy())
        self.inbox = Inbox(self.b)
        self.a.peers.set([URL])
        for node in (self.a, self.b):
            node.open(0, now=self.now)
        self.registrations = 0

    @property
    def now(self) -> Instant:
        """The present moment, the same at both nodes."""
        return Instant(self.seconds, round(self.seconds * 1000))

    def call(self, operation: str, name: str) -> None:
        """Make one client call at a; what it refuses has changed nothing."""
        key = Key("CART", name)
        try:
            if operation == "register":
                self.registrations += 1
                self.a.register(self.instance(key), now=self.now, replicated=False)
            elif operation == "renew":
                self.a.renew(key, now=self.now, replicated=False)
            elif operation == "cancel":
                self.a.cancel(key, now=self.now, replicated=False)
            elif operation == "set":
                status = Status.OUT_OF_SERVICE
                self.a.set_status(key, status, now=self.now, replicated=False)
            elif operation == "remove":
                self.a.remove_status(key, Status.UP, now=self.now, replicated=False)
            else:
                added = {str(self.seconds): "x"}
                self.a.set_metadata(key, added, now=self.now, replicated=False)
        except RequestError:
            pass

    def instance(self, key: Key) -> Instance:
        """Return an instance newer than any before."""
        return Instance(
            key=key,
            host_name="h",
            ip_address="i",
            data_center=DataCenter("MyOwn"),
            metadata={},
            dirty_ms=self.registrations,
        )

    def pass_time(self, seconds: float) -> None:
        """Let time pass in small steps, moving what is due."""
        end = self.seconds + seconds
        while self.seconds < end:
            self.seconds = min(self.seconds + 0.05, end)
            batch = self.a.peers.outboxes[URL].take(now=self.seconds)
            if batch is not None:
                self.carry(batch)

    def carry(self, batch: Batch) -> None:
        """Bring a batch to b; the request or the answer may be lost on the way."""
        outbox = self.a.peers.outboxes[URL]
        if self.failures.random() < self.share / 2:
            outbox.broken(batch, now=self.seconds)
            return
        done = self.inbox.apply(batch.tasks, now=self.now, sender="a", batch=str(batch.number))
        if self.failures.random() < self.share / 2:
            outbox.timed_out(batch, now=self.seconds)
            return
        answers = [
            PeerAnswer(one.status, one.record.instance if one.record else None)
            for one in done.answers
        ]
        self.a.peer_answered(URL, batch, answers, now=self.now)

    def view(self, node: Node) -> dict[Key, tuple[object, ...]]:
        """Return what nodes have to agree about."""
        return {
            lease.instance.key: (
                lease.instance.status,
                lease.instance.overridden_status,
                lease.instance.dirty_ms,
                lease.instance.metadata,
            )
            for leases in node.registry.leases.by_app.values()
            for lease in leases.values()
        }


@settings(max_examples=200, deadline=None, derandomize=True)
@given(calls=CALLS, seed=st.integers(0, 99), share=st.sampled_from([0.0, 0.3]))
def test_the_peer_ends_as_the_node_ended(
    calls: list[tuple[str, str, float]], seed: int, share: float
) -> None:
    """However close together the calls come, and whatever the link loses, the nodes agree."""
    pair = Pair(Random(seed), share)

    for operation, name, pause in calls:
        pair.call(operation, name)
        pair.pass_time(pause)
    pair.share = 0.0
    pair.pass_time(5)

    assert pair.view(pair.b) == pair.view(pair.a)
    assert pair.a.peers.outboxes[URL].waiting == 0
