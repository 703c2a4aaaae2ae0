"""
The recordings of the profiles `clock` and `step`: the process stands still, the wall clock jumps.

Leases of staggered lengths are registered right after a run, so that the next run's due time, and
what it evicts, tell exactly how much lateness was added to every lease.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.observer import GRACE, PACE, Observer
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.runs import Run
    from eureka_tck.observe.tape import Tape

INTERVAL_MS: Final = 10_000  # fixtures/profiles/clock.toml
STOPS: Final = 4.0  # s after a run the process stands still
GOES_ON: Final = 24.0  # s after the same run it goes on: the next one is 14 s late
LATE_ENOUGH: Final = 8.0  # s of lateness at which the staggered leases tell right from wrong

STAGGERED: Final = (3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18)
"""Durations in s, from what ran out before the run was due to what ran out just before it came."""

NEAR: Final = 0.5  # s around the due time in which a lease is not judged
ENOUGH: Final = 4  # leases run out by the due time: one more than 85 % of the 16 would let go
RENEWED: Final = 14  # s, the lease of the instance that renews after the pause

STEP: Final = 60.0  # s, forwards
OUTLASTING: Final = 40  # s, leases that live on through two runs after the step
TRIES: Final = 4


@dataclass(frozen=True, slots=True)
class Stall:
    """
    A run that came late because the process stood still, and the next that evicted anything.

    `due_ms` is when it was due, `expiry_ms` when each lease ran out (registry's epoch ms).
    """

    tape: Tape
    due_ms: int
    late: Run
    following: Run | None
    expiry_ms: Mapping[str, int]
    renewed: str

    @property
    def lateness(self) -> float:
        """How late the run was, in s."""
        return (self.late.start_ms - self.due_ms) / 1000

    def can_tell(self) -> bool:
        """Say whether it was late enough, and leases ran out on either side of the due time."""
        return (
            self.lateness >= LATE_ENOUGH
            and len(self.expired_by_due_time()) >= ENOUGH
            and bool(self.expired_while_late())
        )

    def victims_of_the_next(self) -> frozenset[str]:
        """Return whom the run after the late one evicted; nobody if none was seen."""
        return frozenset(self.following.victims) if self.following else frozenset()

    def victims(self) -> frozenset[str]:
        """Return all that either run evicted."""
        return frozenset(self.late.victims) | self.victims_of_the_next()

    def expired_by_due_time(self) -> frozenset[str]:
        """Return those whose lease had run out when the run was due."""
        return frozenset(
            name for name, ms in self.expiry_ms.items() if ms < self.due_ms - NEAR * 1000
        )

    def expired_while_late(self) -> frozenset[str]:
        """Return those whose lease ran out after that, but before the run came."""
        return frozenset(
            name
            for name, ms in self.expiry_ms.items()
            if self.due_ms + NEAR * 1000 < ms < self.late.start_ms - NEAR * 1000
        )


@dataclass(frozen=True, slots=True)
class Step:
    """
    Two runs after the wall clock was stepped.

    `lasting` are those whose leases outlast both, `gone` which of them were evicted or are no
    longer listed, `canaries` the leases of a second that were evicted by one run each.
    """

    tape: Tape
    lasting: frozenset[str]
    gone: frozenset[str]
    canaries: tuple[str, ...]


def record_stall(cluster: Cluster) -> Stall:
    """Stop the process over the due time of a run; again where the stop did not fall as meant."""
    with Observer(cluster) as observer:
        last = _first_run(observer, "STALL-FIRST")
        for attempt in range(TRIES):
            found, last = _attempt(observer, last, f"STALL-{attempt}")
            if found is not None:
                return found
        raise Inconclusive(
            f"in {TRIES} tries no run came {LATE_ENOUGH:g} s or more late "
            f"with all leases registered, and {ENOUGH} of them run out, before it was due.",
            late=True,
        )


def record_step(cluster: Cluster) -> Step:
    """Step the wall clock forwards right after a run, and watch two more."""
    with Observer(cluster) as observer:
        _first_run(observer, "STEP-FIRST")
        lasting = [f"lasting-{number}" for number in range(5)]
        registered_at = observer.clock.now()
        observer.register([sample("STEP-LASTING", name, duration=OUTLASTING) for name in lasting])
        observer.note(f"register {len(lasting)} of {OUTLASTING} s")
        observer.node.step_wall_clock(STEP)
        observer.note(f"step the wall clock by +{STEP:g} s")
        observer.wire.close()  # a server may time its kept connections by the wall clock
        try:
            if (seen := _stepped_by(observer)) < STEP / 2:
                raise Inconclusive(f"the registry's stamps moved by {seen:.1f} s only.")
            canaries = [_canary(observer, f"canary-{number}") for number in range(2)]
            # Not the delta alone: one that is timed by the wall clock may forget what it told.
            listed = observer.leases({"STEP-LASTING"}).keys()
            gone = frozenset(observer.evicted({"STEP-LASTING"})) | (frozenset(lasting) - listed)
            if (took := observer.clock.now() - registered_at) > OUTLASTING:
                raise Inconclusive(
                    f"two runs were seen only {took:.1f} s after the registrations, when leases "
                    f"of {OUTLASTING} s may rightly be gone.",
                    late=True,
                )
        finally:
            observer.node.step_wall_clock(0)
        given = (
            f"self-preservation off, eviction every 10 s, no cap; leases of {OUTLASTING} s, the "
            f"wall clock stepped by +{STEP:g} s right after a run"
        )
        return Step(observer.tape(given), frozenset(lasting), gone, tuple(canaries))


def _first_run(observer: Observer, app: str) -> Run:
    """Let a lease of a second run out: the run that takes it gives the rhythm."""
    observer.wire.register(sample(app, app.lower(), duration=1))
    return observer.await_run({app}, INTERVAL_MS, observer.clock.epoch_ms() - INTERVAL_MS)


def _attempt(observer: Observer, last: Run, app: str) -> tuple[Stall | None, Run]:
    """Make one pause; None where it did not fall as meant, and the run seen last."""
    clock = observer.clock
    durations = {f"{app.lower()}-{seconds}": seconds for seconds in STAGGERED}
    renewed = f"{app.lower()}-renewed"
    samples = [sample(app, name, duration=seconds) for name, seconds in durations.items()]
    observer.register([*samples, sample(app, renewed, duration=RENEWED)])
    observer.note(f"register {len(samples) + 1} of {STAGGERED[0]} to {STAGGERED[-1]} s")
    listed = observer.leases({app})
    run_at = clock.at_epoch_ms(last.start_ms)
    clock.reach(run_at + STOPS)
    observer.node.pause()
    stopped_at = clock.now()
    observer.note("the process stands still")
    try:
        clock.reach(run_at + GOES_ON)
    finally:
        observer.node.resume()
    observer.note("the process goes on")
    late = observer.await_run({app}, INTERVAL_MS, last.start_ms)
    observer.keep(observer.wire.renew(app, renewed))
    following = observer.seek_run({app}, INTERVAL_MS, late.start_ms)
    due_ms = last.start_ms + INTERVAL_MS
    expiry_ms = {
        name: listed[name].leased.registered_ms + seconds * 1000
        for name, seconds in durations.items()
        if name in listed
    }
    given = (
        "self-preservation off, eviction every 10 s, no cap; leases of 3 to 18 s registered right "
        "after a run, the process stopped from 4 s to 24 s after it"
    )
    found = Stall(observer.tape(given), due_ms, late, following, expiry_ms, renewed)
    in_time = stopped_at < clock.at_epoch_ms(due_ms) - NEAR
    if not (len(listed) == len(samples) + 1 and in_time and found.can_tell()):
        observer.note("the pause did not fall as meant: once more")
        return None, following or late
    return found, following or late


def _canary(observer: Observer, name: str) -> str:
    """Let a lease of a second run out: when it is evicted, a run has been."""
    app, clock = "STEP-CANARY", observer.clock
    observer.wire.register(sample(app, name, duration=1))
    try:
        clock.wait_until(
            lambda: name in observer.evicted({app}),
            within=2 * INTERVAL_MS / 1000 + GRACE,
            what="the eviction of a lease of 1 s",
            pace=PACE,
        )
    except WaitedInVain as vain:
        raise Inconclusive(f"no eviction run was seen after the step: {vain}.") from vain
    observer.note(f"{name} was evicted")
    return name


def _stepped_by(observer: Observer) -> float:
    """Return by how many seconds the registry's stamps are ahead of its clock without a step."""
    observer.wire.register(sample("STEP-PROBE", "probe", duration=3600))
    record = observer.wire.instance("STEP-PROBE", "probe").record()
    return (record.leased.registered_ms - observer.clock.epoch_ms()) / 1000
