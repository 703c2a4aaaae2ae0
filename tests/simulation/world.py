"""Plays a schedule: one queue of what happens next, and a clock that jumps from one to the next."""

from __future__ import annotations

import heapq
import random
from itertools import count
from typing import TYPE_CHECKING, Final

from eureka.core.status import Status
from tests.simulation.client import Client
from tests.simulation.network import Network
from tests.simulation.record import Called, Marked, Sampled
from tests.simulation.station import Station

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.record import Recorder
    from tests.simulation.schedule import Call, Fault, Schedule


MOST_EVENTS: Final = 100_000
"""A run has some 5,000; far more mean that something asks for itself again and again."""


class Restless(Exception):  # noqa: N818 - reads as the statement it is
    """A world in which time does not pass."""


class World:
    """A cluster, its network and its clients."""

    def __init__(self, schedule: Schedule, record: Recorder) -> None:
        self.schedule = schedule
        self.record = record
        self.time = 0.0
        self.chance = random.Random(f"world/{schedule.seed}")
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()
        self._lives = count(1)
        self.network = Network(schedule.delay, self.chance)
        self.peers: dict[str, tuple[str, ...]] = {
            letter: tuple(other for other in schedule.nodes if other != letter)
            for letter in schedule.nodes
        }
        """Which peers a node is told of, now or when it starts again."""
        self.stations = {letter: self._station(letter) for letter in schedule.nodes}
        for station in self.stations.values():
            station.open(0)
        self.clients = {member.id: Client(member, self) for member in schedule.members}
        for call in schedule.calls:
            self._plan(call)
        for fault in schedule.faults:
            self._break(fault)

    def at(self, time: float, do: Callable[[], None]) -> None:
        """Do something then; of equal times the one that was asked for first."""
        heapq.heappush(self._queue, (time, next(self._numbers), do))

    def run(self, until: float) -> None:
        """Let everything happen that happens until then."""
        for _ in range(MOST_EVENTS):
            if not self._queue or self._queue[0][0] > until:
                break
            self.time, _, do = heapq.heappop(self._queue)
            do()
        else:
            raise Restless(f"seed {self.schedule.seed}: {MOST_EVENTS} events by {self.time:.3f} s")
        self.time = until

    def sample(self) -> None:
        """Write down what each node holds."""
        for letter, station in self.stations.items():
            if station.answers:
                self.record.append(Sampled(at=self.time, node=letter, view=station.view()))

    def _station(self, letter: str) -> Station:
        return Station(letter, next(self._lives), self, self.schedule)

    # Calls of operators

    def _plan(self, call: Call) -> None:
        self.at(call.at, lambda: self._call(call))

    def _call(self, call: Call) -> None:
        client = self.clients[call.instance]
        station = self.stations[call.node]
        if client.gone or not station.answers:
            return
        if call.verb == "register-again":
            client.change(call.value)
            return
        node, key, now = station.node, client.key, station.now
        if call.verb == "status":
            status, changed = station.call(
                lambda: node.set_status(key, Status(call.value), now=now, replicated=False)
            )
        elif call.verb == "remove-status":
            status, changed = station.call(
                lambda: node.remove_status(key, Status(call.value), now=now, replicated=False)
            )
        else:
            status, changed = station.call(
                lambda: node.set_metadata(
                    key, {"of-operator": call.value}, now=now, replicated=False
                )
            )
        lease = node.registry.leases.find(key)
        self.record.append(
            Called(
                at=self.time,
                node=call.node,
                verb=call.verb,
                instance=call.instance,
                status=status,
                changed=changed,
                override=lease.instance.overridden_status.value if lease else "",
            )
        )

    # Faults

    def _break(self, fault: Fault) -> None:
        begin: Callable[[], None]
        end: Callable[[], None]
        if fault.links:
            begin, end = lambda: self.network.breaks(fault), lambda: self.network.heals(fault)
        elif fault.kind == "pause":
            begin, end = lambda: self.pause(fault.node), lambda: self.resume(fault.node)
        elif fault.kind == "restart":
            begin, end = lambda: self.kill(fault.node), lambda: self.start(fault.node)
        else:
            begin, end = lambda: self._step(fault), lambda: None
        self.at(fault.begins, lambda: self._note(fault, "begins", begin))
        self.at(fault.ends, lambda: self._note(fault, "ends", end))

    def _note(self, fault: Fault, name: str, do: Callable[[], None]) -> None:
        said = f"{fault.kind} {','.join(fault.links)} {fault.amount or ''}".strip()
        self.record.append(Marked(at=self.time, node=fault.node, name=name, said=said))
        do()

    def pause(self, letter: str) -> None:
        """Let a node stand still."""
        self.stations[letter].paused = True

    def resume(self, letter: str) -> None:
        """Let it go on."""
        self.stations[letter].resume()

    def _step(self, fault: Fault) -> None:
        self.stations[fault.node].wall_offset_ms += round(fault.amount * 1000)

    def name_peers(self, letter: str, others: tuple[str, ...]) -> None:
        """Tell a node of other peers than before."""
        self.peers[letter] = others
        station = self.stations[letter]
        station.name_peers(others)
        station.nudge()

    def kill(self, letter: str) -> None:
        """End a node at once, with all it still had to tell."""
        self.stations[letter].alive = False

    def start(self, letter: str) -> None:
        """Start a killed node anew: it copies what the first peer that answers has, and opens."""
        if self.stations[letter].alive:  # two restarts that overlap end as one
            return
        station = self.stations[letter] = self._station(letter)
        copied = 0
        for other, peer in self.stations.items() if self.schedule.copies else ():
            if other != letter and peer.answers and self.network.passes(f"{letter}>{other}"):
                instances = [lease.instance for lease in peer.node.registry.leases]
                events = station.node.copy(instances, now=station.now)
                station.happened(events)
                copied = len(events)
                break
        station.open(copied)
