"""One node of the simulated cluster: a registry core and its clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka.core.errors import RequestError
from eureka.core.event import Changed, Evicted
from eureka.core.inbox import Inbox
from eureka.core.instant import Instant
from eureka.core.node import Node
from eureka.core.policy import Policy, ReplicationPolicy
from eureka.core.status import Action
from tests.simulation.courier import TICK, Courier
from tests.simulation.record import Shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from eureka.core.event import Event
    from eureka.core.node import Answer
    from tests.simulation.record import View
    from tests.simulation.schedule import Schedule
    from tests.simulation.world import World

EPOCH_MS: Final = 1_796_040_000_000


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
            expected_renewal_interval=schedule.expected_renewal_interval,
            renewal_percent_threshold=schedule.renewal_percent_threshold,
            open_count=schedule.open_count,
            wait_when_sync_empty=0.0,
        )
        self.node = Node(policy, ReplicationPolicy(), f"{letter}{life}")
        self.inbox = Inbox(self.node)
        self.name = f"{self.node.revisions.node}@{letter}"
        self.couriers: dict[str, Courier] = {}
        self.name_peers(world.peers[letter])
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

    def name_peers(self, others: Sequence[str]) -> None:
        """Tell the node of its peers; what waits for one that is named no more is lost."""
        self.node.peers.set(others)
        self.node.peers.known_as = {other: other for other in self.node.peers.outboxes}
        for other in self.couriers.keys() - self.node.peers.outboxes.keys():
            self.couriers.pop(other).is_dismissed = True
        for other in self.node.peers.outboxes:
            self.couriers.setdefault(other, Courier(self, other))

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
