"""The recordings of the profiles `cold` and `copy`: what a registry expects at its start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.observer import PACE, Observer
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape

CLOSED: Final = 60.0  # s, waitTimeInMsWhenSyncEmpty of the profile `cold`
OPEN_BY: Final = CLOSED + 5.0  # s after the first answer by which it has certainly opened
COPIED: Final = 9  # instances that the first node holds when the second begins
NEWCOMERS: Final = 5  # instances registered with the cold one
COPY_BUDGET: Final = 30.0  # s: 3 tries of 2 s each, and a JVM's start


@dataclass(frozen=True, slots=True)
class Beginning:
    """The threshold of a node that has begun, and how many instances it lists."""

    tape: Tape
    threshold: int
    listed: int


def record_cold(cluster: Cluster) -> Beginning:
    """Register a few with a registry that started empty, alone, and with no count given to it."""
    with Observer(cluster) as observer:
        for number in range(NEWCOMERS):
            observer.wire.register(sample("COLD", f"cold-{number}", duration=3600))
        observer.note(f"register {NEWCOMERS}")
        observer.clock.reach(observer.clock.now() + OPEN_BY)
        listed = len(observer.held())
        threshold = observer.counters().threshold
        observer.note(f"open, {listed} listed, threshold {threshold}")
        given = "self-preservation on, an open count of 0, nothing to copy"
        return Beginning(observer.tape(given), threshold, listed)


def record_copy(cluster: Cluster) -> Beginning:
    """Fill node a without telling b, start b again and read what it has copied and expects."""
    second = cluster["b"]
    second.stop()
    with Observer(cluster) as observer:
        for number in range(COPIED):
            # As if from a peer, so that a does not queue it for b: b must get it by copying.
            observer.wire.register(
                sample("COPY", f"copy-{number}", duration=3600), replication=True
            )
        observer.note(f"register {COPIED} at a while b is down")
    second.start()
    with Observer(cluster, "b") as observer:
        listed = _await_copy(observer)
        threshold = observer.counters().threshold
        observer.note(f"b has started: {listed} listed, threshold {threshold}")
        given = f"node b started again beside node a, which held {COPIED} instances, all UP"
        return Beginning(observer.tape(given), threshold, listed)


def _await_copy(observer: Observer) -> int:
    """Return how many instances the node lists once it lists all; until it opens it may refuse."""

    def count() -> int:
        answer = observer.wire.apps()
        return len(list(answer.applications())) if answer.status == 200 else 0  # noqa: PLR2004 - HTTP's own figure

    try:
        observer.clock.wait_until(
            lambda: count() >= COPIED, within=COPY_BUDGET, what="the whole copy", pace=PACE
        )
    except WaitedInVain as vain:
        raise Inconclusive(f"node b copied {count()} of {COPIED} instances: {vain}.") from vain
    return count()
