"""The recordings of profile `copy`: a node starts beside a full peer, none, and a large one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.errors import CannotRun
from eureka_tck.observe.observer import GRACE, PACE, Observer
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.client import JSON, XML, WireClient
from eureka_tck.wire.errors import NoAnswer
from eureka_tck.wire.sample import Sample, sample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape
    from eureka_tck.wire.exchange import Exchange
    from eureka_tck.wire.record import Record

APP: Final = "COPY"
LONG: Final = 3600  # s
SHORT: Final = 10  # s, a lease that must run out after the copy, not before
OK: Final = 200
AN_HOUR_MS: Final = 3_600_000
RETRIES: Final = 3  # registrySyncRetries of fixtures/profiles/copy.toml
WAIT: Final = 2.0  # s, registrySyncRetryWaitMs, the same
OPENED_BY: Final = 60.0  # s after its first answer until a node has failed to open
LOOK: Final = 0.25  # s between two looks at a node that starts
EARLY: Final = 3  # instances registered before it opens
REGISTERED_BY: Final = 1.5  # s after its first answer: it opens 4 s after it, at the earliest
STILL_CLOSED: Final = 1.0  # s for which a look must still find it closed, to prove one early
START_BUDGET: Final = 90.0  # real s for a node's first answer; 2 s alone, 40 s beside 17 others


def held_by_the_peer(now_ms: int) -> list[Sample]:
    """Return what the full peer holds: nine instances that are UP, three that are not."""
    old: dict[str, int] = {
        "registrationTimestamp": now_ms - AN_HOUR_MS,
        "lastRenewalTimestamp": now_ms - AN_HOUR_MS,
        "evictionTimestamp": 0,
        "serviceUpTimestamp": now_ms - AN_HOUR_MS,
    }
    short = {"renewalIntervalInSecs": 5, "durationInSecs": SHORT} | old
    return [
        *(sample(APP, f"up-{number}", duration=LONG) for number in range(6)),
        sample(APP, "told", duration=LONG, metadata={"colour": "blue"}),
        sample(APP, "lifted", duration=LONG, overriddenStatus="UP"),
        sample(APP, "short", leaseInfo=dict(short)),
        sample(APP, "down", duration=LONG, status="DOWN"),
        sample(APP, "starting", duration=LONG, status="STARTING"),
        sample(
            APP,
            "out",
            duration=LONG,
            status="OUT_OF_SERVICE",
            overriddenStatus="OUT_OF_SERVICE",
        ),
    ]


@dataclass(frozen=True, slots=True)
class Copied:
    """
    A node that has started beside a peer that refuses and one that holds twelve instances.

    `records` is what it then held of each, `threshold` what it expected;
    `started_ms` is its start, `evicted_ms` when it evicted the lease of 10 s (epoch ms, 0: never).
    """

    tape: Tape
    records: Mapping[str, Record | None]
    threshold: int
    started_ms: int
    evicted_ms: int

    @property
    def held(self) -> int:
        """How many of the peer's instances it held."""
        return sum(record is not None for record in self.records.values())


def record_copied(cluster: Cluster) -> Copied:
    """Start the node beside a full peer; read what it holds, and wait for the short lease's end."""
    cluster.peer("gone").refuse()
    peer, node = cluster.peer("full"), cluster["a"]
    instances = held_by_the_peer(cluster.clock.epoch_ms())
    peer.holds(instances)
    names = [str(instance["instanceId"]) for instance in instances]
    peer.listen()
    if node.is_alive():
        node.stop()
    started_ms = cluster.clock.epoch_ms()
    node.start()
    with Observer(cluster) as observer:
        _await_open(observer)
        observer.note("the node has opened")
        # Before the records: where the short lease is among them, it counted here too.
        threshold = observer.counters(shown=True).threshold
        records = {}
        for name in names:
            answer = observer.wire.instance(APP, name)
            records[name] = answer.record() if answer.status == OK else None
        observer.note(f"it holds {sum(one is not None for one in records.values())} of 12")
        evicted: dict[str, int] = {}
        short = records["short"]
        if short is not None:
            try:
                evicted = observer.clock.wait_until(
                    lambda: {
                        name: at for name, at in observer.evicted({APP}).items() if name == "short"
                    },
                    within=SHORT + GRACE,
                    what="the eviction of the short lease",
                    pace=PACE,
                    not_before=observer.clock.at_epoch_ms(short.leased.registered_ms) + SHORT,
                )
            except WaitedInVain:
                observer.note("the short lease was not evicted")
        given = "a node that starts beside a peer that refuses and one with 12 instances, 9 UP"
        tape = observer.tape(given)
        return Copied(tape, records, threshold, started_ms, evicted.get("short", 0))


@dataclass(frozen=True, slots=True)
class Hopeless:
    """
    A node that has started beside peers that all refuse.

    `took` is from its first answer until it opened, in s; `early` are the statuses of list reads
    in that time; `registered` counts the registrations it took then, `straddling` those of them
    that may have been counted as it opened. `threshold` is what it expected when it had opened,
    `emptied` what once all of them were cancelled; `serves` are the statuses of a list read, a
    registration and a read of it once it had opened.
    """

    tape: Tape
    took: float
    early: tuple[int, ...]
    registered: int
    straddling: int
    threshold: int
    serves: tuple[int, int, int]
    emptied: int


