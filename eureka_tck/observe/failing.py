"""The recordings of profile `peer` about peers that fail: what is tried again, and for how long."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.actors.reaction import Close, Hang, Reply, Reset
from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.observer import Observer
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.sample import sample, without

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.actors.arrival import Arrival
    from eureka_tck.actors.peer import ScriptedPeer
    from eureka_tck.actors.reaction import Reaction
    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape

APP: Final = "FAILING"
LONG: Final = 3600  # s
SETTLED: Final = 1.5  # s after which a change no longer shares a batch with the next
READ_TIMEOUT: Final = 3.0  # s, fixtures/profiles/peer.toml
DELIVERED_WITHIN: Final = READ_TIMEOUT + 5.0  # s from recovery: a try that still hangs, and a pause
MANY: Final = 300  # registrations that wait for one busy peer
MOST: Final = 250  # tasks of a batch, com.netflix.eureka.cluster.PeerEurekaNode MAX_BATCH_SIZE

PASSING: Final[Mapping[str, tuple[Reaction | None, float]]] = {
    "503": (Reply(503), 4.0),
    "hang": (Hang(), 2 * (READ_TIMEOUT + 1.0) + 2.0),
    "reset": (Reset(), 3.0),
    "close": (Close(), 3.0),
    "refuse": (None, 3.0),
}
"""Failures after which the same may pass later, and for how many seconds the peer fails so."""

FINAL: Final[Mapping[str, Reaction]] = {
    "302": Reply(302),
    "400": Reply(400),
    "401": Reply(401),
    "404": Reply(404),
    "429": Reply(429),
    "500": Reply(500),
}
"""Answers that will be the same next time."""

REFUSED_FOR: Final = 1.8  # s: three batching delays

ODD: Final[Mapping[str, Reaction]] = {
    "nothing": Reply(200),
    "garbage": Reply(200, b"<html>", "text/html"),
    "no list": Reply(200, b"{}"),
    "an empty list": Reply(200, b'{"responseList":[]}'),
}
"""Answers of a peer that says 200 and something else."""


@dataclass(frozen=True, slots=True)
class Failure:
    """
    One way to fail for `seconds`, and what the node did meanwhile and after it.

    `attempts` are the batches with the changes made meanwhile, `delivered` says whether they
    came once the peer was well again, `fresh` whether a later change did.
    `opened` counts the connections made meanwhile, `open` those open at its end.
    """

    seconds: float
    attempts: tuple[Arrival, ...]
    delivered: bool
    fresh: bool
    opened: int
    open: int

    @property
    def repeats(self) -> int:
        """How many batches said again exactly what one before them had said."""
        seen: list[list[object]] = []
        repeated = 0
        for batch in self.attempts:
            said: list[object] = [task.fields for task in batch.tasks]
            repeated += said in seen
            seen.append(said)
        return repeated

    @property
    def busiest_second(self) -> int:
        """The most attempts within any second."""
        instants = [batch.at for batch in self.attempts]
        return max((sum(0 <= at - begin < 1 for at in instants) for begin in instants), default=0)


@dataclass(frozen=True, slots=True)
class Call:
    """A client's call while peers failed: its duration, and when peer `one` was told, in s."""

    seconds: float
    lag: float


@dataclass(frozen=True, slots=True)
class Failures:
    """
    Peer `failing` in all its ways, one after another, by name.

    `calls` were made while it hung and peer `deaf` was busy;
    `sizes` are those of the batches in which many waiting changes came, `arrived` how many came.
    """

    tape: Tape
    by: Mapping[str, Failure]
    calls: tuple[Call, ...]
    sizes: tuple[int, ...]
    arrived: int


def record_failures(cluster: Cluster) -> Failures:
    """Let peer `failing` fail in every way we know, and recover each time."""
    peer = cluster.peer("failing")
    by: dict[str, Failure] = {}
    calls: list[Call] = []
    with Observer(cluster) as observer:
        for name, (reaction, seconds) in PASSING.items():
            if name == "hang":
                by[name], calls = _hang(observer, peer, seconds)
            else:
                by[name] = _fail(observer, peer, name, reaction, seconds)
        for name, reaction in {**FINAL, **ODD}.items():
            by[name] = _fail(observer, peer, name, reaction, REFUSED_FOR)
        sizes, arrived = _backlog(observer, peer)
        given = "a node with six peers: one fails, one is busy all the time, one accepts all"
        return Failures(observer.tape(given), by, tuple(calls), sizes, arrived)


def _fail(
    observer: Observer,
    peer: ScriptedPeer,
    name: str,
    reaction: Reaction | None,
    seconds: float,
) -> Failure:
    clock = observer.clock
    began, before = clock.now(), peer.connections
    if reaction is None:
        peer.refuse()
    else:
        peer.reacts(reaction)
    changed = [f"{name}-1", f"{name}-2"]
    for one in changed:
        observer.wire.register(sample(APP, one, duration=LONG))
    clock.reach(began + seconds)
    return _recover(observer, peer, name, changed, began=began, before=before)


def _recover(
    observer: Observer,
    peer: ScriptedPeer,
    name: str,
    changed: list[str],
    *,
    began: float,
    before: int,
) -> Failure:
    clock = observer.clock
    well = clock.now()
    open_now, opened = peer.open_connections, peer.connections - before
    peer.listen()
    peer.reacts(None)
    attempts = tuple(
        batch
        for batch in peer.batches(began)
        if batch.at < well and any(task.app == APP and task.id in changed for task in batch.tasks)
    )
    again = name not in FINAL and name not in ODD
    delivered = again and _has_come(observer, peer, changed, since=well)
    observer.wire.register(sample(APP, f"{name}-fresh", duration=LONG))
    fresh = _has_come(observer, peer, [f"{name}-fresh"], since=well)
    observer.note(f"{name}: {len(attempts)} attempts in {well - began:.1f} s, then well")
    return Failure(well - began, attempts, delivered, fresh, opened, open_now)


