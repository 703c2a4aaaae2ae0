"""A simulated cluster as the judge's runner, workloads and faults know one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from eureka_tck.links import CLIENT, link_name, link_names
from eureka_tck.workloads.site import Site
from tests.simulation.clock import SimulatedClock
from tests.simulation.door import Door
from tests.simulation.schedule import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eureka_tck.cluster import Cluster
    from eureka_tck.history import HistoryWriter
    from eureka_tck.history.event import Event
    from eureka_tck.wire.client import ReadBudget, WireClient
    from eureka_tck.workloads.watch import Watch
    from tests.simulation.world import World

ROOT: Final = "simulated://"

START: Final = 8.0
"""s that a process needs until it answers: 0.8 real s at speed 10 (`PythonTarget.ready_budget`)."""


class Memory:
    """A history in memory: `HistoryWriter` without a file."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._operations = 0

    def number(self) -> int:
        """Return the next number for an operation."""
        self._operations += 1
        return self._operations

    def write(self, event: Event) -> None:
        """Append one event."""
        self.events.append(event)


class Links:
    """The links between the nodes, and ours to them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._names = tuple(link_names(world.schedule.nodes))
        self._cuts: dict[str, Fault] = {}

    def names(self) -> tuple[str, ...]:
        """Return the names of all links."""
        return self._names

    def cut(self, name: str) -> None:
        """Let nothing pass."""
        if name not in self._cuts:
            self._cuts[name] = Fault(kind="cut", begins=0, ends=0, links=(name,))
            self._world.network.breaks(self._cuts[name])

    def restore(self, name: str) -> None:
        """Let all pass."""
        if name in self._cuts:
            self._world.network.heals(self._cuts.pop(name))

    def is_cut(self, name: str) -> bool:
        """Say whether the link is cut."""
        return name in self._cuts


class Terrain:
    """The cluster: `eureka_tck.cluster.Cluster`, as far as it is used."""

    backend: Final = "process"
    wall_steps: Final = True
    limits_processors: Final = False
    capabilities: Final = frozenset(
        {"peers", "links", "kill", "pause", "step", "reload", "counters"}
    )

    def __init__(self, name: str, world: World, settings: Mapping[str, str]) -> None:
        self.name = name
        self.world = world
        self.clock = SimulatedClock(world)
        self.links = Links(world)
        self.nodes = {letter: Post(letter, world) for letter in world.schedule.nodes}
        self.settings = dict.fromkeys(self.nodes, settings)

    @property
    def spec(self) -> Terrain:
        """Return what says how it was asked for: the same."""
        return self

    def __getitem__(self, letter: str) -> Post:
        return self.nodes[letter]

    def __iter__(self) -> Iterator[Post]:
        return iter(self.nodes.values())

    def __len__(self) -> int:
        return len(self.nodes)


class Post:
    """One node of it: `eureka_tck.node.Node`, as far as it is used."""

    def __init__(self, letter: str, world: World) -> None:
        self.name = letter
        self.root = f"{ROOT}{link_name(CLIENT, letter)}"
        self._world = world

    def link_root(self, sink: str) -> str:
        """Return where it reaches a peer."""
        return f"{ROOT}{link_name(self.name, sink)}"

    def kill(self) -> None:
        """End it at once."""
        self._world.kill(self.name)

    def stop(self) -> None:
        """End it: as hard as by a kill, since to hand over in peace is the server's own affair."""
        self._world.kill(self.name)

    def start(self) -> None:
        """Start it again, and return when it answers."""
        self._world.run(self._world.time + START)
        self._world.start(self.name)

    def pause(self) -> None:
        """Freeze it."""
        self._world.pause(self.name)

    def resume(self) -> None:
        """Let it go on."""
        self._world.resume(self.name)

    def is_alive(self) -> bool:
        """Say whether it is there."""
        return self._world.stations[self.name].alive

    def is_frozen(self) -> bool:
        """Say whether it stands still."""
        return self._world.stations[self.name].paused

    def has_died(self) -> bool:
        """Say no: nothing ends by itself here; what raises, ends the run."""
        return False

    def step_wall_clock(self, seconds: float) -> None:
        """Put its wall clock so far beside the cluster's."""
        self._world.stations[self.name].wall_offset_ms = round(seconds * 1000)

    def __str__(self) -> str:
        return f"node {self.name}"


class SimulatedSite(Site):
    """The judge's site, whose clients go through doors."""

    __slots__ = ()

    @classmethod
    def on(cls, terrain: Terrain, history: Memory, watch: Watch) -> SimulatedSite:
        """Return it, with stand-ins that have all that is used of what they stand in for."""
        return cls(cast("Cluster", terrain), cast("HistoryWriter", history), watch)

    @property
    def terrain(self) -> Terrain:
        """The cluster by its own type."""
        return cast("Terrain", self.cluster)

    def client_of(self, root: str, budget: ReadBudget | None = None) -> WireClient:  # noqa: ARG002 - nobody is slow here
        """Return a client over the link that the address names."""
        terrain = self.terrain
        return cast("WireClient", Door(terrain.world, terrain.links, root.removeprefix(ROOT)))