def record_hopeless(cluster: Cluster) -> Hopeless:
    """Start the node beside peers that refuse, and watch it from its first answer on."""
    node, clock = cluster["a"], cluster.clock
    for name in ("gone", "full"):
        cluster.peer(name).refuse()
    if node.is_alive():
        node.stop()
    node.start(wait=False)
    with Observer(cluster) as observer:
        first = _await_answer(observer)
        early: list[int] = []
        told: list[float] = []  # when each registration was answered
        closed = first
        while True:
            looked = clock.now()
            if _is_open(observer):
                break
            closed = looked
            if len(told) < EARLY and looked < first + REGISTERED_BY:
                fields = sample(APP, f"early-{len(told)}", duration=LONG)
                if observer.keep(observer.wire.register(fields)).status < OK + 100:
                    told.append(clock.now())
            status = _status(observer, "/apps")
            if _is_open(observer):  # what was just read may have come behind it
                break
            early.append(status)
            if clock.now() > first + OPENED_BY:
                raise Inconclusive(f"the node did not open within {OPENED_BY:g} s.")
            clock.reach(clock.now() + LOOK)
        opened = clock.now()
        threshold = observer.counters(shown=True).threshold
        registered = len(told)
        straddling = sum(at + STILL_CLOSED > closed for at in told)
        observer.note("first answer", at=first)
        observer.note(f"it has opened, {registered} were registered before it had")
        serves = (
            _status(observer, "/apps"),
            observer.wire.register(sample(APP, "late", duration=LONG)).status,
            observer.wire.instance(APP, "late").status,
        )
        for name in ("late", *(f"early-{number}" for number in range(registered))):
            observer.wire.cancel(APP, name)
        emptied = observer.counters(shown=True).threshold
        observer.note(f"all are cancelled, threshold {emptied}")
        given = (
            f"a node that starts beside peers that refuse, {RETRIES} tries {WAIT:g} s apart, "
            "an open count of 1"
        )
        return Hopeless(
            tape=observer.tape(given),
            took=opened - first,
            early=tuple(early),
            registered=registered,
            straddling=straddling,
            threshold=threshold,
            serves=serves,
            emptied=emptied,
        )


LARGE: Final = 3000  # instances
READERS: Final[Mapping[str, Mapping[str, str]]] = {
    "JSON": {"Accept": JSON},
    "XML": {"Accept": XML},
    "compact JSON": {"Accept": JSON, "X-Eureka-Accept": "compact"},
    "compact XML": {"Accept": XML, "X-Eureka-Accept": "compact"},
}
"""What four readers ask for, from the first moment on."""


@dataclass(frozen=True, slots=True)
class Large:
    """How many instances the first list held that each of four readers was given."""

    tape: Tape
    first: Mapping[str, int]


def record_large(cluster: Cluster) -> Large:
    """Start the node beside a peer of 3000 instances, while four readers ask it for its list."""
    node, peer = cluster["a"], cluster.peer("full")
    peer.listen()
    peer.holds([sample(APP, f"large-{number}", duration=LONG) for number in range(LARGE)])
    if node.is_alive():
        node.stop()
    with ThreadPoolExecutor(len(READERS), "reader") as pool:
        tasks = {
            name: pool.submit(_first_list, cluster, headers) for name, headers in READERS.items()
        }
        node.start()
        lists = {name: task.result() for name, task in tasks.items()}
    with Observer(cluster) as observer:
        for _, exchange in lists.values():
            observer.show(exchange)
        first = {name: size for name, (size, _) in lists.items()}
        _await_open(observer)
        copied = len(observer.leases({APP}))
        observer.note(f"the first lists held {sorted(first.values())}, later one {copied}")
        if copied < LARGE:
            raise Inconclusive(f"the node copied {copied} of {LARGE} instances.")
        given = f"a node that starts beside a peer of {LARGE} instances; four readers ask at once"
        return Large(observer.tape(given), first)


def _first_list(cluster: Cluster, headers: Mapping[str, str]) -> tuple[int, Exchange]:
    """Ask for the list until it is given; return how many instances it holds, and the exchange."""
    client = WireClient(cluster["a"].root)
    budget = START_BUDGET * cluster.clock.speed

    def given() -> tuple[int, Exchange] | None:
        try:
            answer = client.call("GET", "/apps", headers=headers)
        except NoAnswer:
            return None
        if answer.status != OK:
            return None
        size = len(list(answer.applications())) if answer.body else 0
        return size, answer.exchange

    try:
        found = cluster.clock.wait_until(given, within=budget, what="a list", pace=0.1)
    finally:
        client.close()
    assert found is not None  # noqa: S101 - for the type checker: it is truthy
    return found


def _await_answer(observer: Observer) -> float:
    """Return the instant of the first answer of a node that starts, whatever it says."""
    clock = observer.clock

    def answers() -> bool:
        if not observer.node.is_alive():
            raise Inconclusive("the node ended at its start.")
        return _status(observer, "/apps/NOBODY-YET", shown=False) != 0

    clock.wait_until(answers, within=START_BUDGET * clock.speed, what="the first answer", pace=LOOK)
    return clock.now()


def _await_open(observer: Observer) -> None:
    try:
        observer.clock.wait_until(
            lambda: _is_open(observer), within=OPENED_BY, what="the opening", pace=LOOK
        )
    except WaitedInVain as vain:
        raise Inconclusive(f"the node did not open: {vain}.") from vain


def _is_open(observer: Observer) -> bool:
    """
    Say whether the node has opened: its log says so, or its page tells when it did.

    Of one that shows neither it is told by a threshold, which a registration may raise earlier.
    """
    node = observer.node
    if node.target.ready_line is not None:
        return node.target.ready_line in node.log(since_start=True)
    try:
        if node.target.family == "python":
            return node.target.clock_stamp(node.fetch, None) is not None
        return observer.counters().threshold > 0
    except CannotRun:
        return False


def _status(observer: Observer, path: str, *, shown: bool = True) -> int:
    """Return the status of a read, 0 where it was not answered; `shown` makes it evidence."""
    try:
        answer = observer.wire.call("GET", path)
    except NoAnswer:
        return 0
    if shown:
        observer.keep(answer)
    return answer.status