def _hang(observer: Observer, peer: ScriptedPeer, seconds: float) -> tuple[Failure, list[Call]]:
    """Let the peer hang, and a client go on meanwhile."""
    clock, one = observer.clock, observer.cluster.peer("one")
    began, before = clock.now(), peer.connections
    peer.reacts(Hang())
    names = [f"hang-{number}" for number in range(10)]
    called: dict[str, tuple[float, float]] = {}
    for name in names:
        at = clock.now()
        answer = observer.wire.register(sample(APP, name, duration=LONG))
        called[name] = (at, answer.seconds * clock.speed)
        clock.reach(max(clock.now(), began + (len(called)) * seconds / 12))
    clock.reach(began + seconds)
    failure = _recover(observer, peer, "hang", names[:1], began=began, before=before)
    told = {task.id: task.at for task in reversed(one.tasks(began, app=APP, action="Register"))}
    calls = [Call(took, told.get(name, float("inf")) - at) for name, (at, took) in called.items()]
    return failure, calls


def _backlog(observer: Observer, peer: ScriptedPeer) -> tuple[tuple[int, ...], int]:
    """Let many changes wait for a busy peer; return the batches' sizes and what came."""
    app, clock = "BACKLOG", observer.clock
    names = [f"waiting-{number}" for number in range(MANY)]
    with peer.behaving(Reply(503)):
        for name in names:
            observer.wire.register(sample(app, name, duration=LONG, interval=120))
    well = clock.now()
    _has_come(observer, peer, names, since=well, app=app)
    batches = [
        batch for batch in peer.batches(well) if any(task.app == app for task in batch.tasks)
    ]
    arrived = len({task.id for batch in batches for task in batch.tasks if task.app == app})
    observer.note(f"{arrived} of {MANY} changes that waited have come, in {len(batches)} batches")
    return tuple(len(batch.tasks) for batch in batches), arrived


def _has_come(
    observer: Observer, peer: ScriptedPeer, names: list[str], *, since: float, app: str = APP
) -> bool:
    due = set(names)
    try:
        observer.clock.wait_until(
            lambda: due <= {task.id for task in peer.tasks(since, app=app)},
            within=DELIVERED_WITHIN,
            what=f"{len(due)} changes at peer {peer.name}",
            pace=0.25,
        )
    except WaitedInVain:
        return False
    return True


# how long


TRIED: Final[Mapping[str, float]] = {
    "registration with R = 12 s": 12.0,
    "registration with R = 0": 30.0,
    "registration without leaseInfo": 90.0,
    "renewal with R = 12 s": 12.0,
    "cancellation": 20.0,
    "status change": 20.0,
    "override removal": 20.0,
}
"""Calls, and for how many seconds at the least they are tried; maxTimeForReplication is 20 s."""

PERSISTING: Final = "PERSISTING"
SLACK: Final = 3.0  # s from the last attempt that is due until the record is read


@dataclass(frozen=True, slots=True)
class Outage:
    """Peer `deaf` answers 503 since before these calls; by name, when they were made."""

    called: Mapping[str, float]
    began: float


@dataclass(frozen=True, slots=True)
class Persistence:
    """By call, the age at which it was tried last, in s; None where it never was."""

    tape: Tape
    ages: Mapping[str, float | None]


def begin_outage(cluster: Cluster) -> Outage:
    """Make the calls that peer `deaf` will not hear; the other recordings go on beside it."""
    deaf = cluster.peer("deaf")
    known = [name for name in TRIED if not name.startswith("registration")]
    with Observer(cluster) as observer:
        clock, wire = observer.clock, observer.wire
        began = clock.now()
        for name in known:
            wire.register(sample(PERSISTING, name, duration=LONG, interval=12))
        wire.set_status(PERSISTING, "override removal", "OUT_OF_SERVICE")
        with suppress(Inconclusive):  # what it does not try, its own tests say
            deaf.await_tasks(known, app=PERSISTING, since=began)
        clock.reach(clock.now() + SETTLED)
        deaf.reacts(Reply(503))
        called: dict[str, float] = {}
        for name in TRIED:
            called[name] = clock.now()
            if name == "registration without leaseInfo":
                wire.register(without(sample(PERSISTING, name), "leaseInfo"))
            elif name.startswith("registration"):
                interval = 12 if "12" in name else 0
                wire.register(sample(PERSISTING, name, duration=LONG, interval=interval))
            elif name.startswith("renewal"):
                wire.renew(PERSISTING, name)
            elif name == "cancellation":
                wire.cancel(PERSISTING, name)
            elif name == "status change":
                wire.set_status(PERSISTING, name, "DOWN")
            else:
                wire.remove_status(PERSISTING, name, "UP")
        return Outage(called, began)


def record_persistence(cluster: Cluster, outage: Outage) -> Persistence:
    """See for how long the calls were tried."""
    deaf = cluster.peer("deaf")
    with Observer(cluster) as observer:
        observer.began = outage.began
        first = min(outage.called.values())
        observer.note("one call of each kind; the peer answers 503", at=first)
        observer.clock.reach(first + max(TRIED.values()) + SLACK)
        ages = {
            name: max(
                (task.at - at for task in deaf.tasks(at, app=PERSISTING, id=name)), default=None
            )
            for name, at in outage.called.items()
        }
        given = "a peer that answers 503 to all batches for 93 s, maxTimeForReplication 20 s"
        return Persistence(observer.tape(given), ages)
