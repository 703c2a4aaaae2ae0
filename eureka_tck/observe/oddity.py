"""
What a registry shows while one instance with odd data is registered beside an ordinary one.

Every read is made once and kept as what was wrong with it, empty where nothing was:
an odd record must hide nobody, itself included, unless its registration was refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final

from eureka_tck.actors.instance import Instance
from eureka_tck.actors.view import COMPACT, LISTS, SINGLES, path_of
from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.observer import Observer
from eureka_tck.verdict.outcome import Inconclusive
from eureka_tck.wire.client import JSON, XML
from eureka_tck.wire.errors import WireError
from eureka_tck.wire.sample import registration, sample

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.client import WireClient
    from eureka_tck.wire.exchange import Exchange
    from eureka_tck.wire.sample import Sample

MEETING: Final = 120.0
"""Registry s for the first change to arrive at the peer: 24 s of real time at speed 5."""
ARRIVAL: Final = 15.0
"""Registry s for a later one: half a second of batching, a time-out of 3 s, and four retries."""
OK: Final = 200
REFUSED: Final = range(400, 500)


@dataclass(frozen=True, slots=True)
class Oddity:
    """
    What was wrong while the odd instance was registered, by read; `accepted` says whether it was.

    `empty` names the lists that were 200 without a body, `arrived` whether another instance's
    registration reached the peer meanwhile.
    """

    tape: Tape
    accepted: bool
    status: int
    wrong: dict[str, str]
    empty: tuple[str, ...]
    arrived: bool

    def wrong_in(self, kind: str) -> dict[str, str]:
        """Return the reads of that kind, as `lists in JSON`, with what was wrong."""
        return {read: fault for read, fault in self.wrong.items() if read.startswith(kind)}


def record_oddity(cluster: Cluster, name: str, changes: Sample, *, fresh: bool) -> Oddity:
    """
    Register an ordinary instance and an odd one, read everything, and cancel both.

    `fresh` starts the node anew before it, for records that may spoil what comes after.
    """
    if fresh:
        cluster["a"].restart()
    with Observer(cluster) as observer:
        wire, app = observer.wire, f"ODD-{name.upper()}"
        other = Instance(wire, app, "ordinary")
        other.register(duration=3600)
        _await(cluster, other, MEETING, needed=True)
        fields = sample(app, "odd", duration=3600) | changes
        odd = Instance(wire, str(fields["app"]), str(fields["instanceId"]))
        answer = observer.keep(wire.post(app, registration(fields)))
        observer.note(f"register {name}: {answer.status}")
        accepted = answer.status not in REFUSED
        wrong, empty, shown = _reads(wire, other, odd if accepted else None)
        if shown is not None:
            observer.show(shown)
        arrived = _goes_on(cluster, wire, name, odd)
        observer.note(f"{len(wrong)} reads wrong, others {'arrive' if arrived else 'are held up'}")
        odd.cancel()
        other.cancel()
        given = f"an ordinary instance, and beside it one that is odd: {name}"
        return Oddity(observer.tape(given), accepted, answer.status, wrong, empty, arrived)


def _await(cluster: Cluster, one: Instance, within: float, *, needed: bool = False) -> bool:
    """Say whether the registration of that instance arrives at the peer."""
    peer = cluster.peer("one")
    try:
        cluster.clock.wait_until(
            lambda: peer.tasks(app=one.app, id=one.id, action="Register"),
            within=within,
            what=f"the registration of {one.id} at peer one",
        )
    except WaitedInVain as vain:
        if needed:
            raise Inconclusive(f"replication did not begin: {vain}.") from vain
        return False
    return True


def _goes_on(cluster: Cluster, wire: WireClient, name: str, odd: Instance) -> bool:
    """Let the odd one renew, register another, and say whether that one arrives at the peer."""
    later = Instance(wire, f"LATER-{name.upper()}", "later")
    odd.renew()
    later.register(duration=3600)
    arrived = _await(cluster, later, ARRIVAL)
    later.cancel()
    return arrived


def _reads(
    wire: WireClient, other: Instance, odd: Instance | None
) -> tuple[dict[str, str], tuple[str, ...], Exchange | None]:
    """Read everything; return what was wrong by read, the lists without a body, a wrong answer."""
    wrong: dict[str, str] = {}
    empty: list[str] = []
    shown: Exchange | None = None
    for accept, form in ((JSON, "JSON"), (XML, "XML")):
        for view, compact in product(LISTS, (False, True)):
            path = path_of(other, view)
            what = f"{'compact ' if compact else ''}lists in {form}: {path}"
            wrong[what], answer = _read(wire, path, accept, (other, view), compact=compact)
            if answer is not None and answer.status == OK and not answer.body:
                empty.append(what)
            if answer is not None and wrong[what] and shown is None:
                shown = answer.exchange
        for one, view in product([each for each in (other, odd) if each], SINGLES):
            path = path_of(one, view)
            what = f"single reads in {form}: {path}"
            wrong[what], answer = _read(wire, path, accept, (one, view))
            if answer is not None and wrong[what] and shown is None:
                shown = answer.exchange
    wrong["page: /"] = _page(wire, other)
    return {read: fault for read, fault in wrong.items() if fault}, tuple(empty), shown


def _page(wire: WireClient, other: Instance) -> str:
    """Return what is wrong with the status page, empty where nothing is."""
    try:
        page = wire.page("/", headers={"Accept": "text/html"})
    except WireError as problem:
        return str(problem)
    if page.status != OK or not page.body:
        return f"status {page.status}, {len(page.body)} bytes"
    return "" if other.app in page.text else f"it does not name {other.app}"


def _read(
    wire: WireClient,
    path: str,
    accept: str,
    due: tuple[Instance, str],
    *,
    compact: bool = False,
) -> tuple[str, Answer | None]:
    """Return what is wrong with one read, empty where nothing is, and its answer if there is."""
    one, view = due
    headers: dict[str, str | None] = {"Accept": accept}
    if compact:
        headers[COMPACT] = "compact"
    answer = None
    try:
        answer = wire.call("GET", path, headers=headers)
        if answer.status != OK:
            return f"status {answer.status}", answer
        if not answer.body:
            return "200 without a body", answer
        return ("" if _holds(one, view, answer) else f"it lacks {one.id}"), answer
    except WireError as problem:
        return str(problem), answer


def _holds(one: Instance, view: str, answer: Answer) -> bool:
    if view in SINGLES:
        return answer.record().id == one.id
    if view == "app":
        return answer.application().find(one.id) is not None
    return answer.applications().find(one.app, one.id) is not None
