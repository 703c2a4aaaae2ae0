"""
The recording of profile `lease`: how long leases live after each thing that can happen to them.

Everything that can happen is done to an instance of its own at the same time; the ends are read
afterwards from the stamps that the registry put on its evictions.
A metronome of leases, one running out every second, shows that eviction ran and how late it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from eureka_tck.observe.observer import Observer
from eureka_tck.observe.runs import worst_lateness
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.sample import DIRTY_MS, sample

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.runs import Run
    from eureka_tck.observe.tape import Tape
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.client import WireClient
    from eureka_tck.wire.record import Lease
    from eureka_tck.wire.sample import Sample

INTERVAL_MS: Final = 1000  # fixtures/profiles/lease.toml
DURATION: Final = 20  # s, of every lease that something is done to
LATER: Final = 6.0  # s after registration it is done
CADENCE: Final = 25.0  # s between the renewals of a live instance, whose lease is LIVE_DURATION
LIVE_DURATION: Final = 40  # s
BEATS: Final = 4  # renewals of a live instance
WATCHED: Final = 118.0  # s until the ends are read
RECOUNT: Final = 20.0  # s, renewalThresholdUpdateIntervalMs of the profile
CONFUSABLE: Final = 4.0  # s of run lateness at which a wrong length could pass for a right one

APP: Final = "LEASE"
METRONOME: Final = "LEASE-METRONOME"
BEAT_SECONDS: Final = (*range(1, 91), *range(95, 121, 5))
"""Durations of the metronome's leases: one a second until the last lease may end, then fewer."""

OVERFLOWING: Final = (2_147_484, 3_000_000)
"""Durations in s whose milliseconds do not fit into 32 bits: the least, and one seen to fail."""


@dataclass(frozen=True, slots=True)
class Life:
    """
    The last term of a lease: it began between two instants and ended with an eviction.

    All three are the registry's own epoch ms; `ended_ms` is None where it was never evicted.
    """

    begun_after_ms: int
    begun_before_ms: int
    ended_ms: int | None

    @property
    def longest(self) -> float:
        """The seconds it lasted at most."""
        return self._since(self.begun_after_ms)

    @property
    def shortest(self) -> float:
        """The seconds it lasted at least."""
        return self._since(self.begun_before_ms)

    def _since(self, begun_ms: int) -> float:
        return float("inf") if self.ended_ms is None else (self.ended_ms - begun_ms) / 1000


@dataclass(frozen=True, slots=True)
class Leases:
    """
    How long leases lived; `lives` by what was done to them, registered from `from_ms` on.

    `runs` are those of the metronome. `stamps` are the lease stamps read singly right after a
    renewal (`renewed`, between the two instants of its life) and without one (`fresh`).
    `largest_gap` is the longest time the live instances went without a renewal.
    `listed` are the ids that were still listed at the end.
    `recounted` is the threshold after two recounts of `leases_at_recount`, 0 without counters.
    """

    tape: Tape
    from_ms: int
    lives: Mapping[str, Life]
    runs: tuple[Run, ...]
    stamps: Mapping[str, Lease]
    largest_gap: float
    listed: frozenset[str]
    recounted: int
    leases_at_recount: int

    def lives_on(self, deed: str) -> bool:
        """Say whether the instance was still listed at the end: what was refused never was."""
        return _id(deed) in self.listed

    def life(self, deed: str) -> Life:
        """Return the last term of the lease to which this was done; Inconclusive without runs."""
        life = self.lives[deed]
        if len(self.runs) < 2 * DURATION:
            raise Inconclusive(
                f"only {len(self.runs)} eviction runs were seen, though a lease ran out every "
                f"second for a minute."
            )
        if deed in DEEDS and life.begun_before_ms > self.from_ms + DURATION * 1000:
            raise Inconclusive(
                f"what was to be done {LATER:g} s after the registrations was done up to "
                f"{(life.begun_before_ms - self.from_ms) / 1000:.1f} s after them.",
                late=True,
            )
        if (late := self._lateness(life)) > CONFUSABLE:
            raise Inconclusive(
                f"an eviction run was {late:.1f} s late when this lease ended.", late=True
            )
        return life

    def slack(self, deed: str) -> float:
        """Return by how much a lease may be evicted late here: one interval and the lateness."""
        return INTERVAL_MS / 1000 + 2 * self._lateness(self.lives[deed]) + 0.5

    def ruling(self, deed: str, of: Sequence[float]) -> float:
        """Return which of these durations the lease lasted, in s; how long it did if none."""
        life = self.life(deed)
        for duration in of:
            if life.longest >= duration and life.shortest <= duration + self.slack(deed):
                return duration
        return life.longest

    def _lateness(self, life: Life) -> float:
        """Return by how much a run was late when the lease ended, 0 for one that lives on."""
        if life.ended_ms is None:
            return 0.0
        # A run that is late by x leaves what ran out in that time to the next one: only the last
        # few runs of a lease decide when it goes.
        return worst_lateness(
            self.runs, INTERVAL_MS, life.ended_ms - 3 * INTERVAL_MS, life.ended_ms
        )


def older(fields: Sample) -> Sample:
    """Return the registration with a T that is 60 s older."""
    return fields | {"lastDirtyTimestamp": str(DIRTY_MS - 60_000)}


