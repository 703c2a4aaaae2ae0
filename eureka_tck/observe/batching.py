"""
The recordings of profile `peer-fine`: what becomes of changes within one batching delay.

A sequence of calls counts only if it was made within the delay, else it is made again; what the
peer was told is replayed on a blank page, for only the end counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from eureka_tck.observe.observer import Observer
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.sample import DIRTY_MS, sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from eureka_tck.actors.arrival import Task
    from eureka_tck.actors.peer import ScriptedPeer
    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.client import WireClient

    Step = Callable[[WireClient, str], Answer]

APP: Final = "FINE"
LONG: Final = 3600  # s
BATCHING: Final = 0.5  # s, com.netflix.eureka.cluster.PeerEurekaNode MAX_BATCHING_DELAY_MS
ON_THE_WAY: Final = 0.15
"""s from a full batch to its arrival, by the catalogue; an idle machine needs up to 24 ms of it."""
ON_A_LOADED_WAY: Final = 0.6  # s, what the catalogue grants where the machine is loaded
CALM: Final = 0.15
"""s of lateness up to which a sample is sure: 0.35 s lie between a right delay that is granted its
way and one of 1.0 s, that of a queue which waits twice."""
WINDOW: Final = 0.4  # s within which a sequence must be made: 0.1 s less than the delay
SETTLED: Final = 1.2  # s after which a change no longer shares a batch with the next
TRIES: Final = 6
SAMPLES: Final = 10
AT_MOST_LATE: Final = 5  # of them, by stalls that nothing measured
GAP: Final = 0.3  # s between a change that has arrived and the next: no longer in its batch
PROBES: Final = 0.1  # s between two reads that tell whether the node is late
SEEN_WITHIN: Final = 10.0  # s until a change counts as not seen
HOT_FOR: Final = 5.0  # s of a client that renews far too often
HOT_EVERY: Final = 0.15  # s
HOT_GAP: Final = 0.45  # s without a renewal, after which the batching delay may pass: no proof


@dataclass(frozen=True, slots=True)
class Delays:
    """
    By how much later than its call each of ten single changes arrived, in s.

    `lateness` is how late the machine was meanwhile: we ourselves, or the node in its slowest
    answer to reads that were made all the time.
    """

    tape: Tape
    delays: tuple[float, ...]
    lateness: tuple[float, ...]

    @property
    def prompt(self) -> int:
        """How many came within the delay and what an idle machine is granted."""
        return sum(delay <= BATCHING + ON_THE_WAY for delay in self.delays)

    @property
    def late(self) -> int:
        """How many came later though the machine was in time, or later than any is granted."""
        pairs = zip(self.delays, self.lateness, strict=True)
        return sum(
            delay > BATCHING + ON_A_LOADED_WAY + late
            or (late <= CALM and delay > BATCHING + ON_THE_WAY + late)
            for delay, late in pairs
        )

    def tell(self) -> None:
        """Raise Inconclusive where neither the prompt ones nor the late ones are enough."""
        if self.late <= AT_MOST_LATE and self.prompt < SAMPLES - AT_MOST_LATE:
            raise Inconclusive(
                f"{self.prompt} of {SAMPLES} changes came in time, {self.late} were late; of the "
                f"others the machine was late itself, by {max(self.lateness):.2f} s at worst.",
                late=True,
            )


def record_delays(cluster: Cluster) -> Delays:
    """Make ten single changes, each when the one before has arrived."""
    peer = cluster.peer("one")
    with Observer(cluster) as observer:
        clock = observer.clock
        delays, lateness = [], []
        for number in range(SAMPLES):
            name = f"single-{number}"
            clock.reach(clock.now() + GAP)
            at = clock.now()
            observer.keep(observer.wire.register(sample(APP, name, duration=LONG)))
            delay, slowest = _told_meanwhile(observer, peer, name, at)
            delays.append(delay)
            lateness.append(max(clock.lateness(at), slowest))
        observer.note("ten registrations, " + ", ".join(f"{delay:.2f}" for delay in delays))
        given = "a node whose peer accepts all; ten registrations, one after another"
        return Delays(observer.tape(given), tuple(delays), tuple(lateness))


def _told_meanwhile(
    observer: Observer, peer: ScriptedPeer, name: str, at: float
) -> tuple[float, float]:
    """
    Return how long after that instant the peer was told of an instance, infinite if never.

    Also the slowest answer of the node meanwhile, in registry s: a node that gets no processor
    is late with its answers as it is with its batches.
    """
    clock, slowest = observer.clock, 0.0
    while clock.now() < at + SEEN_WITHIN:
        if told := peer.tasks(at, app=APP, id=name):
            return told[0].at - at, slowest
        seconds = observer.wire.instance(APP, name).seconds
        slowest = max(slowest, seconds * clock.speed)
        clock.reach(clock.now() + PROBES)
    return float("inf"), slowest


def _told_after(peer: ScriptedPeer, name: str, at: float) -> float:
    """Return how long after that instant the peer was told of an instance; infinite if never."""
    try:
        first, *_ = peer.await_tasks([name], app=APP, since=at, within=SEEN_WITHIN)
    except Inconclusive:
        return float("inf")
    return first.at - at


@dataclass(slots=True)
class Page:
    """What a peer holds of one instance after tasks, as any receiver carries them out."""

    there: bool = False
    override: str | None = None
    actions: list[str] = field(default_factory=list)

    def read(self, tasks: Iterable[Task]) -> Page:
        """Carry out these tasks."""
        for task in tasks:
            self.actions.append(task.action)
            match task.action:
                case "Register":
                    self.there = True
                    told = task.instance.get("overriddenStatus") or task.instance.get(
                        "overriddenstatus"
                    )
                    if self.override is None and told not in {None, "UNKNOWN"}:
                        self.override = str(told)
                case "Cancel":
                    self.there, self.override = False, None
                case "StatusUpdate":
                    self.override = task.status
                case "DeleteStatusOverride":
                    self.override = None
        return self


@dataclass(frozen=True, slots=True)
class Told:
    """What a peer was told of calls within one batching delay, and what it then holds."""

    tasks: tuple[Task, ...]
    there: bool
    override: str | None

    def of(self, action: str) -> tuple[Task, ...]:
        """Return the tasks of one kind."""
        return tuple(task for task in self.tasks if task.action == action)


@dataclass(frozen=True, slots=True)
class Quick:
    """What became of quick sequences of changes to one instance each, by their names."""

    tape: Tape
    by: Mapping[str, Told]


def record_quick(cluster: Cluster) -> Quick:
    """Make several changes to one instance within a batching delay, in five ways."""
    peer = cluster.peer("one")
    cancel = _cancel
    stories: dict[str, tuple[bool, Sequence[Step]]] = {
        "alike": (True, [*([_renew] * 5), *(_register(number) for number in (1, 2, 3))]),
        "register, cancel, register": (False, [_register(1), cancel, _register(2)]),
        "cancel, register, cancel": (True, [cancel, _register(1), cancel]),
        "set, remove, set": (True, [_status, _removal, _status]),
        "remove, set, remove": (True, [_removal, _status, _removal]),
    }
    with Observer(cluster) as observer:
        by = {
            story: _make(observer, peer, story, steps, known=known)
            for story, (known, steps) in stories.items()
        }
        given = "a node whose peer accepts all; each sequence made within 0.4 s"
        return Quick(observer.tape(given), by)


def _make(
    observer: Observer, peer: ScriptedPeer, story: str, steps: Sequence[Step], *, known: bool
) -> Told:
    clock, wire = observer.clock, observer.wire
    for attempt in range(TRIES):
        name = f"{story.replace(', ', '-')}-{attempt}"
        control = f"control-{name}"
        began = clock.now()
        if known:
            wire.register(sample(APP, name, duration=LONG))
            if story == "remove, set, remove":
                wire.set_status(APP, name, "DOWN")
            peer.await_tasks([name], app=APP, since=began)
            clock.reach(clock.now() + SETTLED)
        else:
            # The first call of all wakes what sleeps; it must not be one of the sequence.
            wire.instance(APP, name)
        before = peer.tasks(began, app=APP, id=name)
        at = clock.now()
        answers = [step(wire, name) for step in steps]
        if clock.now() - at > WINDOW:
            continue
        observer.note(f"{story}: {len(steps)} calls in {clock.now() - at:.2f} s")
        for answer in answers:
            observer.keep(answer)
        clock.reach(clock.now() + SETTLED)
        wire.register(sample(APP, control, duration=LONG))
        peer.await_tasks([control], app=APP, since=at, within=SEEN_WITHIN)
        tasks = peer.tasks(at, app=APP, id=name)
        page = Page().read([*before, *tasks])
        told = ", ".join(task.action for task in tasks) or "nothing"
        observer.note(f"{story}: the peer was told {told}")
        return Told(tuple(tasks), page.there, page.override)
    raise Inconclusive(
        f"{len(steps)} calls took longer than {WINDOW:g} s in each of {TRIES} tries.", late=True
    )


def _register(number: int) -> Step:
    return lambda wire, name: wire.register(
        sample(
            APP,
            name,
            duration=LONG,
            lastDirtyTimestamp=str(DIRTY_MS + number),
            metadata={"version": str(number)},
        )
    )


def _renew(wire: WireClient, name: str) -> Answer:
    return wire.renew(APP, name)


def _cancel(wire: WireClient, name: str) -> Answer:
    return wire.cancel(APP, name)


def _status(wire: WireClient, name: str) -> Answer:
    return wire.set_status(APP, name, "DOWN")


def _removal(wire: WireClient, name: str) -> Answer:
    return wire.remove_status(APP, name, "UP")


@dataclass(frozen=True, slots=True)
class Hot:
    """How long the registration of a quiet instance took beside a client that renewed in haste."""

    tape: Tape
    delay: float
    stopped: float


def record_hot(cluster: Cluster) -> Hot:
    """Renew one instance every 0.15 s for 5 s, and register another meanwhile."""
    peer = cluster.peer("one")
    with Observer(cluster) as observer:
        for attempt in range(TRIES // 2):
            hot = _heat(observer, peer, attempt)
            if hot is not None:
                return hot
        raise Inconclusive(
            f"our renewals were {HOT_GAP:g} s apart in each of {TRIES // 2} tries.", late=True
        )


def _heat(observer: Observer, peer: ScriptedPeer, attempt: int) -> Hot | None:
    clock, wire = observer.clock, observer.wire
    hasty, quiet = f"hasty-{attempt}", f"quiet-{attempt}"
    began = clock.now()
    wire.register(sample(APP, hasty, duration=LONG))
    peer.await_tasks([hasty], app=APP, since=began)
    clock.reach(clock.now() + SETTLED)
    began = last = clock.now()
    called: float | None = None
    widest = 0.0
    while clock.now() < began + HOT_FOR:
        wire.renew(APP, hasty)
        if called is None and clock.now() > began + 2 * BATCHING:
            called = clock.now()
            observer.keep(wire.register(sample(APP, quiet, duration=LONG)))
        widest, last = max(widest, clock.now() - last), clock.now()
        clock.reach(last + HOT_EVERY)
    if widest > HOT_GAP or called is None:
        return None
    delay = _told_after(peer, quiet, called)
    observer.note(f"registered at {called:.2f} s, told to the peer {delay:.2f} s later")
    given = f"one instance renewed every {HOT_EVERY:g} s for {HOT_FOR:g} s"
    return Hot(observer.tape(given), delay, last - called)
