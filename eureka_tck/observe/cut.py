"""The recordings of profile `mesh` with cut links: a ring, and two sides that drift apart."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.mesh import QUIET, SETTLED, State, await_everywhere, observers, single
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.sample import DIRTY_MS, sample

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.observer import Observer
    from eureka_tck.observe.tape import Tape
    from eureka_tck.wire.sample import Json

LONG: Final = 3600  # s
INTERVAL: Final = 5  # s, R of what is registered before the cut: for so long its tasks are tried
CUT: Final = 13.0  # s: longer than R, and than maxTimeForReplication of fixtures/profiles/mesh.toml
GLIMPSE: Final = 3.0  # s after the changes at which the other side must not have them
NEWER: Final = DIRTY_MS + 1000
NEWEST: Final = DIRTY_MS + 2000
ROUNDS: Final = 2  # of renewals after the heal


@contextmanager
def cut_links(cluster: Cluster, *names: str) -> Iterator[None]:
    """Cut these links within the block, and restore them after it."""
    with ExitStack() as heals:
        for name in names:
            cluster.links.cut(name)
            heals.callback(cluster.links.restore, name)
        yield


@dataclass(frozen=True, slots=True)
class Ring:
    """
    Three nodes in a ring, a to b to c to a.

    `relayed` says whether c had what was registered at a once b had it, and c a later change of b;
    `renewed` whether c had it after a renewal at b.
    """

    tape: Tape
    relayed: bool
    renewed: bool


def record_ring(cluster: Cluster) -> Ring:
    """Register at a, in a ring, and see who has it; then renew at b."""
    app = "RING"
    with observers(cluster) as nodes, cut_links(cluster, "b>a", "c>b", "a>c"):
        a, b, c = nodes["a"], nodes["b"], nodes["c"]
        a.keep(a.wire.register(sample(app, "told", duration=LONG, interval=INTERVAL)))
        _await(b, app, "told", "the registration at b, which a tells")
        a.clock.reach(a.clock.now() + SETTLED)
        b.wire.register(sample(app, "later", duration=LONG))
        _await(c, app, "later", "a later change of b at c")
        relayed = single(c.wire, app, "told") is not None
        a.note(f"b has it, c {'too' if relayed else 'not'}")
        b.keep(b.wire.renew(app, "told"))
        a.clock.reach(a.clock.now() + QUIET)
        renewed = single(c.wire, app, "told") is not None
        a.note(f"renewed at b, c has it {'then' if renewed else 'not even then'}")
        given = "three nodes in a ring: only the links a>b, b>c and c>a are whole"
        return Ring(a.tape(given), relayed, renewed)


@dataclass(frozen=True, slots=True)
class Rift:
    """
    What each node held of the instances that had changed during a cut of 13 s between a and b, c.

    Taken after the heal and two renewals of each instance, where its story says.
    """

    tape: Tape
    states: Mapping[str, Mapping[str, State]]

    def of(self, name: str) -> dict[str, State | None]:
        """Return what each node held of an instance."""
        return {node: held.get(name) for node, held in self.states.items()}


NEWER_AT: Final = {"aa": "a", "ab": "a", "ba": "b", "bb": "b"}
"""Instances registered anew during the cut, by where; the second letter says where renewed."""


def record_rift(cluster: Cluster) -> Rift:
    """Cut a from b and c for 13 s, change instances on both sides, heal, renew, and compare."""
    app = "RIFT"
    names = [*NEWER_AT, "override", "metadata", "both", "again"]
    with observers(cluster) as nodes:
        a, b = nodes["a"], nodes["b"]
        for name in names:
            a.wire.register(sample(app, name, duration=LONG, interval=INTERVAL))
        await_everywhere(nodes, app, names)
        a.clock.reach(a.clock.now() + SETTLED)
        with cut_links(cluster, "a>b", "b>a", "a>c", "c>a"):
            began = a.clock.now()
            _change(nodes, app)
            a.note("a is cut from b and c; changes on both sides")
            a.clock.reach(began + GLIMPSE)
            _prove_cut(b, app)
            a.clock.reach(began + CUT)
        a.note("the links are whole again")
        a.clock.reach(a.clock.now() + SETTLED)
        a.keep(a.wire.register(_colour(app, "again", "gold", NEWEST)))
        for _ in range(ROUNDS):
            for name in NEWER_AT:
                nodes[name[1]].wire.renew(app, name)
            for name in ("override", "metadata"):
                a.wire.renew(app, name)
            for node in nodes.values():
                node.wire.renew(app, "both")
            a.clock.reach(a.clock.now() + QUIET)
        states = {
            node: {name: State.of(one) for name, one in observer.leases({app}).items()}
            for node, observer in nodes.items()
        }
        for observer in nodes.values():
            for name in names:
                a.keep(observer.wire.instance(app, name))
        a.note(f"{ROUNDS} rounds of renewals later")
        given = "three nodes; a was cut from b and c for 13 s, R = 5 s, maxTimeForReplication 10 s"
        return Rift(a.tape(given), states)


def _change(nodes: Mapping[str, Observer], app: str) -> None:
    a, b = nodes["a"], nodes["b"]
    for name, at in NEWER_AT.items():
        a.keep(nodes[at].wire.register(_colour(app, name, "red", NEWER)))
    a.keep(a.wire.set_status(app, "override", "OUT_OF_SERVICE"))
    a.keep(a.wire.set_metadata(app, "metadata", {"colour": "red"}))
    a.keep(a.wire.set_status(app, "both", "OUT_OF_SERVICE"))
    a.keep(b.wire.set_status(app, "both", "DOWN"))
    a.keep(b.wire.set_metadata(app, "again", {"colour": "blue"}))


def _prove_cut(b: Observer, app: str) -> None:
    held = single(b.wire, app, "aa")
    if held is None or held.dirty_ms == NEWER:
        raise Inconclusive("the cut did not keep a change of node a from node b.")


def _colour(app: str, name: str, colour: str, dirty_ms: int) -> dict[str, Json]:
    return sample(
        app,
        name,
        duration=LONG,
        interval=INTERVAL,
        lastDirtyTimestamp=str(dirty_ms),
        metadata={"colour": colour},
    )


def _await(observer: Observer, app: str, name: str, what: str) -> None:
    try:
        observer.clock.wait_until(
            lambda: single(observer.wire, app, name), within=10.0, what=what, pace=0.3
        )
    except WaitedInVain as vain:
        raise Inconclusive(f"{vain}.") from vain
