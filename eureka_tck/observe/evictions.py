"""
The recording of profile `evict`: how a registry takes expired leases away, run by run.

One lease to find the rhythm, then rounds of a known number of leases, one run each,
then a hundred leases until none is left, then two more draws from a hundred.
Every round is registered right after a run, with leases of a second, so that all of them have
expired when the next one comes; where that did not work out the round is made again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.observer import GRACE, PACE, SETTLING, Observer
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.runs import Run
    from eureka_tck.observe.tape import Tape
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.record import Record
    from eureka_tck.wire.sample import Sample

INTERVAL_MS: Final = 5000  # fixtures/profiles/evict.toml
LIFETIME: Final = 1  # s: what is registered in the first 3.5 s after a run is due at the next one
TRIES: Final = 4  # a round that fell into its own registrations is made again, so often at most

SIZES: Final = (20, 10, 7, 6, 2, 1)
"""Leases present in the rounds: the small numbers that EVICT-02 names."""

SERIES: Final = 20  # runs that the reference needs for 100 leases (EVICT-04)
BLOCKS: Final[Mapping[str, int]] = {f"EVICT-BLOCK-{block}": 10 for block in range(10)}
UNEVEN: Final[Mapping[str, int]] = {
    "EVICT-LARGE": 82,
    **{f"EVICT-SINGLE-{single}": 1 for single in range(18)},
}
"""Leases by application: ten equal ones, and a large one beside eighteen of a single lease."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """The first lease that ran out: when it was due (registry's epoch ms), and the run it got."""

    tape: Tape
    due_ms: int
    first: Run | None

    def waited(self) -> float:
        """Return the seconds from its end to its eviction; infinite if it never came."""
        return (self.first.start_ms - self.due_ms) / 1000 if self.first else float("inf")


@dataclass(frozen=True, slots=True)
class Round:
    """One run over leases that had all expired, but for `live`; applications by instance id."""

    app_of: Mapping[str, str]
    live: frozenset[str]
    run: Run


@dataclass(frozen=True, slots=True)
class Evictions:
    """
    What the rounds showed; a round is None where the guard was not met in four tries.

    `rounds` by the number of leases; `mixed` has six expired leases and a live one.
    `before` and `after` are the thresholds around the round of twenty, None without counters.
    `returned` is what an instance reads as that was evicted under an override and registered again.
    `hundred` is the first run over a hundred, `series` all runs until none was left, none in a
    short recording; `again` and `uneven` are one run each over another hundred.
    """

    tape: Tape
    rounds: Mapping[int, Round | None]
    mixed: Round | None
    before: int | None
    after: int | None
    returned: Record | None
    page: Answer
    hundred: Round | None
    series: tuple[Run, ...]
    again: Round | None
    uneven: Round | None


_Found = TypeVar("_Found")


def guarded(found: _Found | None) -> _Found:
    """Return what a round showed; Inconclusive where none of its tries met the guard."""
    if found is None:
        raise Inconclusive(
            f"in {TRIES} tries the run came before all leases registered for it had expired.",
            late=True,
        )
    return found


def record_rhythm(cluster: Cluster) -> Rhythm:
    """Let one lease run out on an empty node and wait for it to go."""
    app, name = "EVICT-FIRST", "first"
    with Observer(cluster) as observer:
        observer.keep(observer.wire.register(sample(app, name, duration=LIFETIME)))
        observer.note("register 1 lease of 1 s")
        listed = observer.leases({app}).get(name)
        born_ms = listed.leased.registered_ms if listed else observer.clock.epoch_ms()
        due_ms = born_ms + LIFETIME * 1000
        first = observer.seek_run({app}, INTERVAL_MS, due_ms - INTERVAL_MS)
        given = "self-preservation off, eviction every 5 s; one lease of 1 s, not renewed"
        return Rhythm(observer.tape(given), due_ms, first)


def record_evictions(cluster: Cluster, rhythm: Rhythm, *, short: bool = False) -> Evictions:
    """
    Record all rounds and series, one after another on a node that holds nothing else.

    A `short` recording leaves out the twenty runs that take a hundred leases to the last.
    """
    if rhythm.first is None:
        raise Inconclusive("the first expired lease was never evicted, so there is no rhythm.")
    with Observer(cluster) as observer:
        course = _Course(observer, rhythm.first)
        rounds: dict[int, Round | None] = {}
        before = after = None
        for size in SIZES:
            rounds[size] = course.round({f"EVICT-ROUND-{size}": size})
            if size == SIZES[0]:
                before, after = course.before, course.threshold()
        mixed = course.round({"EVICT-MIXED": 6}, live="EVICT-MIXED")
        returned = course.overridden("EVICT-OVERRIDDEN")
        page = observer.keep(observer.wire.page("/", headers={"Accept-Language": "en"}))
        hundred = rounds[100] = course.round(BLOCKS)
        series = course.to_the_end(BLOCKS) if hundred and not short else ()
        again = course.round(BLOCKS)
        uneven = course.round(UNEVEN)
        course.clear()
        given = (
            "self-preservation off, renewalPercentThreshold 0.85, eviction every 5 s; leases of "
            "1 s registered right after a run, so that all have expired at the next"
        )
        tape = observer.tape(given)
    return Evictions(
        tape, rounds, mixed, before, after, returned, page, hundred, series, again, uneven
    )


class _Course:
    """Rounds one after another; `last` is the run that was seen last."""

    def __init__(self, observer: Observer, last: Run) -> None:
        self.observer = observer
        self.last = last
        self.before: int | None = None
        self._counted = "counters" in observer.node.target.capabilities

    def threshold(self) -> int | None:
        """Read the threshold where the target shows it."""
        return self.observer.counters().threshold if self._counted else None

    def round(self, sizes: Mapping[str, int], live: str = "") -> Round | None:
        """
        Make one run over so many expired leases by application, plus a live one of `live`.

        What it leaves stays until the next round; None if its guard was not met in any try.
        """
        samples = [
            sample(app, f"{app.lower()}-{number}", duration=LIFETIME)
            for app, size in sizes.items()
            for number in range(size)
        ]
        alive = [sample(live, f"{live.lower()}-live", duration=3600)] if live else []
        for _ in range(TRIES):
            found = self._attempt([*samples, *alive], {str(one["instanceId"]) for one in alive})
            if found is not None:
                return found
        return None

    def overridden(self, app: str) -> Record | None:
        """Let an instance under an override be evicted, register it again and read it."""
        name = app.lower()
        lone = [sample(app, name, duration=LIFETIME)]
        for _ in range(TRIES):
            if self._attempt(lone, set(), override="OUT_OF_SERVICE"):
                wire = self.observer.wire
                wire.register(lone[0])
                record = self.observer.keep(wire.instance(app, name)).record()
                self.observer.cancel({name: app})
                return record
        return None

    def clear(self) -> None:
        """Empty the node: what an earlier round left would count in the cap."""
        if held := {name: one.app for name, one in self.observer.held().items()}:
            self.observer.cancel(held)

    def to_the_end(self, sizes: Mapping[str, int]) -> tuple[Run, ...]:
        """Wait until nothing is left of the round just made and return all its runs."""
        observer, first = self.observer, self.last
        clock, total = observer.clock, sum(sizes.values())
        end = clock.at_epoch_ms(first.start_ms) + (SERIES - 1) * INTERVAL_MS / 1000
        try:
            clock.wait_until(
                lambda: len(observer.evicted(sizes, first.start_ms - 1)) == total,
                within=4 * INTERVAL_MS / 1000 + GRACE,
                what=f"the eviction of all {total} leases",
                pace=2 * PACE,
                not_before=end + SETTLING,
            )
        except WaitedInVain as vain:
            observer.note(str(vain))
        runs = observer.runs(sizes, INTERVAL_MS, first.start_ms - 1)
        for run in runs[1:]:
            observer.note_run(run)
        self.last = runs[-1]
        return runs

    def _attempt(
        self, samples: Sequence[Sample], live: set[str], override: str = ""
    ) -> Round | None:
        """Register, wait for the run; None if it came before all of them had expired."""
        observer = self.observer
        app_of = {str(one["instanceId"]): str(one["app"]) for one in samples}
        apps = set(app_of.values())
        self.clear()
        observer.register(samples)
        observer.note(f"register {len(samples)}")
        if override:
            ((name, app),) = app_of.items()
            observer.keep(observer.wire.set_status(app, name, override))
        self.before = self.threshold()
        listed = observer.leases(apps)
        due_ms = max(
            (
                one.leased.registered_ms + LIFETIME * 1000
                for name, one in listed.items()
                if name not in live
            ),
            default=0,
        )
        if override:  # a status call renews: twice the lease from now on
            due_ms = observer.clock.epoch_ms() + 2 * LIFETIME * 1000
        run = observer.await_run(apps, INTERVAL_MS, self.last.start_ms)
        self.last = run
        if len(listed) < len(samples) or run.start_ms < due_ms:
            observer.note("the run came before all leases had expired: once more")
            return None
        return Round(app_of, frozenset(live), run)
