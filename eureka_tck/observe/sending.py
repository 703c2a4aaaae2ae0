"""The recordings of profile `peer` about what is sent, to whom, and in which words."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.observer import GRACE, PACE, Observer
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.client import REPLICATION_HEADER
from eureka_tck.wire.sample import DIRTY_MS, sample
from eureka_tck.wire.task import (
    cancel_task,
    heartbeat_task,
    register_task,
    removal_task,
    status_task,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.actors.arrival import Arrival, Task
    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape

APP: Final = "SENT"
LONG: Final = 3600  # s, leases that outlive the recording
SETTLED: Final = 1.5  # s after which a change no longer shares a batch with the next
NEWER: Final = DIRTY_MS + 1000
OTHER_WORDS: Final = ("True", "TRUE", "1", "false")
"""Values of the replication header that make no call a replicated one."""

CONTROL: Final = "control-1"  # the last call of all: what was sent before it has come with it

KINDS: Final = ("new", "renewed", "cancelled", "status", "removal")
"""What a call may be: registration, renewal, cancellation, status change, override removal."""


@dataclass(frozen=True, slots=True)
class Sending:
    """
    What two peers were told after one call for each instance; `told` by peer, then id.

    `batch` is one of the batches in which it came to the first, None if none came.
    """

    tape: Tape
    told: Mapping[str, Mapping[str, tuple[Task, ...]]]
    batch: Arrival | None

    def actions(self, peer: str, name: str) -> list[str]:
        """Return the kinds of the tasks that a peer got for an instance, in order."""
        return [task.action for task in self.told[peer].get(name, ())]

    def unsent(self, name: str) -> list[str]:
        """Return the same where there may be none; Inconclusive if nothing at all came."""
        if CONTROL not in self.told["one"]:
            raise Inconclusive("peer one was not told of the last call either: nothing is known.")
        return self.actions("one", name)

    def words(self) -> Arrival:
        """Return the batch; Inconclusive if none came."""
        if self.batch is None:
            raise Inconclusive("no batch came to peer one, so its words are not known.")
        return self.batch

    def task(self, name: str) -> Task:
        """Return the task that peer `one` got for an instance; Inconclusive if it got none."""
        tasks = self.told["one"].get(name, ())
        if not tasks:
            raise Inconclusive(f"peer one was told nothing of {name}, so its words are not known.")
        return tasks[0]


def record_sending(cluster: Cluster) -> Sending:
    """Make each kind of call once: by a client, as if replicated, in a batch, for nobody."""
    one, two = cluster.peer("one"), cluster.peer("two")
    with Observer(cluster) as observer:
        began = observer.clock.now()
        _prepare(observer)
        with suppress(Inconclusive):  # what does not come is the tests' affair
            one.await_tasks(["control-0"], app=APP, since=began)
        observer.clock.reach(observer.clock.now() + SETTLED)
        since = observer.clock.now()
        _as_a_client(observer)
        _as_a_peer(observer)
        _in_a_batch(observer)
        observer.wire.register(sample(APP, CONTROL, duration=LONG))
        observer.note("one call for each instance")
        for peer in (one, two):
            with suppress(Inconclusive):
                peer.await_tasks([CONTROL], app=APP, since=since)
        observer.clock.reach(observer.clock.now() + SETTLED)
        told = {peer.name: _by_id(peer.tasks(since, app=APP)) for peer in (one, two)}
        observer.note(f"peer one was told of {len(told['one'])} instances")
        batches = (batch for batch in one.batches(since) if any(t.app == APP for t in batch.tasks))
        batch = next(batches, None)
        given = "a node with six peers that are ours, of which two accept all"
        return Sending(observer.tape(given), told, batch)


def _prepare(observer: Observer) -> None:
    """Register, as if by a peer, all that must be there before; some under an override."""
    prefixes = ("client", "replicated", "batch")
    known = [f"{prefix}-{kind}" for prefix in prefixes for kind in KINDS[1:]]
    known += ["client-metadata", "client-newer", "client-overridden", "replicated-metadata"]
    known += [f"header-{word}" for word in OTHER_WORDS]
    observer.register([sample(APP, name, duration=LONG) for name in known])
    overridden = [*(f"{prefix}-removal" for prefix in prefixes), "client-overridden"]
    for name in overridden:
        observer.wire.set_status(APP, name, "OUT_OF_SERVICE", replication=True)
    observer.wire.register(sample(APP, "control-0", duration=LONG))


def _as_a_client(observer: Observer) -> None:
    wire = observer.wire
    observer.keep(wire.register(sample(APP, "client-new", duration=LONG, metadata={"k": "v"})))
    observer.keep(wire.renew(APP, "client-renewed"))
    observer.keep(wire.cancel(APP, "client-cancelled"))
    observer.keep(wire.set_status(APP, "client-status", "OUT_OF_SERVICE"))
    observer.keep(wire.remove_status(APP, "client-removal", "UP"))
    observer.keep(wire.set_metadata(APP, "client-metadata", {"colour": "blue"}))
    observer.keep(wire.renew(APP, "client-newer", dirty=NEWER))
    observer.keep(wire.renew(APP, "client-overridden"))
    observer.keep(wire.renew(APP, "nobody-renewed"))
    observer.keep(wire.cancel(APP, "nobody-cancelled"))
    observer.keep(wire.set_status(APP, "nobody-status", "OUT_OF_SERVICE"))
    observer.keep(wire.remove_status(APP, "nobody-removal"))
    observer.keep(wire.set_metadata(APP, "nobody-metadata", {"colour": "blue"}))
    for word in OTHER_WORDS:
        wire.call("PUT", f"/apps/{APP}/header-{word}", headers={REPLICATION_HEADER: word})


def _as_a_peer(observer: Observer) -> None:
    wire = observer.wire
    wire.register(sample(APP, "replicated-new", duration=LONG), replication=True)
    wire.renew(APP, "replicated-renewed", replication=True)
    wire.cancel(APP, "replicated-cancelled", replication=True)
    wire.set_status(APP, "replicated-status", "OUT_OF_SERVICE", replication=True)
    wire.remove_status(APP, "replicated-removal", "UP", replication=True)
    metadata = f"/apps/{APP}/replicated-metadata/metadata?colour=blue"
    wire.call("PUT", metadata, headers={REPLICATION_HEADER: "true"})


def _in_a_batch(observer: Observer) -> None:
    observer.wire.batch(
        [
            register_task(sample(APP, "batch-new", duration=LONG)),
            heartbeat_task(APP, "batch-renewed"),
            cancel_task(APP, "batch-cancelled"),
            status_task(APP, "batch-status", "OUT_OF_SERVICE"),
            removal_task(APP, "batch-removal"),
        ]
    )


def _by_id(tasks: list[Task]) -> dict[str, tuple[Task, ...]]:
    told: dict[str, tuple[Task, ...]] = {}
    for task in tasks:
        told[task.id] = (*told.get(task.id, ()), task)
    return told


SHORT: Final = 4  # s, the leases of the next recording
RENEWED: Final = 2.5  # s after which one of two is renewed: it lives on until 2.5 + 2 x 4 s
LOOKED: Final = 8.0  # s until which the other must have gone, for the look to be in time


@dataclass(frozen=True, slots=True)
class ReplicatedLease:
    """Whether an instance was listed when another like it, not renewed in a batch, had gone."""

    tape: Tape
    listed: bool


def record_replicated_lease(cluster: Cluster) -> ReplicatedLease:
    """Let one of two short leases be renewed by a batch, and look when the other has run out."""
    app = "LEASED"
    with Observer(cluster) as observer:
        clock = observer.clock
        observer.register([sample(app, name, duration=SHORT) for name in ("kept", "left")])
        began = clock.now()
        clock.reach(began + RENEWED)
        observer.keep(observer.wire.batch([heartbeat_task(app, "kept")]))
        if clock.now() > began + SHORT:
            raise Inconclusive("the renewal came when the lease had run out.", late=True)
        observer.note("a batch renews one of two leases of 4 s")
        try:
            clock.wait_until(
                lambda: "left" not in observer.leases({app}),
                within=GRACE,
                what="the eviction of the lease that was not renewed",
                pace=PACE / 2,
                not_before=began + SHORT,
            )
        except WaitedInVain as vain:
            raise Inconclusive(f"{vain}.") from vain
        listed = "kept" in observer.leases({app})
        if clock.now() > began + LOOKED:
            raise Inconclusive("the look came when both leases may have run out.", late=True)
        observer.note("the other has been evicted")
        return ReplicatedLease(observer.tape("two leases of 4 s, one renewed by a batch"), listed)
