"""
The one who records: a client, the node's counters, and the evictions as the registry stamps them.

It asks seldom (a poll costs a millisecond of both cores) and believes the registry's own stamps
more than the instant of its own reading. It judges nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.runs import runs_of
from eureka_tck.observe.tape import Tape
from eureka_tck.report.model import Moment
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.client import WireClient
from eureka_tck.wire.errors import WireError
from eureka_tck.wire.exchange import BODY_LIMIT, Exchange
from eureka_tck.wire.recorder import Recorder
from eureka_tck.wire.redaction import kept_body
from eureka_tck.wire.task import cancel_task, register_task

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Self

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.runs import Run
    from eureka_tck.targets import Counters
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.record import Applications, Record
    from eureka_tck.wire.sample import Sample
    from eureka_tck.wire.task import TaskFields

PACE: Final = 1.0  # registry s between two polls: at speed 10 ten a second
OK: Final = 200
FIGURE: Final = "Renews threshold"  # the row of Spring's page that the counters stand in
SETTLING: Final = 0.6  # registry s from a run's first stamp until it is over: 114 ms were seen
GRACE: Final = 20.0  # registry s a run may be late before it counts as not seen: 15 at load 25


class Observer:
    """
    Records one node of a cluster; use it as a context, `tape` is what it has gathered.

    Only what is `kept` becomes evidence: a recording makes hundreds of calls.
    """

    def __init__(self, cluster: Cluster, node: str = "a") -> None:
        self.cluster = cluster
        self.clock = cluster.clock
        self.node = cluster[node]
        self._recorder = Recorder(now=self.clock.now, kept=1)
        self.wire = WireClient(self.node.root, recorder=self._recorder)
        self.began = self.clock.now()
        self._moments: list[Moment] = []
        self._exchanges: list[Exchange] = []
        self._last_delta: Exchange | None = None
        self._cancelled: set[str] = set()
        self._reads = 0

    @property
    def started_at(self) -> float:
        """The instant at which the node's process was started last, in registry seconds."""
        if self.node.started_at is None:
            raise LookupError(f"{self.node} has not been started")
        return self.node.started_at

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wire.close()

    # evidence

    def note(self, text: str, at: float | None = None) -> None:
        """Put an event on the timeline."""
        self._moments.append(Moment(text=text, at=self.clock.now() if at is None else at))

    def note_run(self, run: Run) -> None:
        """Put an eviction run on the timeline, at the instant of its first stamp."""
        self.note(f"run evicts {len(run)}", at=self.clock.at_epoch_ms(run.start_ms))

    def keep(self, answer: Answer) -> Answer:
        """Keep an answer as evidence."""
        self.show(answer.exchange)
        return answer

    def show(self, exchange: Exchange) -> None:
        """Keep an exchange as evidence, of whatever became of it."""
        self._exchanges.append(exchange)

    def tape(self, given: str) -> Tape:
        """Return what was gathered until now; the delta with the stamps comes last: it is shown."""
        delta = () if self._last_delta is None else (self._last_delta,)
        return Tape(
            given,
            self.began,
            tuple(self._moments),
            (*self._exchanges, *delta),
            self._recorder.slowest,
        )

    # what it does

    def register(self, samples: Collection[Sample]) -> None:
        """
        Register many at once, by one batch as a peer sends it: nothing else is so quick.

        A registry that refuses the batch is told of each by a call of its own.
        """
        self._cancelled -= {str(sample["instanceId"]) for sample in samples}
        refused = self._batch([register_task(sample) for sample in samples])
        for place, sample in enumerate(samples):
            if place in refused:
                self._by_itself(self.wire.register(sample, replication=True))

    def cancel(self, app_of: Mapping[str, str]) -> None:
        """Cancel many at once, by one batch; `app_of` says the application of each id."""
        self._cancelled |= set(app_of)
        refused = self._batch([cancel_task(app, name) for name, app in app_of.items()])
        for place, (name, app) in enumerate(app_of.items()):
            if place in refused:
                self._by_itself(self.wire.cancel(app, name, replication=True))

    def counters(self, *, shown: bool = False) -> Counters:
        """Read the node's own figures; `shown` keeps the page that tells them as evidence."""
        return self.node.target.counters(self._fetch) if shown else self.node.counters()

    # what it sees

    def epoch_ms(self, instant: float) -> int:
        """Return an instant of registry seconds as a node's wall clock shows it."""
        return self.clock.epoch_ms() + round((instant - self.clock.now()) * 1000)

    def held(self) -> dict[str, Record]:
        """Return all that is listed, by id."""
        return {one.id: one for one in self.unread("/apps")}

    def leases(self, apps: Collection[str]) -> dict[str, Record]:
        """Return what is listed of these applications, by id."""
        return {name: one for name, one in self.held().items() if one.app in apps}

    def evicted(self, apps: Collection[str], since_ms: int = 0) -> dict[str, int]:
        """Return the stamps of what was evicted (not cancelled by us) of these applications."""
        return {
            one.id: one.lease.evicted_ms
            for one in self.unread("/apps/delta")
            if one.app in apps
            and one.action == "DELETED"
            and one.id not in self._cancelled
            and one.lease is not None
            and one.lease.evicted_ms > since_ms
        }

    def runs(self, apps: Collection[str], interval_ms: int, since_ms: int = 0) -> tuple[Run, ...]:
        """Return the eviction runs seen in these applications, oldest first."""
        return runs_of(self.evicted(apps, since_ms), interval_ms)

    def await_run(self, apps: Collection[str], interval_ms: int, after_ms: int) -> Run:
        """
        Return the first run after that instant, once it is over.

        Asks from one interval after it on; Inconclusive when none came within another one and
        `GRACE`: a lease must have been due.
        """
        run = self.seek_run(apps, interval_ms, after_ms)
        if run is None:
            raise Inconclusive(
                f"no eviction run was seen in {2 * interval_ms / 1000 + GRACE:g} s "
                f"from {self.clock.at_epoch_ms(after_ms):.1f} s on, though a lease was due."
            )
        return run

    def seek_run(self, apps: Collection[str], interval_ms: int, after_ms: int) -> Run | None:
        """Return the first run after that instant once it is over, None if none came."""
        interval = interval_ms / 1000
        since_ms = after_ms + interval_ms // 2
        try:
            seen = self.clock.wait_until(
                lambda: self.runs(apps, interval_ms, since_ms),
                within=interval + GRACE,
                what="an eviction run",
                pace=PACE,
                not_before=self.clock.at_epoch_ms(after_ms) + interval + SETTLING,
            )
        except WaitedInVain:
            return None
        over = self.clock.at_epoch_ms(seen[0].start_ms) + SETTLING
        if self.clock.now() < over:
            self.clock.reach(over)
        run = self.runs(apps, interval_ms, since_ms)[0]
        self.note_run(run)
        return run

    def unread(self, path: str) -> Applications:
        """
        Read a list under a key that nobody has read before, so that no cache stands between.

        An unknown region changes nothing but the key (QUERY-06).
        """
        self._reads += 1
        answer = self.wire.call(
            "GET", path, params={"regions": f"unread-{self.node.name}-{self._reads}"}
        )
        if path == "/apps/delta":
            self._last_delta = answer.exchange
        return answer.applications()

    def _fetch(self, path: str) -> str:
        """Return a page of the node, and keep it as evidence."""
        at = self.clock.now()
        text = self.node.fetch(path)
        # Spring's page begins with its style; the figures must be in what is kept.
        begin = max(0, text.find(FIGURE) - BODY_LIMIT // 2)
        self.show(
            Exchange(
                method="GET",
                url=f"{self.node.root}{path}",
                status=OK,
                response_body=kept_body(text[begin:].encode()),
                started_at=at,
            )
        )
        return text

    def _batch(self, tasks: list[TaskFields]) -> frozenset[int]:
        """Send a batch; return the places of the tasks that were not accepted."""
        try:
            answers = self.wire.batch(tasks).batch()
        except WireError:  # how batches are answered is for other rows to say
            answers = ()
        accepted = {place for place, one in enumerate(answers) if one.status == 200}  # noqa: PLR2004 - HTTP's own figure
        return frozenset(range(len(tasks))) - accepted

    def _by_itself(self, answer: Answer) -> None:
        if answer.status // 100 != 2:  # noqa: PLR2004 - HTTP's own figure
            raise Inconclusive(
                f"the registry took neither a batch nor a call of its own for "
                f"{answer.exchange.url}: {answer.status}."
            )
