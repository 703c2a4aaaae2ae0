"""
What a storm does to nodes and links, each thing at its instant, and from when to when it lasted.

Instants are seconds since the fleet began to register.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from eureka_tck.fleet.sighting import Deed

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack

    from eureka_tck.cluster import Cluster
    from eureka_tck.fleet.storm import Moment, Storm
    from eureka_tck.links import ToxicHandle


@dataclass(frozen=True, slots=True)
class _Step:
    """One thing to do; `lasts` until another step ends what was `said`, which `ends` names."""

    at: float
    said: str
    act: Callable[[], object]
    lasts: bool = False
    ends: str = ""


@dataclass(slots=True)
class Agenda:
    """The steps of one storm on one cluster; what it breaks is mended when `stack` is left."""

    cluster: Cluster
    storm: Storm
    stack: ExitStack
    deeds: list[Deed] = field(default_factory=list)
    _steps: list[_Step] = field(init=False)

    def __post_init__(self) -> None:
        """Plan."""
        planned = [step for moment in self.storm.moments for step in self._plan(moment)]
        self._steps = sorted(planned, key=lambda step: step.at)

    def keep(self, now: Callable[[], float]) -> None:
        """Do all whose instant has come by `now`."""
        while self._steps and self._steps[0].at <= now():
            step = self._steps.pop(0)
            begins = now()
            step.act()
            ends = self.storm.length if step.lasts else now()
            if step.ends:
                self._end(step.ends, ends)
            else:
                self.deeds.append(Deed(round(begins, 2), round(ends, 2), step.said))

    def _end(self, said: str, at: float) -> None:
        """Let the band of an earlier step end."""
        for place, deed in enumerate(self.deeds):
            if deed.said == said and deed.ends == round(self.storm.length, 2):
                self.deeds[place] = Deed(deed.begins, round(at, 2), said)
                return

    def _plan(self, moment: Moment) -> list[_Step]:
        """Return the steps of a moment; none where the fleet itself does it."""
        if moment.node not in self.cluster.nodes:
            return []
        node = self.cluster[moment.node]
        at = self.storm.arrive_over + moment.at * self.storm.minutes * 60
        if moment.does == "restart-node":
            return [_Step(at, f"node {moment.node} restarted", node.restart)]
        mend: Callable[[], object] = node.start
        if moment.does == "kill-node":
            fault = _Step(at, f"node {moment.node} killed", node.kill, lasts=True)
        elif moment.does == "slow-links":
            fault, mend = self._slow(moment, at)
        else:
            return []
        if not moment.away:
            return [fault]
        return [fault, _Step(at + moment.away, f"{fault.said}: over", mend, ends=fault.said)]

    def _slow(self, moment: Moment, at: float) -> tuple[_Step, Callable[[], object]]:
        link = f"client>{moment.node}"
        links = self.cluster.links
        made: list[ToxicHandle] = []

        def slow() -> None:
            toxic = links.toxic(link, "latency", {"latency": moment.delay_ms})
            self.stack.callback(toxic.remove)
            made.append(toxic)

        def mend() -> None:
            for toxic in made:
                toxic.remove()

        return _Step(at, f"{link} slowed by {moment.delay_ms} ms", slow, lasts=True), mend
