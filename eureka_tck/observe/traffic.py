"""
The recordings of profile `mesh` about traffic, haste and restarts.

How many tasks one call causes, what a fast workload leaves behind, and when a node that was killed
is complete again.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.mesh import QUIET, SETTLED, State, await_everywhere, observers, single
from eureka_tck.observe.observer import GRACE, PACE
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.sample import DIRTY_MS, sample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.observer import Observer
    from eureka_tck.observe.tape import Tape
    from eureka_tck.wire.client import WireClient

LONG: Final = 3600  # s
CALLS: Final = 20  # registrations, and as many renewals
SILENCE: Final = 8.0  # s without a call: sixteen batching delays


@dataclass(frozen=True, slots=True)
class Traffic:
    """How many tasks of each kind a peer of all three nodes was told, and in silence after it."""

    tape: Tape
    told: Mapping[str, int]
    in_silence: tuple[str, ...]


def record_traffic(cluster: Cluster) -> Traffic:
    """Make 43 calls at node a, then none, and count what the scripted peer of all is told."""
    app, witness = "TRAFFIC", cluster.peer("witness")
    with observers(cluster) as nodes:
        a = nodes["a"]
        names = [f"one-{number}" for number in range(CALLS)]
        began = a.clock.now()
        for name in names:
            a.wire.register(sample(app, name, duration=LONG))
        await_everywhere(nodes, app, names)
        a.clock.reach(a.clock.now() + SETTLED)
        for name in names:
            a.wire.renew(app, name)
        a.clock.reach(a.clock.now() + SETTLED)
        a.wire.set_status(app, names[0], "OUT_OF_SERVICE")
        a.wire.set_metadata(app, names[1], {"colour": "blue"})
        a.wire.cancel(app, names[2])
        witness.await_tasks([names[2]], app=app, action="Cancel", since=began)
        a.clock.reach(a.clock.now() + SETTLED)
        told: dict[str, int] = {}
        for task in witness.tasks(began, app=app):
            told[task.action] = told.get(task.action, 0) + 1
        quiet = a.clock.now()
        a.note(f"43 calls at node a; the peer of all was told {sum(told.values())} tasks")
        a.clock.reach(quiet + SILENCE)
        silent = tuple(f"{task.action} of {task.id}" for task in witness.tasks(quiet))
        a.note(f"{SILENCE:g} s of silence, {len(silent)} tasks")
        given = "three nodes, each the peer of the others and of one that is ours"
        return Traffic(a.tape(given), told, silent)


HASTY: Final = 12  # instances
HASTY_ROUNDS: Final = 3
HASTY_CALLS: Final = 6  # a round and instance, one right after the other
HASTY_LAST: Final = f"hasty-{HASTY - 1}"  # the one that is shown where none differs
DIFFERING_SHOWN: Final = 5  # of those that differ, three reads each


@dataclass(frozen=True, slots=True)
class Haste:
    """Which instances differed between the nodes after fast changes, of how many."""

    tape: Tape
    differing: tuple[str, ...]
    compared: int


def record_haste(cluster: Cluster) -> Haste:
    """Change twelve instances fast, each at one node, and compare the nodes when they rest."""
    chance = random.Random(cluster.run.seed)
    differing: list[str] = []
    with observers(cluster) as nodes:
        a, letters = nodes["a"], list(nodes)
        for round_ in range(HASTY_ROUNDS):
            app = f"HASTE-{round_}"
            names = {f"hasty-{number}": letters[number % 3] for number in range(HASTY)}
            for name, node in names.items():
                nodes[node].wire.register(sample(app, name, duration=LONG))
            await_everywhere(nodes, app, list(names))
            a.clock.reach(a.clock.now() + SETTLED)
            dirty_ms = DIRTY_MS
            for name, node in names.items():
                for _ in range(HASTY_CALLS):
                    dirty_ms += 1
                    _call(nodes[node].wire, app, name, dirty_ms, chance)
            a.clock.reach(a.clock.now() + QUIET)
            held = {
                node: {name: State.of(one) for name, one in observer.leases({app}).items()}
                for node, observer in nodes.items()
            }
            for name in names:
                states = [held[node].get(name) for node in letters]
                if any(state != states[0] for state in states):
                    differing.append(f"{name} of round {round_ + 1}")
                    if len(differing) <= DIFFERING_SHOWN:
                        _show(nodes, app, name)
        _show(nodes, app, HASTY_LAST)
        a.note(f"{len(differing)} of {HASTY * HASTY_ROUNDS} differ")
        given = f"three healthy nodes; {HASTY_CALLS} calls for each instance at once, at one node"
        return Haste(a.tape(given), tuple(differing), HASTY * HASTY_ROUNDS)


def _show(nodes: Mapping[str, Observer], app: str, name: str) -> None:
    """Keep what each node says of an instance as evidence."""
    for observer in nodes.values():
        nodes["a"].keep(observer.wire.instance(app, name))


def _call(wire: WireClient, app: str, name: str, dirty_ms: int, chance: random.Random) -> None:
    match chance.choice(["register", "cancel", "status", "removal", "metadata", "renew"]):
        case "register":
            fields = sample(app, name, duration=LONG, lastDirtyTimestamp=str(dirty_ms))
            wire.register(fields)
        case "cancel":
            wire.cancel(app, name)
        case "status":
            wire.set_status(app, name, chance.choice(["DOWN", "OUT_OF_SERVICE"]))
        case "removal":
            wire.remove_status(app, name, "UP")
        case "metadata":
            wire.set_metadata(app, name, {"version": str(dirty_ms)})
        case _:
            wire.renew(app, name)


SHORT: Final = 4  # s, the lease that node c evicts


@dataclass(frozen=True, slots=True)
class Return:
    """What each node held of an overridden instance that c alone had evicted and that came back."""

    tape: Tape
    states: Mapping[str, State | None]


def record_return(cluster: Cluster) -> Return:
    """Let node c evict an instance that is out of service, and let it register there again."""
    app, name = "RETURN", "returning"
    with observers(cluster) as nodes:
        a, c = nodes["a"], nodes["c"]
        a.wire.register(sample(app, name, duration=SHORT))
        await_everywhere(nodes, app, [name])
        a.wire.set_status(app, name, "OUT_OF_SERVICE")
        a.note("registered with 4 s at a and taken out of service")
        try:
            a.clock.wait_until(
                lambda: name in c.evicted({app}),
                within=4 * SHORT + GRACE,
                what="the eviction at node c",
                pace=PACE,
            )
        except WaitedInVain as vain:
            raise Inconclusive(f"node c did not evict: {vain}.") from vain
        again = sample(app, name, duration=LONG, lastDirtyTimestamp=str(DIRTY_MS + 1000))
        c.keep(c.wire.register(again))
        a.note("evicted at c, and registered there again")
        for _ in range(2):
            a.clock.reach(a.clock.now() + QUIET)
            c.wire.renew(app, name)
        a.clock.reach(a.clock.now() + QUIET)
        records = {node: single(observer.wire, app, name) for node, observer in nodes.items()}
        _show(nodes, app, name)
        states = {node: State.of(one) if one else None for node, one in records.items()}
        given = "nodes a and b with self-preservation, node c without"
        return Return(a.tape(given), states)


RENEWING: Final = 12  # instances
INTERVAL: Final = 10.0  # s, their R
TIMEOUT: Final = 3.0  # s of a peer, fixtures/profiles/mesh.toml
COMPLETE_WITHIN: Final = INTERVAL + 2 * 0.5 + TIMEOUT + 1.0


@dataclass(frozen=True, slots=True)
class Comeback:
    """How long after its first answer a node that had been killed held all again, in s."""

    tape: Tape
    seconds: float
    missing: tuple[str, ...]


def record_comeback(cluster: Cluster) -> Comeback:
    """Kill node c, start it again empty, and renew at a until it has all that a has."""
    app = "COMEBACK"
    names = [f"renewing-{number}" for number in range(RENEWING)]
    with observers(cluster) as nodes:
        a = nodes["a"]
        for name in names:
            a.wire.register(sample(app, name, duration=LONG, interval=int(INTERVAL)))
        await_everywhere(nodes, app, names)
        cluster["c"].kill()
        a.note("c is killed")
        _renew(a, app, names)
        cluster["c"].start()
    with observers(cluster) as nodes:
        a, c = nodes["a"], nodes["c"]
        ready = a.clock.now()
        a.note("c answers again")
        renewed = ready - INTERVAL / 2  # in the middle of the clients' interval
        missing = set(names)
        while a.clock.now() < ready + COMPLETE_WITHIN + GRACE:
            if a.clock.now() >= renewed + INTERVAL:
                renewed = a.clock.now()
                _renew(a, app, names)
            missing = {name for name in missing if single(c.wire, app, name) is None}
            if not missing:
                break
            a.clock.reach(a.clock.now() + PACE / 2)
        took = a.clock.now() - ready
        a.note(f"c lacks {len(missing)} of {RENEWING}")
        given = "three nodes without a copy at start; clients renew at a every 10 s"
        return Comeback(a.tape(given), took, tuple(sorted(missing)))


def _renew(observer: Observer, app: str, names: list[str]) -> None:
    for name in names:
        observer.wire.renew(app, name)
