"""The recordings of profile `peer-odd`: odd lists of peers, a full queue, a slow link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.actors.reaction import Reply
from eureka_tck.clock import WaitedInVain
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
    from eureka_tck.actors.peer import ScriptedPeer
    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape

APP: Final = "ODD"
LONG: Final = 3600  # s
SETTLED: Final = 1.5  # s after which a change no longer shares a batch with the next
RENEWALS: Final = 5  # of one instance, each in a batch of its own
MARKERS: Final = 3  # renewals that mark the first minute of node b
POOL: Final = 50  # tasks, fixtures/profiles/peer-odd.toml
OFFERED: Final = 200  # changes for the queue that holds 50
READ_TIMEOUT: Final = 3.0  # s, the same
SLOW: Final = READ_TIMEOUT * 1.5  # s by which the answers of node b come late at node a
INTERVAL: Final = 5.0  # s, peerEurekaNodesUpdateIntervalMs of the profile
TAKEN_UP: Final = INTERVAL + 2.0  # s until a changed list must be followed
LIST: Final = "eureka.client.serviceUrl.defaultZone"


@dataclass(frozen=True, slots=True)
class OddPeers:
    """
    What peers were told that stood oddly in a list.

    `listed_twice` are the tasks for one call at the peer listed twice; `beside` counts those at
    the peer on the node's own host, `own` those at the URL it takes for its own, `to_itself`
    the renewals, of `RENEWALS`, that it sent to itself under another name.
    `kept` are the numbers of the changes, of `OFFERED`, that came out of a queue that holds 50.
    `counted` is what node b counted of one renewal at node a, whose answers came late;
    `delivered` how often it was delivered, never in a short recording.
    """

    tape: Tape
    listed_twice: tuple[str, ...]
    beside: int
    own: int
    to_itself: int
    kept: tuple[int, ...]
    counted: int
    delivered: int


def record_odd_peers(cluster: Cluster, *, short: bool = False) -> OddPeers:
    """
    Let two nodes meet their odd peers, and count at node b what a slow link repeats.

    A `short` recording leaves out what takes node b's first two minutes: the slow link.
    """
    one, alias, slow = (cluster.peer(name) for name in ("one", "alias", "slow"))
    alias.mirrors(cluster["a"].root)
    with Observer(cluster) as a, Observer(cluster, "b") as b:
        clock = a.clock
        ready = opened_lately(clock, b.started_at)
        for name in ("marker", "repeated"):
            b.wire.register(sample(APP, name, duration=LONG), replication=True)
        for _ in range(MARKERS):
            b.wire.renew(APP, "marker", replication=True)
        began = clock.now()
        a.wire.register(sample(APP, "itself", duration=LONG), replication=True)
        for _ in range(RENEWALS):
            a.wire.renew(APP, "itself")
            clock.reach(clock.now() + SETTLED)
        control = one.await_tasks(["itself"], app=APP, since=began)
        to_itself = len(alias.tasks(began, app=APP, id="itself", action="Heartbeat"))
        a.note(f"{RENEWALS} renewals, {to_itself} of them to itself")
        a.wire.register(sample(APP, "twice", duration=LONG))
        one.await_tasks(["twice"], app=APP, since=began)
        clock.reach(clock.now() + SETTLED)
        twice = tuple(task.action for task in one.tasks(began, app=APP, id="twice"))
        kept = _overflow(b, cluster.peer("two"))
        counted, delivered = (0, 0) if short else _repeat(a, b, slow, ready)
        beside = len(cluster.peer("beside-a").tasks(began))
        own = len(cluster.peer("mine").tasks(began))
        if len(control) < RENEWALS:
            raise Inconclusive(
                f"peer one was told of {len(control)} renewals of {RENEWALS}, so their number at "
                "the others says nothing."
            )
        given = "two nodes with odd lists of peers, all of them ours but each other"
        return OddPeers(a.tape(given), twice, beside, own, to_itself, kept, counted, delivered)


def _overflow(b: Observer, two: ScriptedPeer) -> tuple[int, ...]:
    """Offer more changes than the queue holds while the peer is busy; return which came."""
    clock = b.clock
    names = {f"offered-{number}": number for number in range(OFFERED)}
    with two.behaving(Reply(503)):
        for name in names:
            b.wire.register(sample(APP, name, duration=LONG, interval=120))
    well = clock.now()
    two.await_tasks([f"offered-{OFFERED - 1}"], app=APP, since=well)
    clock.reach(clock.now() + 2 * SETTLED)
    kept = sorted({names[task.id] for task in two.tasks(well, app=APP) if task.id in names})
    b.note(f"{len(kept)} of {OFFERED} came out of a queue of {POOL}")
    return tuple(kept)


def _repeat(a: Observer, b: Observer, slow: ScriptedPeer, ready: float) -> tuple[int, int]:
    """Renew once at a, with b behind a slow link; return what b counted, and the deliveries."""
    clock = a.clock
    opened = watch_change(
        clock,
        lambda: b.counters().renewals_last_minute,
        0,
        b.started_at + MINUTE,
        ready + MINUTE,
    )
    minutes = Minutes.after(clock, opened)
    slow.mirrors(b.cluster["b"].root, after=SLOW)
    a.wire.register(sample(APP, "repeated", duration=LONG), replication=True)
    minutes.reach(1, FIRST_CALL)
    began = clock.now()
    a.keep(a.wire.renew(APP, "repeated"))
    minutes.within(1)
    a.note("one renewal at a; the answers of b come 4.5 s later")
    minutes.reach(2, READING)
    counted = b.counters().renewals_last_minute
    minutes.within(2)
    slow.mirrors(None)
    delivered = len(slow.tasks(began, app=APP, id="repeated", action="Heartbeat"))
    a.note(f"{delivered} deliveries, {counted} counted at b")
    return counted, delivered


@dataclass(frozen=True, slots=True)
class NewList:
    """
    What three peers were told after the list of node a had changed to one peer, by phase.

    `added`: peer `three`, then listed, was told; `removed`: peer `one`, no longer listed, was;
    `emptied`: peer `three` was told after a list without any peer.
    """

    tape: Tape
    added: bool
    removed: bool
    emptied: bool


def record_new_list(cluster: Cluster) -> NewList:
    """Give node a another list of peers, then none."""
    one, three = cluster.peer("one"), cluster.peer("three")
    before = cluster["a"].plan.settings[LIST]
    with Observer(cluster) as a:
        clock = a.clock
        began = clock.now()
        a.wire.register(sample(APP, "listed-0", duration=LONG))
        one.await_tasks(["listed-0"], app=APP, since=began)
        try:
            cluster["a"].change_settings({LIST: three.url})
            a.note("the list is now one other peer")
            clock.reach(clock.now() + TAKEN_UP)
            changed = clock.now()
            a.wire.register(sample(APP, "listed-1", duration=LONG))
            added = _is_told(a, three, "listed-1")
            removed = bool(one.tasks(changed, app=APP, id="listed-1"))
            cluster["a"].change_settings({LIST: ""})
            a.note("the list is now empty")
            clock.reach(clock.now() + TAKEN_UP)
            a.wire.register(sample(APP, "listed-2", duration=LONG))
            emptied = _is_told(a, three, "listed-2")
        finally:
            cluster["a"].change_settings({LIST: before})
        given = f"a list of peers that is changed while the node runs, read every {INTERVAL:g} s"
        return NewList(a.tape(given), added, removed, emptied)


def _is_told(observer: Observer, peer: ScriptedPeer, name: str) -> bool:
    try:
        observer.clock.wait_until(
            lambda: peer.tasks(app=APP, id=name), within=5.0, what=f"{name} at {peer.name}"
        )
    except WaitedInVain:
        return False
    return True
