"""The recordings of profile `peer` about what a sender does with the answers of its peer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.actors.reaction import Late, TaskReply
from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.observer import Observer
from eureka_tck.wire.sample import DIRTY_MS, Sample, sample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.actors.arrival import Task
    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape
    from eureka_tck.wire.client import WireClient
    from eureka_tck.wire.record import Record

APP: Final = "HEALED"
OTHER_APP: Final = "HEALED-ELSEWHERE"
LONG: Final = 3600  # s
SETTLED: Final = 1.5  # s after which a change no longer shares a batch with the next
AFTERWARDS: Final = 2.5  # s in which what an answer causes has been sent: 0.5 s of batching
NEWER: Final = DIRTY_MS + 1000
OLDER: Final = DIRTY_MS - 1000
READ_TIMEOUT: Final = 3.0  # s, fixtures/profiles/peer.toml
LATE: Final = READ_TIMEOUT + 1.5  # s after which the late peer answers
PATIENCE: Final = 3 * (READ_TIMEOUT + 1.0) + 2.0  # s: three attempts at the late peer

RENEWED: Final = (
    *("404", "409", "409-bare", "409-older", "400", "500"),
    *("409-older-override", "409-other-id", "409-other-app"),
)
"""Instances that are renewed, by what the peer says to the renewal."""


@dataclass(frozen=True, slots=True)
class Healing:
    """
    What followed answers to single tasks.

    `told` are the tasks by peer and id, `held` what the node held in the end, by id;
    `foreign` what it held of the two instances that answers carried and nobody had registered.
    """

    tape: Tape
    told: Mapping[str, Mapping[str, tuple[Task, ...]]]
    held: Mapping[str, Record | None]
    foreign: Mapping[str, Record | None]

    def actions(self, peer: str, name: str) -> list[str]:
        """Return the kinds of the tasks that a peer got for an instance, in order."""
        return [task.action for task in self.told[peer].get(name, ())]


def record_healing(cluster: Cluster) -> Healing:
    """Let peer `knowing` answer single tasks with 404, 409, 400 and 500, and see what follows."""
    knowing, one = cluster.peer("knowing"), cluster.peer("one")
    others = ("status-404", "cancel-404", "removal-404")
    with Observer(cluster) as observer:
        clock, wire = observer.clock, observer.wire
        began = clock.now()
        for name in (*RENEWED, *others):
            wire.register(sample(APP, name, duration=LONG))
        knowing.await_tasks([*RENEWED, *others], app=APP, action="Register", since=began)
        clock.reach(clock.now() + SETTLED)
        since = clock.now()
        with knowing.behaving(each=_answer):
            for name in RENEWED:
                observer.keep(wire.renew(APP, name))
            wire.set_status(APP, "status-404", "DOWN")
            wire.cancel(APP, "cancel-404")
            wire.remove_status(APP, "removal-404", "UP")
            wire.register(sample(APP, "register-404", duration=LONG))
            observer.note("renew nine, and one call of each other kind")
            knowing.await_tasks([*RENEWED, *others, "register-404"], app=APP, since=since)
            clock.reach(clock.now() + AFTERWARDS)
        told = {peer.name: _by_id(peer.tasks(since, app=APP)) for peer in (knowing, one)}
        held = {name: _single(wire, APP, name) for name in RENEWED}
        foreign = {
            "another id": _single(wire, APP, "stranger"),
            "another application": _single(wire, OTHER_APP, "409-other-app"),
        }
        given = "a node whose peer answers single tasks with 404, 409, 400 and 500"
        return Healing(observer.tape(given), told, held, foreign)


def newer(name: str, *, app: str = APP, dirty_ms: int = NEWER) -> Sample:
    """Return the instance that the peer holds: out of service, and red."""
    return sample(
        app,
        name,
        duration=LONG,
        lastDirtyTimestamp=str(dirty_ms),
        status="OUT_OF_SERVICE",
        overriddenStatus="OUT_OF_SERVICE",
        metadata={"colour": "red"},
    )


def _answer(task: Task) -> TaskReply | None:
    if task.app != APP:
        return None
    if task.id.endswith("-404") and task.action != "Heartbeat":
        return TaskReply(404)
    if task.action != "Heartbeat":
        return None
    return {
        "404": TaskReply(404),
        "409": TaskReply(409, newer("409")),
        "409-bare": TaskReply(409),
        "409-older": TaskReply(
            409, newer("409-older", dirty_ms=OLDER) | {"overriddenStatus": "UNKNOWN"}
        ),
        "409-older-override": TaskReply(409, newer("409-older-override", dirty_ms=OLDER)),
        "400": TaskReply(400),
        "500": TaskReply(500),
        "409-other-id": TaskReply(409, newer("stranger")),
        "409-other-app": TaskReply(409, newer("409-other-app", app=OTHER_APP)),
    }.get(task.id)


@dataclass(frozen=True, slots=True)
class LateHealing:
    """
    What followed answers that came 1.5 s after the read time-out.

    `registered` says whether the peer that said 404 was sent the instance,
    `held` is what the node held of the one that the peer said 409 to.
    """

    tape: Tape
    registered: bool
    held: Record | None


def record_late_healing(cluster: Cluster) -> LateHealing:
    """Let peer `late` answer renewals with 404 and 409, each time too late."""
    late, app = cluster.peer("late"), "LATE"
    replies = {"404": TaskReply(404), "409": TaskReply(409, newer("409", app=app))}
    with Observer(cluster) as observer:
        clock, wire = observer.clock, observer.wire
        began = clock.now()
        for name in replies:
            wire.register(sample(app, name, duration=LONG))
        late.await_tasks(replies, app=app, action="Register", since=began)
        clock.reach(clock.now() + SETTLED)
        since = clock.now()

        def answer(task: Task) -> TaskReply | None:
            mine = task.app == app and task.action == "Heartbeat"
            return replies.get(task.id) if mine else None

        def healed() -> bool:
            return bool(late.tasks(since, app=app, id="404", action="Register"))

        with late.behaving(Late(LATE), answer):
            for name in replies:
                observer.keep(wire.renew(app, name))
            observer.note(f"renew two; the peer answers after {LATE:g} s")
            late.await_tasks(replies, app=app, action="Heartbeat", since=since)
            try:
                clock.wait_until(
                    healed, within=PATIENCE, what="the registration at the late peer", pace=0.5
                )
            except WaitedInVain:
                observer.note(f"no registration at the late peer within {PATIENCE:g} s")
            held = _single(wire, app, "409")
        given = f"a peer that answers {LATE:g} s after a batch, a read time-out of {READ_TIMEOUT:g}"
        return LateHealing(observer.tape(given), healed(), held)


def _single(wire: WireClient, app: str, name: str) -> Record | None:
    answer = wire.instance(app, name)
    return answer.record() if answer.status == 200 else None  # noqa: PLR2004 - HTTP's own figure


def _by_id(tasks: list[Task]) -> dict[str, tuple[Task, ...]]:
    told: dict[str, tuple[Task, ...]] = {}
    for task in tasks:
        told[task.id] = (*told.get(task.id, ()), task)
    return told
