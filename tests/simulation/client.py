"""The clients: each keeps one instance registered, as a sensible Eureka client does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka.core.instance import DataCenter, Instance, Key
from tests.simulation.record import Called
from tests.simulation.station import EPOCH_MS

if TYPE_CHECKING:
    from tests.simulation.schedule import Member
    from tests.simulation.station import Station
    from tests.simulation.world import World

APP: Final = "SIM"


class Client:
    """One instance's own client; its T rises with every change of its own."""

    def __init__(self, member: Member, world: World) -> None:
        self.member = member
        self.key = Key(APP, member.id)
        self.dirty_ms = 0
        self.metadata: dict[str, str] = {}
        self.gone = False
        self._world = world
        self._registered = False
        world.at(member.joins, self._beat)
        if member.leaving != "stays":
            world.at(member.leaves, self._leave)

    def change(self, value: str) -> None:
        """Register again, with other metadata."""
        if self._registered and not self.gone:
            self.metadata = {"of-client": value}
            self._registered = False
            self._register()

    def _beat(self) -> None:
        if self.gone:
            return
        if self._registered:
            self._renew()
        else:
            self._register()
        self._world.at(self._world.time + self.member.interval, self._beat)

    def _server(self) -> Station | None:
        """Return its home, or the next that answers."""
        nodes = self._world.schedule.nodes
        first = nodes.index(self.member.home)
        for letter in nodes[first:] + nodes[:first]:
            station = self._world.stations[letter]
            if station.answers:
                return station
        return None

    def _register(self) -> None:
        station = self._server()
        if station is None:
            return
        self.dirty_ms = max(EPOCH_MS + round(self._world.time * 1000), self.dirty_ms + 1)
        instance = Instance(
            key=self.key,
            host_name="h",
            ip_address="i",
            data_center=DataCenter("MyOwn"),
            metadata=self.metadata,
            dirty_ms=self.dirty_ms,
            duration=self.member.lease,
            renewal_interval=self.member.interval,
        )
        now = station.now
        status, changed = station.call(
            lambda: station.node.register(instance, now=now, replicated=False)
        )
        self._registered = True
        self._note(station, "register", status, changed=changed)

    def _renew(self) -> None:
        station = self._server()
        if station is None:
            return
        now = station.now
        status, changed = station.call(
            lambda: station.node.renew(self.key, now=now, replicated=False, dirty_ms=self.dirty_ms)
        )
        self._note(station, "renew", status, changed=changed)
        if status == 404:
            self._register()

    def _leave(self) -> None:
        if self.member.leaving == "cancels" and self._registered:
            station = self._server()
            if station is None:  # nobody hears it: it dies
                self.gone = True
                return
            now = station.now
            status, changed = station.call(
                lambda: station.node.cancel(self.key, now=now, replicated=False)
            )
            self._note(station, "cancel", status, changed=changed)
        self.gone = True

    def _note(self, station: Station, verb: str, status: int, *, changed: bool) -> None:
        self._world.record.append(
            Called(
                at=self._world.time,
                node=station.letter,
                verb=verb,
                instance=self.member.id,
                status=status,
                dirty_ms=self.dirty_ms,
                changed=changed,
            )
        )
