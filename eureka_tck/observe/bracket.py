"""
The recording of profile `windows-a`: what counts, and what one renewal more or less decides.

The threshold is two renewals a client and minute. In the first minute clients come and go,
in the second exactly as many renew as the threshold says, in the third one more,
in the fourth every kind of call is made as often as its own power of two,
so that the sum that is read in the fifth tells which kinds were counted.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.minutes import (
    FIRST_CALL,
    MINUTE,
    READING,
    Change,
    Minutes,
    opened_lately,
    watch_change,
)
from eureka_tck.observe.observer import GRACE, PACE, SETTLING, Observer
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.sample import DIRTY_MS, sample

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.runs import Run
    from eureka_tck.observe.tape import Tape
    from eureka_tck.targets import Counters

INTERVAL_MS: Final = 7000  # fixtures/profiles/windows-a.toml
APP: Final = "BRACKET"
STAYING: Final = tuple(f"staying-{number}" for number in range(5))
EXPIRING: Final = tuple(f"expiring-{number}" for number in range(7))
SHORT: Final = 5  # s, the leases of the expiring ones
LONG: Final = 3600  # s, the leases of the staying ones
FEW: Final = 2
"""Renewals in the first minute. With its fourteen registrations they are fewer than the threshold,
so that a registry that counts those too is protected in the second minute all the same."""

THRESHOLD: Final = 26  # int((1 + 5 + 7) × (60 / 15) × 0.5), the seed counted

GIVEN: Final = (
    "self-preservation on, renewalPercentThreshold 0.5, eviction every 7 s; 5 instances "
    f"that renew and 7 that do not, leases of 5 s; a threshold of {THRESHOLD}"
)

KINDS: Final[Mapping[str, int]] = {
    "re-registration": 1,
    "metadata change": 2,
    "status change": 4,
    "replicated renewal": 8,
    "renewal": 16,
    "renewal with a newer T": 32,
    "renewal under status UNKNOWN": 64,
    "renewal of an unknown instance": 128,
    "renewal in a batch": 256,
}
"""How often each kind of call is made in the fourth minute: the dearer, the less often."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """
    What the five minutes showed.

    `thresholds` after each thing that clients did in the first minute, in its order.
    `first` are the counters of the first minute, `few` the figure of the second, `equal` the
    counters of the third (as many renewals as the threshold in the minute before), `above` of the
    fourth (one more), `kinds` the figure of the fifth.
    `meanwhile` is the third minute's figure at its end, when its own renewals had come.
    `kept` are the expired instances still listed at the end of the third minute.
    `released_at_ms` is when the fourth began at the latest (epoch ms), `runs` the eviction runs
    in it, `lowered` the threshold once all the expired were gone.
    `changes` are the ends of the first and of the second minute.
    A short recording ends with `equal`: `above` is then the same, and the others are empty.
    """

    tape: Tape
    thresholds: Mapping[str, int]
    first: Counters
    few: int
    equal: Counters
    meanwhile: int
    kept: frozenset[str]
    above: Counters
    released_at_ms: int
    runs: tuple[Run, ...]
    lowered: int
    kinds: int
    changes: tuple[Change, Change]

    def change(self, after: str) -> int:
        """Return by how much this changed the threshold."""
        steps = list(self.thresholds)
        return self.thresholds[after] - self.thresholds[steps[steps.index(after) - 1]]

    def waited(self) -> float:
        """Return the seconds from the end of the protected minutes to the first eviction."""
        return (self.runs[0].start_ms - self.released_at_ms) / 1000

    def proven(self) -> None:
        """Raise Inconclusive unless eviction ran after the protected minutes."""
        if not self.runs:
            raise Inconclusive("no eviction run was seen after the protected minutes either.")

    def counted(self, kind: str) -> bool:
        """Say whether this kind of call was counted, by its digit of the binary sum."""
        return bool(self.kinds & KINDS[kind])


def record_bracket(cluster: Cluster, *, short: bool = False) -> Bracket:
    """Record five minutes of one node that nobody else uses; two where a `short` one is asked."""
    with Observer(cluster) as observer:
        return _Recording(observer).record(short=short)


class _Recording:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self.wire = observer.wire
        self.thresholds: dict[str, int] = {}

    def record(self, *, short: bool) -> Bracket:
        observer, clock = self.observer, self.observer.clock
        ready = opened_lately(clock, observer.started_at)
        self._come_and_go()
        self._renew(FEW)  # a figure that is not 0, so that its first change can be seen
        first = observer.counters()
        change = watch_change(clock, self._figure, 0, observer.started_at + MINUTE, ready + MINUTE)
        minutes = Minutes.after(clock, change)
        observer.note("the first minute is over", at=minutes.first.before)

        few = self._figure()
        minutes.reach(1, FIRST_CALL)
        self._renew(THRESHOLD)
        minutes.within(1)
        observer.note(f"{THRESHOLD} renewals: as many as the threshold")
        second = watch_change(clock, self._figure, few, minutes.end(1), minutes.begin(2))
        minutes.reach(2, READING)
        equal = observer.counters()
        if short:
            minutes.within(2)
            return Bracket(
                tape=observer.tape(GIVEN),
                thresholds=self.thresholds,
                first=first,
                few=few,
                equal=equal,
                meanwhile=0,
                kept=frozenset(),
                above=equal,
                released_at_ms=0,
                runs=(),
                lowered=0,
                kinds=0,
                changes=(minutes.first, second),
            )
        minutes.reach(2, FIRST_CALL)
        self._renew(THRESHOLD + 1)
        minutes.within(2)
        observer.note(f"{THRESHOLD + 1} renewals: one more")
        minutes.reach_end(2)
        meanwhile = self._figure()
        kept = frozenset(observer.leases({APP})) & frozenset(EXPIRING)
        minutes.within(2)
        observer.note(f"{len(kept)} of {len(EXPIRING)} expired leases are still listed")

        minutes.reach(3, READING)
        above = observer.counters()
        released_at_ms = observer.epoch_ms(minutes.begin(3))
        since_ms = observer.epoch_ms(minutes.end(2))
        with suppress(WaitedInVain):
            clock.wait_until(
                lambda: len(observer.evicted({APP}, since_ms)) == len(EXPIRING),
                within=GRACE,
                what="the eviction of all expired leases",
                pace=PACE,
                not_before=minutes.begin(3) + 2 * INTERVAL_MS / 1000 + SETTLING,
            )
        runs = observer.runs({APP}, INTERVAL_MS, since_ms)
        for run in runs:
            observer.note_run(run)
        lowered = observer.counters().threshold
        self._all_kinds()
        minutes.within(3)
        observer.note(f"{sum(KINDS.values())} calls of {len(KINDS)} kinds")
        minutes.reach(4, READING)
        kinds = self._figure()
        minutes.within(4)
        observer.note(f"{kinds} of them were counted")
        return Bracket(
            tape=observer.tape(GIVEN),
            thresholds=self.thresholds,
            first=first,
            few=few,
            equal=equal,
            meanwhile=meanwhile,
            kept=kept,
            above=above,
            released_at_ms=released_at_ms,
            runs=runs,
            lowered=lowered,
            kinds=kinds,
            changes=(minutes.first, second),
        )

    def _figure(self) -> int:
        return self.observer.counters().renewals_last_minute

    def _come_and_go(self) -> None:
        """Let clients come and go one at a time, and read the threshold after each."""
        wire, seen = self.wire, self._see
        seen("at the start")
        for name in STAYING[:2]:
            wire.register(sample(APP, name, duration=LONG))
        seen("two registered")
        wire.register(sample(APP, STAYING[0], duration=LONG))
        seen("one registered again")
        wire.register(sample(APP, STAYING[2], duration=LONG), replication=True)
        seen("one registered by a peer")
        self.observer.register([sample(APP, STAYING[3], duration=LONG)])
        seen("one registered in a batch")
        for name in (STAYING[4], "leaving"):
            wire.register(sample(APP, name, duration=LONG))
        seen("two more registered")
        self.observer.keep(wire.cancel(APP, "leaving"))
        seen("one cancelled")
        self.observer.keep(wire.cancel(APP, "leaving"))
        seen("the same cancelled again")
        self.observer.register([sample(APP, name, duration=SHORT) for name in EXPIRING])
        seen("seven more registered")

    def _see(self, after: str) -> None:
        threshold = self.observer.counters().threshold
        self.thresholds[after] = threshold
        self.observer.note(f"{after}: threshold {threshold}")

    def _renew(self, times: int) -> None:
        """Renew the staying instances, so often altogether."""
        for number in range(times):
            self.wire.renew(APP, STAYING[number % len(STAYING)])

    def _all_kinds(self) -> None:
        wire = self.wire
        one, silenced = STAYING[0], STAYING[1]
        statuses = cycle(("OUT_OF_SERVICE", "UP"))
        calls: dict[str, Callable[[], object]] = {
            "re-registration": lambda: wire.register(
                sample(APP, silenced, duration=LONG, status="UNKNOWN")
            ),
            "metadata change": lambda: wire.set_metadata(APP, one, {"colour": "blue"}),
            "status change": lambda: wire.set_status(APP, one, next(statuses)),
            "replicated renewal": lambda: wire.renew(APP, one, replication=True),
            "renewal": lambda: wire.renew(APP, one),
            "renewal with a newer T": lambda: wire.renew(APP, one, dirty=DIRTY_MS + 60_000),
            "renewal under status UNKNOWN": lambda: wire.renew(APP, silenced),
            "renewal of an unknown instance": lambda: wire.renew(APP, "never-registered"),
        }
        for kind, call in calls.items():
            for _ in range(KINDS[kind]):
                call()
        wire.batch([_heartbeat(one)] * KINDS["renewal in a batch"])


def _heartbeat(name: str) -> dict[str, str | int]:
    return {
        "appName": APP,
        "id": name,
        "action": "Heartbeat",
        "lastDirtyTimestamp": DIRTY_MS,
        "status": "UP",
    }
