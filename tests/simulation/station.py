"""One node of the simulated cluster: a registry core, its clocks, and what carries its tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka.core.comparison import Digest, Summary
from eureka.core.errors import RequestError
from eureka.core.event import Changed, Evicted
from eureka.core.instant import Instant
from eureka.core.merge import DIALECT
from eureka.core.node import Node
from eureka.core.policy import Policy, ReplicationPolicy
from eureka.core.status import Action
from eureka.core.task import PeerAnswer
from tests.simulation.record import Marked, Shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from eureka.core.comparison import Reply
    from eureka.core.event import Event
    from eureka.core.node import Answer
    from eureka.core.outbox import Batch
    from eureka.core.task import TaskAnswer
    from tests.simulation.record import View
    from tests.simulation.schedule import Schedule
    from tests.simulation.world import World

EPOCH_MS: Final = 1_796_040_000_000
TICK: Final = 1e-6  # s; a moment is reached for certain, however floats were rounded
LATE: Final = 10  # read time-outs after which nobody waits for an answer any more, as in the server


class Station:
    """A node, from one start to its end; a restart makes another one."""

    def __init__(self, letter: str, life: int, world: World, schedule: Schedule) -> None:
        self.letter = letter
        self.world = world
        self.alive = True
        self.paused = False
        self._held_back: list[Callable[[], None]] = []
        self._started = world.time - 1000.0 * (ord(letter) - ord("a"))  # no two clocks agree
        self.wall_offset_ms = 0
        self.read_timeout = schedule.read_timeout
        policy = Policy(
            self_preservation=schedule.self_preservation,
            eviction_interval=schedule.eviction_interval,
            expected_renewal_interval=10,
            open_count=0,
            wait_when_sync_empty=0.0,
        )
        self.node = Node(policy, ReplicationPolicy(), f"{letter}{life}")
        self.name = f"{self.node.revisions.node}@{letter}"
        self.node.set_peers([other for other in schedule.nodes if other != letter])
        self.node.known_as = {other: other for other in self.node.outboxes}
        self.couriers = {other: Courier(self, other) for other in self.node.outboxes}
        self._tick_at: float | None = None

    @property
    def now(self) -> Instant:
        """The present moment by this node's clocks."""
        time = self.world.time
        return Instant(time - self._started, EPOCH_MS + round(time * 1000) + self.wall_offset_ms)

    @property
    def answers(self) -> bool:
        """Whether a client that asks now gets an answer."""
        return self.alive and not self.paused

    def world_time(self, monotonic: float) -> float:
        """Return when this node's clock shows that."""
        return monotonic + self._started

    def at(self, time: float, do: Callable[[], None]) -> None:
        """Do something here then: later if the node is stopped, never if it is gone."""
        self.world.at(time, lambda: self._do(do))

    def _do(self, do: Callable[[], None]) -> None:
        if not self.alive:
            return
        if self.paused:
            self._held_back.append(do)
        else:
            do()

    def resume(self) -> None:
        """Go on: what was held back happens now."""
        self.paused = False
        held_back, self._held_back = self._held_back, []
        for do in held_back:
            self._do(do)

    def open(self, copied: int) -> None:
        """Open, and let time do its work."""
        self.node.open(copied, now=self.now)
        self._plan_tick()

    def _plan_tick(self) -> None:
        due = self.node.next_deadline()
        if due is not None:
            self._tick_at = self.world_time(due) + TICK
            self.at(self._tick_at, self._tick)

    def _tick(self) -> None:
        self.happened(self.node.tick(now=self.now, rng=self.world.chance))
        self._plan_tick()

    def call(self, do: Callable[[], Answer]) -> tuple[int, bool]:
        """Let a client call; return the HTTP status and whether lists changed."""
        try:
            answer = do()
        except RequestError as refusal:
            return refusal.status, False
        self.happened(answer.events)
        self.nudge()
        return answer.status, bool(answer.events)

    def happened(self, events: Iterable[Event]) -> None:
        """Write down who came and went."""
        evicted = {event.instance.key for event in events if isinstance(event, Evicted)}
        for event in events:
            if not isinstance(event, Changed):
                continue
            left = event.after.action is Action.DELETED
            if left or event.before is None:
                key = event.after.key
                self.world.record.append(
                    Shown(
                        at=self.world.time,
                        node=self.letter,
                        instance=key.id,
                        present=not left,
                        evicted=key in evicted,
                    )
                )

    def nudge(self) -> None:
        """Let the couriers look: there may be tasks."""
        for courier in self.couriers.values():
            courier.look()

    def view(self) -> View:
        """Return what it holds, as far as nodes have to agree about it."""
        return {
            lease.instance.key.id: (
                lease.instance.status.value,
                lease.instance.overridden_status.value,
                lease.instance.dirty_ms,
                repr(sorted(lease.instance.metadata.items())),
            )
            for lease in self.node.registry.leases
        }


