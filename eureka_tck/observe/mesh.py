"""The recordings of profile `mesh`: three nodes, each the peer of the others, healthy links."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.observer import GRACE, PACE, Observer
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.sample import DIRTY_MS, sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.client import WireClient
    from eureka_tck.wire.record import Record

    Change = Callable[[WireClient, str], Answer]
    Seen = Callable[[Record | None], bool]

BATCHING: Final = 0.5  # s, com.netflix.eureka.cluster.PeerEurekaNode MAX_BATCHING_DELAY_MS
SETTLED: Final = 1.5  # s after which a change no longer shares a batch with the next
SEEN_WITHIN: Final = 10.0  # s until a change elsewhere counts as not seen
LOOKS: Final = 50  # looks at the least until then
QUIET: Final = 3.0  # s without writes after which nodes are compared
LOOK: Final = 0.1  # registry s between two looks for a change
INTERVAL_MS: Final = 5000  # fixtures/profiles/mesh.toml
SHORT: Final = 4  # s, the leases that node c evicts
LONG: Final = 3600  # s


@dataclass(frozen=True, slots=True)
class Lag:
    """How long after its answer a change was seen at the slower of the two other nodes, in s."""

    what: str
    seconds: float
    round_trip: float


@dataclass(frozen=True, slots=True)
class Lags:
    """Ten changes, one after another."""

    tape: Tape
    lags: tuple[Lag, ...]


@dataclass(frozen=True, slots=True)
class State:
    """What of an instance has to be the same at every node."""

    status: str
    overridden: str | None
    dirty_ms: int | None
    metadata: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, record: Record) -> State:
        """Return the state of an instance as one node tells it."""
        metadata = tuple(sorted(record.user_metadata.items()))
        return cls(record.status, record.overridden_status, record.dirty_ms, metadata)


@dataclass(frozen=True, slots=True)
class Agreement:
    """What each node held of the same instances once nobody had written for a while."""

    tape: Tape
    states: Mapping[str, Mapping[str, State]]
    expected: frozenset[str]


@dataclass(frozen=True, slots=True)
class LoneEviction:
    """
    Who was still listed at a and b after node c alone had evicted `evicted`.

    That c's own changes travel was shown after the evictions: a cancellation made at c was seen.
    """

    tape: Tape
    evicted: frozenset[str]
    listed: Mapping[str, frozenset[str]]


@contextmanager
def observers(cluster: Cluster) -> Iterator[dict[str, Observer]]:
    """Observe all nodes, by their letters."""
    with ExitStack() as stack:
        yield {node: stack.enter_context(Observer(cluster, node)) for node in cluster.nodes}


def record_lags(cluster: Cluster) -> Lags:
    """Make ten changes of all kinds at all nodes and watch each arrive at the other two."""
    app = "LAG"
    changes: list[tuple[str, str, str, Change, Seen]] = [
        ("registration", "a", "new-0", _register(app), _is_there),
        ("registration", "b", "new-1", _register(app), _is_there),
        ("registration", "c", "new-2", _register(app), _is_there),
        ("status call", "a", "old-0", _status(app, "OUT_OF_SERVICE"), _has("OUT_OF_SERVICE")),
        ("status call", "b", "old-1", _status(app, "DOWN"), _has("DOWN")),
        ("override removal", "c", "old-0", _removal(app), _has("UP")),
        ("metadata change", "a", "old-2", _colour(app), _is_blue),
        ("metadata change", "b", "old-3", _colour(app), _is_blue),
        ("cancellation", "a", "old-4", _cancel(app), _is_gone),
        ("cancellation", "c", "old-5", _cancel(app), _is_gone),
    ]
    with observers(cluster) as nodes:
        first = nodes["a"]
        for number in range(6):
            first.wire.register(sample(app, f"old-{number}", duration=LONG))
        await_everywhere(nodes, app, [f"old-{number}" for number in range(6)])
        lags = []
        for what, at, name, change, seen in changes:
            first.clock.reach(first.clock.now() + SETTLED)
            answer = first.keep(change(nodes[at].wire, name))
            lag = _watch(nodes, at, app, name, seen)
            round_trip = answer.seconds * first.clock.speed
            first.note(f"{what} at {at}, seen everywhere {lag:.2f} s later")
            lags.append(Lag(f"{what} at {at}", lag, round_trip))
        given = "three nodes, each the peer of the others; changes 1.5 s apart"
        return Lags(first.tape(given), tuple(lags))


def record_agreement(cluster: Cluster) -> Agreement:
    """Change fifteen instances, each at one node and every 1.5 s, then compare the nodes."""
    app = "AGREE"
    stories: tuple[tuple[Change, ...], ...] = (
        (_register(app), _colour(app), _status(app, "OUT_OF_SERVICE"), _renew(app)),
        (_register(app), _status(app, "DOWN"), _removal(app), _colour(app)),
        (_register(app), _register(app, dirty_ms=DIRTY_MS + 1000), _colour(app), _renew(app)),
        (_register(app), _status(app, "OUT_OF_SERVICE"), _cancel(app), _register(app)),
        (_register(app), _renew(app), _colour(app), _cancel(app)),
    )
    with observers(cluster) as nodes:
        first = nodes["a"]
        for step in range(4):
            for number, story in enumerate(stories):
                for node in nodes:
                    first.keep(story[step](nodes[node].wire, f"{node}-{number}"))
            first.note(f"change {step + 1} of 4, to each of {len(stories) * len(nodes)}")
            first.clock.reach(first.clock.now() + SETTLED)
        first.clock.reach(first.clock.now() + QUIET)
        states = {
            node: {name: State.of(one) for name, one in observer.leases({app}).items()}
            for node, observer in nodes.items()
        }
        given = "three nodes; each instance changed four times at one node, 1.5 s apart"
        expected = {f"{node}-{number}" for node in nodes for number in range(len(stories) - 1)}
        return Agreement(first.tape(given), states, frozenset(expected))


def record_lone_eviction(cluster: Cluster) -> LoneEviction:
    """Let leases run out that node c alone evicts, then see that a and b still have them."""
    app, witness = "LONE", "LONE-WITNESS"
    names = [f"lone-{number}" for number in range(4)]
    with observers(cluster) as nodes:
        first, evicting = nodes["a"], nodes["c"]
        first.wire.register(sample(witness, "witness", duration=LONG))
        for name in names:
            first.wire.register(sample(app, name, duration=SHORT))
        await_everywhere(nodes, witness, ["witness"])
        first.note(f"register {len(names)} of {SHORT} s at a")
        try:
            first.clock.wait_until(
                lambda: set(evicting.evicted({app})) >= set(names),
                within=2 * INTERVAL_MS / 1000 + GRACE,
                what="the eviction of all of them at c",
                pace=PACE,
                not_before=first.clock.now() + SHORT,
            )
        except WaitedInVain as vain:
            raise Inconclusive(f"node c did not evict: {vain}.") from vain
        first.note("c has evicted all of them")
        first.clock.reach(first.clock.now() + SETTLED)
        evicting.wire.cancel(witness, "witness")
        lag = _watch(nodes, "c", witness, "witness", _is_gone)
        if lag == float("inf"):
            raise Inconclusive("a cancellation at c was not seen at a and b after the evictions.")
        first.note("a cancellation at c has arrived at a and b")
        listed = {
            node: frozenset(nodes[node].leases({app})) & frozenset(names) for node in ("a", "b")
        }
        given = "nodes a and b with self-preservation, node c without; leases of 4 s, not renewed"
        return LoneEviction(first.tape(given), frozenset(names), listed)


def _watch(
    nodes: Mapping[str, Observer],
    at: str,
    app: str,
    name: str,
    seen: Seen,
) -> float:
    """
    Return the seconds until the change shows at all nodes but that one, infinite if it does not.

    A stall of ours must not pass for a change that never came: it takes time and looks to give up.
    """
    clock = nodes[at].clock
    began, looks = clock.now(), 0
    waiting = [node for node in nodes if node != at]
    while clock.now() - began < SEEN_WITHIN or looks < LOOKS:
        waiting = [node for node in waiting if not seen(single(nodes[node].wire, app, name))]
        if not waiting:
            return clock.now() - began
        looks += 1
        clock.reach(clock.now() + LOOK)
    return float("inf")


def await_everywhere(nodes: Mapping[str, Observer], app: str, names: list[str]) -> None:
    """Wait until every node has these instances; Inconclusive if one has not."""
    clock = nodes["a"].clock
    try:
        clock.wait_until(
            lambda: all(
                single(observer.wire, app, name) is not None
                for observer in nodes.values()
                for name in names
            ),
            within=2 * SEEN_WITHIN,
            what=f"{len(names)} registrations at every node",
            pace=SETTLED / 2,
            not_before=clock.now() + BATCHING,
        )
    except WaitedInVain as vain:
        raise Inconclusive(f"what was registered at a did not reach b and c: {vain}.") from vain


def single(wire: WireClient, app: str, name: str) -> Record | None:
    """Read one instance; None where it is not known (a read that no cache serves)."""
    answer = wire.instance(app, name)
    return answer.record() if answer.status == 200 else None  # noqa: PLR2004 - HTTP's own figure


def _is_there(record: Record | None) -> bool:
    return record is not None


def _is_gone(record: Record | None) -> bool:
    return record is None


def _is_blue(record: Record | None) -> bool:
    return record is not None and record.user_metadata.get("colour") == "blue"


def _has(status: str) -> Seen:
    return lambda record: record is not None and record.status == status


def _register(app: str, dirty_ms: int = DIRTY_MS) -> Change:
    return lambda wire, name: wire.register(
        sample(app, name, duration=LONG, lastDirtyTimestamp=str(dirty_ms))
    )


def _renew(app: str) -> Change:
    return lambda wire, name: wire.renew(app, name)


def _status(app: str, status: str) -> Change:
    return lambda wire, name: wire.set_status(app, name, status)


def _removal(app: str) -> Change:
    return lambda wire, name: wire.remove_status(app, name, "UP")


def _colour(app: str) -> Change:
    return lambda wire, name: wire.set_metadata(app, name, {"colour": "blue"})


def _cancel(app: str) -> Change:
    return lambda wire, name: wire.cancel(app, name)
