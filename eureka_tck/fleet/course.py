"""
One storm from the first registration to the last cancellation: what is done to nodes, what is seen.

While Locust runs the fleet, this reads the registries themselves: counters, memory and processor
every two seconds, and, once nothing happens any more, lists and hashes, again and again until they
agree with the fleet or the time for it is over.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from eureka_tck.actors.copy import hash_of
from eureka_tck.clock import WaitedInVain, unix_now
from eureka_tck.errors import CannotRun
from eureka_tck.fleet.agenda import Agenda
from eureka_tck.fleet.finding import Finding, findings, measured
from eureka_tck.fleet.histogram import percentile_ms
from eureka_tck.fleet.machine import Machine
from eureka_tck.fleet.replication import Probe
from eureka_tck.fleet.request import APP_PREFIX
from eureka_tck.fleet.sighting import Sample, own_deeds, pulse
from eureka_tck.fleet.tally import Tally
from eureka_tck.fleet.weight import weighed
from eureka_tck.wire.client import ReadBudget, WireClient
from eureka_tck.wire.errors import WireError
from eureka_tck.wire.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eureka_tck.cluster import Cluster
    from eureka_tck.fleet.budget import Bounds
    from eureka_tck.fleet.finding import Measures
    from eureka_tck.fleet.generator import Generator
    from eureka_tck.fleet.sighting import Deed, Delay, Pulse, Size
    from eureka_tck.fleet.storm import Storm
    from eureka_tck.node import Node

SAMPLE_EVERY: Final = 2.0
MOST_PULSES: Final = 400
"""As many as a chart can show beside each other."""
LIST_BUDGET: Final = ReadBudget(seconds=30, size=2 << 30)
"""A list of a million instances is 1.2 GB of JSON."""
LEAVE_BUDGET: Final = 5.0
"""Seconds: a batch of replication leaves within half of one, and is tried again after one."""
MARGIN: Final = 1.0
"""Seconds at the end of settling that are left to reads under way, before the fleet cancels."""
FEWEST_LOOKS: Final = 3
"""Looks that say the same where the last one came too late."""
LISTS_KEPT: Final = 4096
"""Bytes an instance that a registry may take for lists it keeps once somebody has read them."""
PERCENT: Final = "eureka.server.renewalPercentThreshold"
SEED: Final = "eureka.instance.registry.defaultOpenForTrafficCount"
"""What Spring counts as clients before any has registered; 1 by default."""
INTERVAL: Final = "eureka.server.expectedClientRenewalIntervalSeconds"


@dataclass(slots=True)
class _Look:
    """How far a node was from what it should say, at the last look."""

    listing: float | None = None
    hash: float | None = None
    threshold: float | None = None
    times: int = 0

    @property
    def agrees(self) -> bool:
        return self.listing == 0 and self.hash == 0 and not self.threshold


@dataclass(slots=True)
class Course:
    """One storm on one running cluster; `take` runs it."""

    cluster: Cluster
    storm: Storm
    bounds: Bounds
    generator: Generator
    told: Callable[[float, Tally], None]
    stale: float = 0.0
    """Seconds by which a list may be behind."""
    tally: Tally = field(init=False)
    findings: Sequence[Finding] = ()
    measures: Measures = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    pulses: list[Pulse] = field(default_factory=list)
    delays: list[Delay] = field(default_factory=list)
    sizes: dict[str, Size] = field(default_factory=dict)
    empty: dict[str, int] = field(default_factory=dict)
    """Bytes of memory of each node before the fleet came."""
    _looks: dict[str, _Look] = field(default_factory=dict)
    _too_late: bool = False
    _clients: dict[str, WireClient] = field(default_factory=dict)
    _agenda: Agenda | None = None
    _sampled: float = -SAMPLE_EVERY
    _pulsed: tuple[float, Tally] = (0.0, Tally())
    _probe: Probe | None = None
    _machine: Machine = field(default_factory=Machine)

    def take(self) -> None:
        """Run the storm, look at the registries during and after it, and judge."""
        self._clients = {
            node.name: WireClient(node.root, recorder=Recorder(), budget=LIST_BUDGET)
            for node in self.cluster
        }
        with ExitStack() as stack:
            for client in self._clients.values():
                stack.callback(client.close)
            if len(self.cluster) > 1:
                self._probe = stack.enter_context(Probe(self.cluster))
            self._agenda = Agenda(self.cluster, self.storm, stack)
            if "memory" in self.cluster.capabilities:
                self.empty = {node.name: node.memory() for node in self.cluster}
            self.tally = self.generator.storm_on(self._watch, self.cluster.clock.now)
            if self._probe is not None:
                self.delays = self._probe.series(self.tally.began)
        self._measure()
        slack = self.storm.duration - self.storm.renewal_interval
        unseen = self._too_late or not self._looks
        self.findings = findings(
            self.tally,
            self.measures,
            self.bounds,
            slack=slack,
            unseen=unseen,
            slow_node=self._slow_node,
        )

    @property
    def _slow_node(self) -> str:
        """Say which node was back so late that not every instance can have told it anew."""
        storm = self.storm
        last = storm.length - storm.settle - storm.renewal_interval * (1 + 2 * storm.jitter)
        late = [
            f"{deed.said}: back {deed.ends - deed.begins:.0f} s later"
            for deed in (self._agenda.deeds if self._agenda is not None else [])
            if deed.said.startswith("node ") and last < deed.ends < storm.length
        ]
        return "; ".join(late)

    @property
    def deeds(self) -> list[Deed]:
        """What was done, by the fleet or to nodes, in its order."""
        done = self._agenda.deeds if self._agenda is not None else []
        return sorted([*own_deeds(self.storm), *done], key=lambda deed: deed.begins)

    @property
    def nodes(self) -> dict[str, tuple[float, int]]:
        """The largest share of a core, and memory in bytes, of each node."""
        seen: dict[str, tuple[float, int]] = {}
        for name in (node.name for node in self.cluster):
            own = [sample for sample in self.samples if sample.node == name]
            shares = [
                (late.cpu - early.cpu) / (late.at - early.at)
                for early, late in pairwise(own)
                if late.at > early.at
            ]
            seen[name] = (
                max(shares, default=0.0),
                max((sample.memory for sample in own), default=0),
            )
        return seen

    def _watch(self, passed: float, tally: Tally) -> None:
        self.told(passed, tally)
        if not tally.began:
            return
        since = unix_now() - tally.began
        if self._agenda is not None:
            self._agenda.keep(lambda: unix_now() - tally.began)
        if since - self._sampled >= SAMPLE_EVERY:
            self._sampled = since
            self._sample(since, tally)
            last = {one.node: one.cpu for one in self.samples}
            self._machine.look(since, {**last, "locust": self.generator.cpu_seconds()})
        self._pulse(since, tally)
        quiet = self.storm.length - self.storm.settle
        if self._probe is not None and since >= quiet:
            self._probe.end()
        # Neither while something happens, nor when the fleet may be leaving already: a look that
        # comes too early or too late would blame the registry.
        if quiet + MARGIN <= since <= self.storm.length - MARGIN:
            for node in self.cluster:
                if node.name not in self._looks or not self._looks[node.name].agrees:
                    self._look(node, tally)
            if not (self.sizes or tally.dead) and all(look.agrees for look in self._looks.values()):
                self.sizes = weighed(self.storm, self._clients["a"], int(tally.began * 1000))

    def _sample(self, at: float, tally: Tally) -> None:
        for node in self.cluster:
            if not node.is_alive():
                continue
            with suppress(CannotRun):  # not reachable just now: there is no sample
                counts = node.counters() if "counters" in self.cluster.capabilities else None
                self.samples.append(
                    Sample(
                        at=round(at, 2),
                        node=node.name,
                        cpu=node.cpu_seconds() if "memory" in self.cluster.capabilities else 0.0,
                        memory=node.memory() if "memory" in self.cluster.capabilities else 0,
                        threshold=counts.threshold if counts else None,
                        renewals=counts.renewals_last_minute if counts else None,
                        acknowledged=tally.acknowledged,
                        registered=tally.up + tally.out,
                    )
                )

    def _pulse(self, at: float, tally: Tally) -> None:
        """Note what the fleet did since the last pulse; a long storm has no more of them."""
        began, before = self._pulsed
        every = max(SAMPLE_EVERY, self.storm.length / MOST_PULSES)
        if at - began >= every and tally.requests >= before.requests:
            self._pulsed = (at, tally)
            self.pulses.append(pulse(began, at, before, tally, self.generator.cpu_seconds()))

    def _look(self, node: Node, tally: Tally) -> None:
        """Hold what a node lists against what the fleet holds; what cannot be read, stays open."""
        look = self._looks.setdefault(node.name, _Look())
        if not node.is_alive():  # it was lost on purpose, and nobody brought it back
            self._looks[node.name] = _Look(0, 0, 0)
            return
        try:
            listed = self._clients[node.name].apps().applications()
        except WireError:
            return
        if unix_now() - tally.began > self.storm.length - MARGIN / 2:
            # The fleet may have been leaving by then. A single look before may have come while
            # workers had not yet reported: it is none either.
            self._too_late = True
            if look.times < FEWEST_LOOKS:
                self._looks[node.name] = _Look()
            return
        look.times += 1
        records = list(listed)
        fleet = sum(record.app.startswith(APP_PREFIX) for record in records)
        live = tally.up + tally.out
        look.listing = max(0, live - fleet) + max(0, fleet - live - tally.dead)
        right = hash_of(records)
        if not tally.dead and fleet == len(records):
            held = {"OUT_OF_SERVICE": tally.out, "UP": tally.up}
            right = "".join(f"{status}_{count}_" for status, count in held.items() if count)
        look.hash = float(listed.hash != right)
        if "counters" in self.cluster.capabilities:
            settings = self.cluster.settings[node.name]
            rate = 60 / float(settings.get(INTERVAL, 30))
            share = float(settings.get(PERCENT, 0.85))
            with suppress(CannotRun):
                clients = len(records) + int(settings.get(SEED, 1))
                computed = int(clients * rate * share)
                look.threshold = abs(node.counters().threshold - computed)

    def _measure(self) -> None:
        looks = list(self._looks.values())
        growth = [self._growth(node.name) for node in self.cluster]
        with suppress(WaitedInVain):  # peers hear of the last cancellations a little later
            self.cluster.clock.wait_until(
                lambda: not any(self._leftovers()),
                LEAVE_BUDGET + self.stale,
                "no leftover at any node",
            )
        left = self._leftovers()
        self.measures = {
            **measured(self.tally),
            "listing_off": _worst([look.listing for look in looks]),
            "hash_off": _sum([look.hash for look in looks]),
            "threshold_off": _worst([look.threshold for look in looks]),
            "leftover": _worst(left),
            "memory_growth_mib": _worst(growth),
            "others": self._machine.others if "memory" in self.cluster.capabilities else None,
            "replication_p99_ms": (
                percentile_ms(self._probe.delays, 0.99) if self._probe is not None else None
            ),
        }

    def _growth(self, node: str) -> float | None:
        """Return by how many MiB a node has grown since its fleet was whole, lists apart."""
        end = self.storm.length - self.storm.settle
        own = [
            sample.memory
            for sample in self.samples
            if sample.node == node and self.storm.arrive_over + 1 <= sample.at <= end
        ]
        if len(own) < 2 or not own[-1]:  # noqa: PLR2004 - a difference is between two
            return None
        lists = LISTS_KEPT * self.storm.instances
        return max(0.0, (own[-1] - own[0] - lists) / 2**20)

    def _leftovers(self) -> list[float | None]:
        return [self._left(node) for node in self.cluster if node.is_alive()]

    def _left(self, node: Node) -> float | None:
        try:
            listed = self._clients[node.name].apps().applications()
        except WireError:
            return None
        return sum(record.app.startswith(APP_PREFIX) for record in listed)


def _worst(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return max(known) if known and len(known) == len(values) else None


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None