DEEDS: Final[Mapping[str, Callable[[WireClient, str], Answer]]] = {
    "renewed": lambda wire, name: wire.renew(APP, name),
    "renewed with a newer T": lambda wire, name: wire.renew(APP, name, dirty=DIRTY_MS + 60_000),
    "registered again": lambda wire, name: wire.register(sample(APP, name, duration=DURATION)),
    "registered with an older T": lambda wire, name: wire.register(
        older(sample(APP, name, duration=DURATION))
    ),
    "given metadata": lambda wire, name: wire.set_metadata(APP, name, {"colour": "blue"}),
    "given another status": lambda wire, name: wire.set_status(APP, name, "DOWN"),
    "given the status it has": lambda wire, name: wire.set_status(APP, name, "UP"),
    "relieved of an override it never had": lambda wire, name: wire.remove_status(APP, name),
    "registered with an older T and another duration": lambda wire, name: wire.register(
        older(sample(APP, name, duration=DURATION))
    ),
}
"""What is done, once, LATER seconds after the registration."""

UNTOUCHED: Final = "registered and left alone"

STORED: Final[Mapping[str, int]] = {"registered with an older T and another duration": 60}
"""Durations in s of the registrations, where they are not DURATION."""


def record_leases(cluster: Cluster) -> Leases:
    """Register all, do to each what its name says, keep some alive, and read all ends."""
    with Observer(cluster) as observer:
        return _Recording(observer).record()


class _Recording:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self.wire = observer.wire
        self.begun: dict[str, tuple[int, int]] = {}
        self.stamps: dict[str, Lease] = {}
        self.beats: list[tuple[int, int]] = []
        self._counted = "counters" in observer.node.target.capabilities

    def record(self) -> Leases:
        observer, clock = self.observer, self.observer.clock
        from_ms = self._registry_ms()
        self._populate()
        populated = clock.now()
        clock.reach(populated + LATER)
        for deed in DEEDS:
            self._during(deed, partial(self._do, deed))
        self.stamps["renewed"] = self._read("renewed")
        observer.note(f"{len(DEEDS)} deeds done, each to one of them")
        recounted, present = 0, 0
        for beat in range(1, BEATS + 1):
            clock.reach(populated + beat * CADENCE)
            self._beat()
            if not present and clock.now() > populated + 2 * RECOUNT + RECOUNT / 4:
                recounted, present = self._threshold(), len(observer.held())
        clock.reach(populated + WATCHED)
        ends = observer.evicted({APP, METRONOME})
        runs = observer.runs({METRONOME}, INTERVAL_MS)
        listed = frozenset(observer.leases({APP}))
        observer.note(f"{len(ends)} ends read, {len(runs)} runs of the metronome")
        lives = {
            deed: Life(after, before, ends.get(_id(deed)))
            for deed, (after, before) in self.begun.items()
        }
        given = (
            "self-preservation off, eviction every 1 s, no cap; leases of 20 s registered "
            "together, 6 s later each has one thing done to it"
        )
        return Leases(
            tape=observer.tape(given),
            from_ms=from_ms,
            lives=lives,
            runs=runs,
            stamps=self.stamps,
            largest_gap=self._largest_gap(),
            listed=listed,
            recounted=recounted,
            leases_at_recount=present,
        )

    def _populate(self) -> None:
        """Register the metronome, the instances of the deeds and those to which nothing is done."""
        register = self.observer.register
        register([sample(METRONOME, f"beat-{beat}", duration=beat) for beat in BEAT_SECONDS])
        self._during(
            UNTOUCHED,
            lambda: register([sample(APP, _id(UNTOUCHED), duration=DURATION)]),
        )
        self.stamps["fresh"] = self._read(UNTOUCHED)
        for deed in DEEDS:
            self.wire.register(sample(APP, _id(deed), duration=STORED.get(deed, DURATION)))
        for seconds in OVERFLOWING:
            deed = f"given {seconds} s"
            fields = sample(APP, _id(deed), duration=seconds)
            self._during(deed, partial(self.wire.register, fields))
        self._during(
            "renewed in time",
            lambda: self.wire.register(sample(APP, _id("renewed in time"), duration=LIVE_DURATION)),
        )
        self.beats.append(self.begun["renewed in time"])
        self.observer.note(f"registered {len(DEEDS) + len(OVERFLOWING) + 2} and a metronome")

    def _do(self, deed: str) -> None:
        self.observer.keep(DEEDS[deed](self.wire, _id(deed)))

    def _beat(self) -> None:
        self._during("renewed in time", lambda: self.wire.renew(APP, _id("renewed in time")))
        self.beats.append(self.begun["renewed in time"])

    def _during(self, deed: str, act: Callable[[], object]) -> None:
        """Do it between two readings of the registry's clock, by a probe that registers again."""
        after_ms = self._registry_ms()
        act()
        self.begun[deed] = (after_ms, self._registry_ms())

    def _registry_ms(self) -> int:
        """Read the registry's clock: the stamp of a registration made now."""
        self.wire.register(sample("LEASE-PROBE", "probe", duration=3600))
        return self.wire.instance("LEASE-PROBE", "probe").record().leased.registered_ms

    def _read(self, deed: str) -> Lease:
        answer = self.observer.keep(self.wire.instance(APP, _id(deed)))
        return answer.record().leased

    def _largest_gap(self) -> float:
        """Return the longest time in s that the live instance can have gone without a renewal."""
        return max((later[1] - earlier[0]) / 1000 for earlier, later in pairwise(self.beats))

    def _threshold(self) -> int:
        return self.observer.counters(shown=True).threshold if self._counted else 0


def _id(deed: str) -> str:
    return deed.lower().replace(" ", "-")