class Courier:
    """Carries what one node has for another: `eureka.server.peers`, without sockets."""

    def __init__(self, sender: Station, to: str) -> None:
        self._sender = sender
        self._to = to
        self._link = f"{sender.letter}>{to}"
        self._planned: float | None = None
        self._planned_healing: float | None = None
        self._attempt = 0
        self._waits_for_late = False

    def look(self) -> None:
        """Plan the next delivery and the next comparison."""
        sender = self._sender
        due = sender.node.outboxes[self._to].wakes_at()
        if due is not None and (self._planned is None or due < self._planned):
            self._planned = due
            self._at(due, self._deliver)
        compares = sender.node.compares_at(self._to, now=sender.now.monotonic)
        if compares is not None and (
            self._planned_healing is None or compares < self._planned_healing
        ):
            self._planned_healing = compares
            self._at(compares, self._compare)

    def _at(self, due: float, do: Callable[[float], None]) -> None:
        time = max(self._sender.world_time(due) + TICK, self._sender.world.time)
        self._sender.at(time, lambda: do(due))

    def _deliver(self, planned: float) -> None:
        if self._planned != planned:
            return
        self._planned = None
        sender = self._sender
        batch = sender.node.outboxes[self._to].take(now=sender.now.monotonic)
        if batch is None:
            self.look()
            return
        self._attempt += 1
        attempt = self._attempt
        world = sender.world
        sender.at(world.time + sender.read_timeout, lambda: self._timed_out(batch, attempt))
        fate, delay = world.network.one_way(self._link)
        receiver = world.stations[self._to]
        if fate == "refused" or not receiver.alive:
            sender.at(world.time + delay, lambda: self._broken(batch, attempt))
        elif fate == "arrives":
            for _ in range(world.network.copies(self._link)):
                receiver.at(world.time + delay, lambda: self._arrives(receiver, batch, attempt))

    def _arrives(self, receiver: Station, batch: Batch, attempt: int) -> None:
        sender = self._sender
        done = receiver.node.apply_batch(
            batch.tasks,
            now=receiver.now,
            sender=sender.name,
            batch=str(batch.number),
            dialect=DIALECT,
        )
        receiver.happened(done.events)
        receiver.nudge()
        world = sender.world
        fate, delay = world.network.one_way(self._link)
        if fate == "refused":
            sender.at(world.time + delay, lambda: self._broken(batch, attempt))
        elif fate == "arrives":
            sender.at(world.time + delay, lambda: self._answered(batch, attempt, done.answers))

    def _answered(self, batch: Batch, attempt: int, answers: tuple[TaskAnswer, ...]) -> None:
        sender = self._sender
        if attempt == self._attempt:
            self._attempt += 1  # no time-out any more
        elif not self._waits_for_late:
            return
        self._waits_for_late = False
        said = [
            PeerAnswer(one.status, one.record.instance if one.record else None) for one in answers
        ]
        events = sender.node.peer_answered(self._to, batch, said, now=sender.now, dialect=DIALECT)
        sender.happened(events)
        self.look()

    def _broken(self, batch: Batch, attempt: int) -> None:
        if attempt == self._attempt:
            self._attempt += 1
            self._sender.node.outboxes[self._to].broken(batch, now=self._sender.now.monotonic)
            self.look()

    def _timed_out(self, batch: Batch, attempt: int) -> None:
        if attempt == self._attempt:
            self._waits_for_late = True
            self._attempt += 1
            self._sender.node.outboxes[self._to].timed_out(batch, now=self._sender.now.monotonic)
            self.look()

    # Comparisons

    def _compare(self, planned: float) -> None:
        if self._planned_healing != planned:
            return
        self._planned_healing = None
        node = self._sender.node
        due = node.compares_at(self._to, now=self._sender.now.monotonic)
        if due is None or due > self._sender.now.monotonic:
            self.look()
            return
        node.rifts[self._to].begin()
        Conversation(self._sender, self._to).ask()


class Conversation:
    """One comparison of two nodes, question by question."""

    def __init__(self, sender: Station, to: str) -> None:
        self._sender = sender
        self._to = to
        self._link = f"{sender.letter}>{to}"
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
        receiver = world.stations[self._to]
        if fate == "arrives" and receiver.alive:
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
        fate, delay = world.network.one_way(self._link)
        if fate == "arrives":
            self._sender.at(world.time + delay, lambda: self._answered(reply, number))

    def _answered(self, reply: Reply, number: int) -> None:
        if number != self._number:
            return
        sender = self._sender
        try:
            self._question = self._steps.send((reply, sender.now))
            while self._question is None:
                self._question = self._steps.send((reply, sender.now))
        except StopIteration as end:
            self._number += 1
            self._took()
            sender.node.rifts[self._to].ended(changed=end.value, now=sender.now.monotonic)
            if end.value:
                said = f"{len(end.value)} records with {self._to}"
                mark = Marked(at=sender.world.time, node=sender.letter, name="healed", said=said)
                sender.world.record.append(mark)
            sender.nudge()
        else:
            self._took()
            self.ask()

    def _failed(self, number: int) -> None:
        if number == self._number:
            self._number += 1
            self._sender.node.rifts[self._to].failed(now=self._sender.now.monotonic)
            self._sender.nudge()

    def _took(self) -> None:
        self._sender.happened(self._happened)
        self._sender.node.healed(self._happened, now=self._sender.now)
        self._happened.clear()
