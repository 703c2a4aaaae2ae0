"""
The recording of profile `windows-b`: a fleet falls silent, and what goes on under protection.

In the first minute all renew twice; in the second nobody does, and the leases go, run after run,
until the minute is over; in the third, under protection, everything else goes on,
and a new fleet renews at half the expected pace; in the fourth a third of that fleet renews at
three times the pace while the others are dead; in the fifth the dead go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.observe.minutes import (
    FIRST_CALL,
    MINUTE,
    READING,
    Minutes,
    opened_lately,
    watch_change,
)
from eureka_tck.observe.observer import Observer
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.runs import Run
    from eureka_tck.observe.tape import Tape
    from eureka_tck.targets import Counters
    from eureka_tck.wire.answer import Answer

INTERVAL_MS: Final = 7000  # fixtures/profiles/windows-b.toml
SILENT: Final = "SILENT"
FLEET: Final = "PACE"
SIZE: Final = 40  # of the first fleet: more than nine runs can take
FLEET_SIZE: Final = 20
ALIVE: Final = 7  # a third of the second fleet, rounded up
TWO_RUNS: Final = 19.0  # s in which two runs have certainly been
SHORT: Final = 10  # s, the leases of those that die
LONG: Final = 600  # s, the leases of those that live
LAST_RENEWAL: Final = 28.0  # s after the first answer: all leases run out in the first minute
FASTER: Final = 6  # renewals a minute at three times the expected pace
FASTER_PERIOD: Final = 8.0  # s between them


@dataclass(frozen=True, slots=True)
class Page:
    """The status page and the counters it or its equal shows, at one instant."""

    answer: Answer
    counters: Counters


@dataclass(frozen=True, slots=True)
class Silence:
    """
    What the five minutes showed.

    `thresholds` by the number of registrations so far.
    `exodus` are the runs over the silent fleet in that minute and `over_at` its end as the
    registry's epoch ms; `left` who was still listed in the third, `lowered` its counters.
    `deeds` are the answers to what was done in the third minute, `stayed` those of the expired
    leases that nobody touched and that were listed at its end.
    `slow` are the counters of the fourth minute (the fleet renewed once each in the third),
    `dead_kept` the dead ones listed at its end; `fast` those of the fifth (a third of the fleet
    renewed six times each), `dead_gone` the victims of the first run in it.
    `pages` is the status page in the first, second and third minute.
    """

    tape: Tape
    thresholds: Mapping[int, int]
    exodus: tuple[Run, ...]
    over_at_ms: int
    left: frozenset[str]
    lowered: Counters
    deeds: Mapping[str, Answer]
    stayed: frozenset[str]
    untouched: frozenset[str]
    slow: Counters
    dead_kept: frozenset[str]
    fast: Counters
    dead_gone: tuple[str, ...]
    pages: Mapping[str, Page]

    def overrun(self) -> float:
        """Return the seconds from the end of the silent minute to the last eviction of it."""
        return (self.exodus[-1].end_ms - self.over_at_ms) / 1000

    def proven(self) -> None:
        """Raise Inconclusive unless eviction ran before the protected minutes."""
        if len(self.exodus) < 2:  # noqa: PLR2004 - two make a rhythm
            raise Inconclusive(
                f"only {len(self.exodus)} eviction runs were seen before the protected minutes."
            )


def record_silence(cluster: Cluster) -> Silence:
    """Record the five minutes of one node that nobody else uses."""
    with Observer(cluster) as observer:
        return _Recording(observer).record()


class _Recording:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self.wire = observer.wire
        self.pages: dict[str, Page] = {}

    def record(self) -> Silence:
        observer, clock, wire = self.observer, self.observer.clock, self.wire
        ready = opened_lately(clock, observer.started_at)
        thresholds = self._assemble()
        self._look("first")
        clock.reach(ready + LAST_RENEWAL)
        for _ in range(2):
            for name in _ids(SILENT, SIZE):
                wire.renew(SILENT, name)
        silent_since = clock.now()
        observer.note(f"{2 * SIZE} renewals, then silence")
        change = watch_change(clock, self._figure, 0, observer.started_at + MINUTE, ready + MINUTE)
        minutes = Minutes.after(clock, change)
        if silent_since + 2 * SHORT > minutes.end(0):
            raise Inconclusive(
                f"the last renewals were answered at {silent_since:.1f} s: their leases do not run "
                f"out before {minutes.end(0):.1f} s, when the first minute may be over.",
                late=True,
            )

        minutes.reach(1, READING)
        self._look("second")
        minutes.within(1)
        minutes.reach(2, READING)
        exodus = observer.runs({SILENT}, INTERVAL_MS)
        for run in exodus:
            observer.note_run(run)
        left = frozenset(observer.leases({SILENT}))
        lowered = observer.counters()
        self._look("third")
        minutes.within(2)
        observer.note(f"{len(left)} of {SIZE} are left, threshold {lowered.threshold}")

        minutes.reach(2, TWO_RUNS)
        touched, untouched = _one_of(left)
        deeds = self._go_on(touched)
        self._new_fleet()
        minutes.reach_end(2)
        stayed = frozenset(observer.leases({SILENT})) & untouched
        observer.note(f"{len(stayed)} of {len(untouched)} expired leases are still listed")
        if stayed:
            observer.cancel(dict.fromkeys(stayed, SILENT))
        minutes.within(2)

        minutes.reach(3, READING)
        slow = observer.counters()
        for beat in range(FASTER):
            minutes.reach(3, FIRST_CALL + beat * FASTER_PERIOD)
            for name in _ids(FLEET, ALIVE):
                wire.renew(FLEET, name)
        minutes.reach_end(3)
        dead = frozenset(_ids(FLEET, FLEET_SIZE)) - frozenset(_ids(FLEET, ALIVE))
        dead_kept = frozenset(observer.leases({FLEET})) & dead
        minutes.within(3)
        observer.note(f"{len(dead_kept)} of {len(dead)} dead ones are still listed")
        minutes.reach(4, READING)
        fast = observer.counters()
        minutes.within(4)
        dead_gone = self._victims_after(minutes.begin(4))
        given = (
            "self-preservation on, renewalPercentThreshold 0.85, eviction every 7 s; "
            f"{SIZE} instances with leases of {SHORT} s that fall silent after a minute"
        )
        return Silence(
            tape=observer.tape(given),
            thresholds=thresholds,
            exodus=exodus,
            over_at_ms=observer.epoch_ms(minutes.begin(2)),
            left=left,
            lowered=lowered,
            deeds=deeds,
            stayed=stayed,
            untouched=untouched,
            slow=slow,
            dead_kept=dead_kept,
            fast=fast,
            dead_gone=dead_gone,
            pages=self.pages,
        )

    def _figure(self) -> int:
        return self.observer.counters().renewals_last_minute

    def _look(self, minute: str) -> None:
        page = self.observer.keep(self.wire.page("/", headers={"Accept-Language": "en"}))
        self.pages[minute] = Page(page, self.observer.counters())

    def _assemble(self) -> dict[int, int]:
        """Register the first fleet; the threshold by the number of those registered singly."""
        observer = self.observer
        thresholds = {0: observer.counters().threshold}
        silent, singly = _ids(SILENT, SIZE), 6
        for number, name in enumerate(silent[:singly], start=1):
            self.wire.register(sample(SILENT, name, duration=SHORT))
            thresholds[number] = observer.counters().threshold
        observer.register([sample(SILENT, name, duration=SHORT) for name in silent[singly:]])
        thresholds[SIZE] = observer.counters().threshold
        observer.note(f"{SIZE} registered, threshold {thresholds[SIZE]}")
        return thresholds

    def _go_on(self, name: str) -> dict[str, Answer]:
        """Do to one expired lease, and to one new instance, all that clients do."""
        wire = self.wire
        calls: dict[str, Callable[[], Answer]] = {
            "single read": lambda: wire.instance(SILENT, name),
            "list read": lambda: wire.app(SILENT),
            "status call": lambda: wire.set_status(SILENT, name, "OUT_OF_SERVICE"),
            "renewal": lambda: wire.renew(SILENT, name),
            "metadata call": lambda: wire.set_metadata(SILENT, name, {"colour": "blue"}),
            "registration": lambda: wire.register(sample(SILENT, "newcomer", duration=LONG)),
            "cancellation": lambda: wire.cancel(SILENT, "newcomer"),
        }
        deeds = {what: self.observer.keep(call()) for what, call in calls.items()}
        self.observer.cancel({name: SILENT})
        self.observer.note(f"{len(deeds)} kinds of call made under protection")
        return deeds

    def _new_fleet(self) -> None:
        """Register the second fleet and renew each once: the pace of 60 s."""
        alive = set(_ids(FLEET, ALIVE))
        names = _ids(FLEET, FLEET_SIZE)
        self.observer.register(
            [sample(FLEET, name, duration=LONG if name in alive else SHORT) for name in names]
        )
        for name in names:
            self.wire.renew(FLEET, name)
        self.observer.note(f"{FLEET_SIZE} new ones, {FLEET_SIZE} renewals: every 60 s")

    def _victims_after(self, instant: float) -> tuple[str, ...]:
        """Return whom the first run after that instant evicts of the second fleet."""
        after_ms = self.observer.epoch_ms(instant) - INTERVAL_MS
        run = self.observer.seek_run({FLEET}, INTERVAL_MS, after_ms)
        return run.victims if run else ()


def _ids(app: str, number: int) -> list[str]:
    return [f"{app.lower()}-{member}" for member in range(number)]


def _one_of(names: frozenset[str]) -> tuple[str, frozenset[str]]:
    """Return one of the names and the others."""
    if not names:
        raise Inconclusive("the whole silent fleet was gone before the minute was over.")
    one = min(names)
    return one, names - {one}
