"""
Plays the judge's scenarios on simulated clusters, and has the judge's promises judge them.

Workloads, faults, their proofs and the three phases are the judge's own code; what is simulated is
below them: the nodes (registry cores), the network, and time. So the history is one of the judge's,
and whatever breaks a promise here can be asked of real processes by the same name and seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from eureka_tck.history import History
from eureka_tck.history.event import Ended, Header
from eureka_tck.promises import Judgement, judge
from eureka_tck.promises.rules import Rules
from eureka_tck.schedules.runner import Play
from eureka_tck.schedules.schedule import draw
from eureka_tck.workloads.watch import Watch
from tests.simulation.crew import Crew, Gauges, Samplers
from tests.simulation.damage import inexpressible, make_damage
from tests.simulation.schedule import Schedule
from tests.simulation.terrain import Memory, SimulatedSite, Terrain
from tests.simulation.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.schedules.scenario import Scenario
    from tests.simulation.record import Event

COMMON: Final = {
    "eureka.server.registrySyncRetries": "0",
    "eureka.server.useReadOnlyResponseCache": "false",
    "eureka.server.peerNodeConnectTimeoutMs": "3000",
    "eureka.server.peerNodeReadTimeoutMs": "3000",
}
"""What the judge's clusters at speed are set to unless a scenario says otherwise."""

OPEN_COUNT: Final = "eureka.instance.registry.defaultOpenForTrafficCount"
CACHES: Final = "eureka.server.useReadOnlyResponseCache"


class Judged(Struct, frozen=True):
    """A scenario that was played and judged."""

    history: History
    judgements: tuple[Judgement, ...]

    @property
    def broken(self) -> dict[str, str]:
        """What was found of each promise that was broken."""
        return {one.promise: one.said for one in self.judgements if one.finding == "broken"}

    @property
    def kept(self) -> frozenset[str]:
        """The promises that were put to the test and kept."""
        return frozenset(one.promise for one in self.judgements if one.finding == "kept")


class _Deaf:
    """Takes no note: a world of this kind is judged by what the judge saw."""

    def append(self, event: Event, /) -> None:
        """Forget it."""


def why_not(scenario: Scenario) -> str:
    """Return why a scenario cannot be played here; empty where it can."""
    if _settings(scenario)[CACHES] == "true":
        return "its reads come through the response cache, which is the server's, not the core's"
    return inexpressible([strike.fault for strike in draw(scenario, 0).strikes])


def play_scenario(scenario: Scenario, seed: int, command: str = "") -> Judged:
    """Play what a seed makes of a scenario, and judge it; `command` plays the same once more."""
    schedule, settings = draw(scenario, seed), _settings(scenario)
    world = World(_plan(scenario, seed, settings), _Deaf())
    memory = Memory()
    site = SimulatedSite.on(
        Terrain(scenario.name, world, settings), memory, Watch(scenario.letters)
    )
    Play(
        schedule,
        site,
        scenario.budgets,
        Crew(site),  # type: ignore[arg-type] # a stand-in that has all that is used
        Samplers(site, scenario.sample_every),  # type: ignore[arg-type] # the same
        Gauges(site),  # type: ignore[arg-type] # the same
        lambda _phase, _seen: None,
        make_damage,
    ).through()
    memory.write(Ended(at=site.now()))
    header = Header(
        run=f"simulation-{scenario.name}-{seed}",
        scenario=scenario.name,
        title=scenario.title,
        why=scenario.why.strip(),
        target="python",
        backend="simulation",
        speed=1.0,
        seed=seed,
        started="",
        command=command,
        nodes=scenario.letters,
        settings=dict.fromkeys(scenario.letters, settings),
        promises=scenario.promises,
    )
    history = History(header, tuple(memory.events))
    return Judged(history, judge(history, scenario.promises))


def _settings(scenario: Scenario) -> dict[str, str]:
    return COMMON | {name: str(value) for name, value in scenario.settings.items()}


def _plan(scenario: Scenario, seed: int, settings: Mapping[str, str]) -> Schedule:
    """Return the world's own schedule: nodes and their policy, and nobody who calls or breaks."""
    rules = Rules.of(settings)
    return Schedule(
        seed=seed,
        nodes="".join(scenario.letters),
        members=(),
        calls=(),
        faults=(),
        healed=0.0,
        self_preservation=rules.self_preservation,
        eviction_interval=rules.eviction_interval,
        expected_renewal_interval=round(rules.expected_interval),
        renewal_percent_threshold=rules.renewal_percent,
        open_count=int(settings.get(OPEN_COUNT, "1")),
        copies=False,
        read_timeout=rules.peer_timeout,
    )
