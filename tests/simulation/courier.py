"""Carries a node's tasks and comparisons to one peer: `eureka.server.peers` without sockets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka.core.comparison import Digest, Summary
from eureka.core.merge import DIALECT
from eureka.core.outbox import DELIVERED, NOT_FOUND, UNAVAILABLE
from eureka.core.task import Kind, PeerAnswer, TaskAnswer
from tests.simulation.record import Marked

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka.core.comparison import Reply
    from eureka.core.event import Event
    from eureka.core.outbox import Batch
    from eureka.core.task import Task
    from tests.simulation.station import Station

TICK: Final = 1e-6  # s; a moment is reached for certain, however floats were rounded
LATE: Final = 10  # read time-outs after which nobody waits for an answer any more, as in the server


class Courier:
    """
    Carries what one node has for another: `eureka.server.peers`, without sockets.

    A node may be told of a peer that is none; nobody listens there.
    """

    def __init__(self, sender: Station, to: str) -> None:
        self.is_dismissed = False
        self._sender = sender
        self._peers = sender.node.peers
        self.to = to
        self._link = f"{sender.letter}>{to}"
        self._planned: float | None = None
        self._planned_healing: float | None = None
        self._attempt = 0
        self._waits_for_late = False
        self._conversation: Conversation | None = None

    def look(self) -> None:
        """Plan the next delivery and the next comparison."""
        if self.is_dismissed:
            return
        sender = self._sender
        if self._peers.rifts[self.to].is_overtaken and self._conversation is not None:
            self._conversation.give_up()
        due = self._peers.outboxes[self.to].wakes_at()
        if due is not None and (self._planned is None or due < self._planned):
            self._planned = due
            self._at(due, self._deliver)
        compares = self._peers.compares_at(self.to, now=sender.now.monotonic)
        if compares is not None and (
            self._planned_healing is None or compares < self._planned_healing
        ):
            self._planned_healing = compares
            self._at(compares, self._compare)

    def _at(self, due: float, do: Callable[[float], None]) -> None:
        time = max(self._sender.world_time(due) + TICK, self._sender.world.time)
        self._sender.at(time, lambda: do(due))

    def _deliver(self, planned: float) -> None:
        if self._planned != planned or self.is_dismissed:
            return
        self._planned = None
        sender = self._sender
        batch = self._peers.outboxes[self.to].take(now=sender.now.monotonic)
        if batch is None:
            self.look()
            return
        self._attempt += 1
        attempt = self._attempt
        world = sender.world
        sender.at(world.time + sender.read_timeout, lambda: self._timed_out(batch, attempt))
        fate, delay = world.network.one_way(self._link)
        receiver = world.stations.get(self.to)
        if fate == "refused" or receiver is None or not receiver.alive:
            sender.at(world.time + delay, lambda: self._broken(batch, attempt))
        elif fate == "arrives" and world.network.lie(self._link) == "unavailable":
            world.network.lied(self._link)
            sender.at(world.time + delay, lambda: self._busy(batch, attempt))
        elif fate == "arrives":
            for _ in range(world.network.copies(self._link)):
                receiver.at(world.time + delay, lambda: self._arrives(receiver, batch, attempt))

    def _arrives(self, receiver: Station, batch: Batch, attempt: int) -> None:
        sender, world = self._sender, self._sender.world
        lie = world.network.lie(self._link)
        first = 1 if lie == "dropped" else 0
        if first:
            world.network.lied(self._link)
        told = batch.tasks[first:]
        answers: tuple[TaskAnswer, ...] = (TaskAnswer(DELIVERED),) * first
        if told:
            done = receiver.inbox.apply(
                told,
                now=receiver.now,
                sender=sender.name,
                batch=str(batch.number),
                dialect=DIALECT,
            )
            receiver.happened(done.events)
            receiver.nudge()
            answers += done.answers
        if lie == "unknown":
            answers = tuple(
                self._denied(task, one) for task, one in zip(told, answers, strict=True)
            )
        dialect = DIALECT if told else ""  # a liar that passes nothing on cannot announce anything
        fate, delay = world.network.one_way(self._link, "answers")
        if fate == "refused":
            sender.at(world.time + delay, lambda: self._broken(batch, attempt))
        elif fate == "arrives":
            sender.at(world.time + delay, lambda: self._answered(batch, attempt, answers, dialect))

    def _denied(self, task: Task, answer: TaskAnswer) -> TaskAnswer:
        if task.kind is not Kind.HEARTBEAT:
            return answer
        self._sender.world.network.lied(self._link)
        return TaskAnswer(NOT_FOUND)

    def _busy(self, batch: Batch, attempt: int) -> None:
        if attempt == self._attempt and not self.is_dismissed:
            self._attempt += 1
            now = self._sender.now.monotonic
            self._peers.outboxes[self.to].refused(batch, UNAVAILABLE, now=now)
            self.look()

    def _answered(
        self, batch: Batch, attempt: int, answers: tuple[TaskAnswer, ...], dialect: str
    ) -> None:
        if self.is_dismissed:
            return
        sender = self._sender
        if attempt == self._attempt:
            self._attempt += 1  # no time-out any more
        elif not self._waits_for_late:
            return
        self._waits_for_late = False
        said = [
            PeerAnswer(one.status, one.record.instance if one.record else None) for one in answers
        ]
        events = sender.node.peer_answered(self.to, batch, said, now=sender.now, dialect=dialect)
        sender.happened(events)
        self.look()

    def _broken(self, batch: Batch, attempt: int) -> None:
        if attempt == self._attempt and not self.is_dismissed:
            self._attempt += 1
            self._peers.outboxes[self.to].broken(batch, now=self._sender.now.monotonic)
            self.look()

    def _timed_out(self, batch: Batch, attempt: int) -> None:
        if attempt == self._attempt and not self.is_dismissed:
            self._waits_for_late = True
            self._attempt += 1
            self._peers.outboxes[self.to].timed_out(batch, now=self._sender.now.monotonic)
            self.look()

    # Comparisons

    def _compare(self, planned: float) -> None:
        if self._planned_healing != planned or self.is_dismissed:
            return
        self._planned_healing = None
        due = self._peers.compares_at(self.to, now=self._sender.now.monotonic)
        if due is None or due > self._sender.now.monotonic:
            self.look()
            return
        self._peers.rifts[self.to].begin()
        self._conversation = Conversation(self._sender, self)
        self._conversation.ask()


class Conversation:
    """One comparison of two nodes, question by question."""

    def __init__(self, sender: Station, courier: Courier) -> None:
        self._sender = sender
        self._courier = courier
        self._to = courier.to
        self._link = f"{sender.letter}>{courier.to}"
        self._happened: list[Event] = []
        node = sender.node
        self._steps = node.healer.compare(Summary(node.registry.leases), self._happened)
        self._question = next(self._steps)
        self._number = 0

    def ask(self) -> None:
        """Send the question; give up when no answer comes."""
        sender, world = self._sender, self._sender.world
        self._number += 1
        number = self._number
        sender.at(world.time + LATE * sender.read_timeout, lambda: self._failed(number))
        fate, delay = world.network.one_way(self._link)
        receiver = world.stations.get(self._to)
        if fate == "arrives" and receiver is not None and receiver.alive:
            receiver.at(world.time + delay, lambda: self._arrives(receiver, number))

    def _arrives(self, receiver: Station, number: int) -> None:
        question = self._question
        reply: Reply
        if isinstance(question, Digest):
            own = Summary(receiver.node.registry.leases)
            reply = receiver.node.healer.holdings(question, own, now=receiver.now)
        else:
            assert question is not None
            reply, events = receiver.node.exchange(question, now=receiver.now)
            receiver.happened(events)
            receiver.nudge()
        world = self._sender.world
        fate, delay = world.network.one_way(self._link, "answers")
        if fate == "arrives":
            self._sender.at(world.time + delay, lambda: self._answered(reply, number))

    def _answered(self, reply: Reply, number: int) -> None:
        if number != self._number or self._courier.is_dismissed:
            return
        sender = self._sender
        try:
            self._question = self._steps.send((reply, sender.now))
            while self._question is None:
                self._question = self._steps.send((reply, sender.now))
        except StopIteration as end:
            self._number += 1
            self._took()
            sender.node.peers.rifts[self._to].ended(changed=end.value, now=sender.now.monotonic)
            if end.value:
                said = f"{len(end.value)} records with {self._to}"
                mark = Marked(at=sender.world.time, node=sender.letter, name="healed", said=said)
                sender.world.record.append(mark)
            sender.nudge()
        else:
            self._took()
            self.ask()

    def give_up(self) -> None:
        """Wait for no answer any more."""
        self._failed(self._number)

    def _failed(self, number: int) -> None:
        if number == self._number and not self._courier.is_dismissed:
            self._number += 1
            self._sender.node.peers.rifts[self._to].failed(now=self._sender.now.monotonic)
            self._sender.nudge()

    def _took(self) -> None:
        self._sender.happened(self._happened)
        self._sender.node.healed(self._happened, now=self._sender.now)
        self._happened.clear()
