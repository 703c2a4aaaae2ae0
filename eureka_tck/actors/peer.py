"""
The scripted peer: a registry that a node replicates to, and that is ours.

It records what arrives (when, with which headers, which tasks) and answers as its script says.
It also serves a list, for a node that copies at its start, and can stand in front of a node:
`mirrors` passes all on to it, so that the node meets itself, or another, under this name.

A cluster makes its peers where its profile asks for them (`scripted = ["one", "two"]`) and tells
its nodes of them: `cluster.peer("one")`. Everything it keeps is bounded.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from eureka_tck.actors.arrival import Arrival, read_tasks
from eureka_tck.actors.peer_server import PeerServer, Request
from eureka_tck.actors.reaction import OK, Hang, Late, Reply, responses
from eureka_tck.actors.relay import relay
from eureka_tck.actors.shelf import Shelf
from eureka_tck.clock import WaitedInVain
from eureka_tck.verdict.outcome import Inconclusive

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from eureka_tck.actors.arrival import Task
    from eureka_tck.actors.reaction import (
        BatchScript,
        Close,
        Reaction,
        Reset,
        TaskScript,
    )
    from eureka_tck.clock import Clock
    from eureka_tck.wire.sample import Sample

MOST_ARRIVALS: Final = 20_000  # kept, the newest; a failing peer is tried 11 times a second
ANSWERED: Final = 200
UNKNOWN: Final = 404


class ScriptedPeer:
    """
    One peer; `url` is what a node is told, known once it listens.

    Its scripts may be changed at any time; what is under way is answered by the old ones.
    """

    def __init__(self, name: str, clock: Clock, host: str = "127.0.0.1", port: int = 0) -> None:
        self.name = name
        self.url = ""
        self.clock = clock
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._arrivals: deque[Arrival] = deque(maxlen=MOST_ARRIVALS)
        self._counted = 0
        self._whole: BatchScript = _by_task
        self._each: TaskScript = _well
        self._lists: Reply | Hang | None = None
        self._shelf = Shelf()
        self._before = ""
        self._mirror_after = 0.0
        self._server = PeerServer(host, port, self._answer, self._wait)

    # where it is

    @property
    def host(self) -> str:
        """The address it listens on."""
        return self._server.host

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._server.port

    @property
    def known_as(self) -> str:
        """The host name by which nodes know it."""
        return urlsplit(self.url).hostname or self.host

    def listen(self) -> None:
        """Take connections, again after `refuse`; CannotRun where its address is taken."""
        self._server.listen()

    def refuse(self) -> None:
        """Take no connections any more, and reset those there are."""
        self._server.refuse()

    def close(self) -> None:
        """End it; safe to call twice."""
        self._closing.set()
        self._server.close()

    # its script

    def reacts(self, reaction: Reaction | BatchScript | None = None) -> None:
        """React so to every batch, or as the script says; None: answer task by task."""
        if reaction is None:
            self._whole = _by_task
        elif callable(reaction):
            self._whole = reaction
        else:
            self._whole = lambda _: reaction

    def answers(self, script: TaskScript | None = None) -> None:
        """Answer each task as the script says; None, and what it says None to: 200."""
        self._each = script or _well

    def lists(self, reaction: Reply | Hang | None = None) -> None:
        """React so to all reads; None: serve what it holds."""
        self._lists = reaction

    def holds(self, instances: Iterable[Sample]) -> None:
        """Serve these instances to whoever reads the whole list."""
        self._shelf = Shelf(instances)

    def mirrors(self, root: str | None, *, after: float = 0.0) -> None:
        """
        Pass all on to `http://host:port` and its answers back, `after` registry seconds later.

        What passes is recorded all the same; None ends it.
        """
        self._mirror_after = after
        self._before = root or ""

    @contextmanager
    def behaving(
        self,
        reaction: Reaction | BatchScript | None = None,
        each: TaskScript | None = None,
    ) -> Iterator[ScriptedPeer]:
        """Follow these scripts within the block, the ones before after it."""
        before = self._whole, self._each
        self.reacts(reaction)
        self.answers(each)
        try:
            yield self
        finally:
            self._whole, self._each = before

    # what it saw

    @property
    def connections(self) -> int:
        """How many connections have been made to it until now."""
        return self._server.accepted

    @property
    def open_connections(self) -> int:
        """How many are open now."""
        return self._server.open_connections

    @property
    def most_open_connections(self) -> int:
        """How many were open at a time, at most."""
        return self._server.most_open

    def arrivals(self, since: float = 0.0) -> list[Arrival]:
        """Return what has arrived since an instant, oldest first."""
        with self._lock:
            return [arrival for arrival in self._arrivals if arrival.at >= since]

    def batches(self, since: float = 0.0) -> list[Arrival]:
        """Return the batches that have arrived."""
        return [arrival for arrival in self.arrivals(since) if arrival.is_batch]

    def tasks(
        self,
        since: float = 0.0,
        *,
        app: str | None = None,
        id: str | None = None,  # noqa: A002 - Eureka's own word
        action: str | None = None,
    ) -> list[Task]:
        """Return the tasks that have arrived, in order, those of repeated batches again."""
        return [
            task
            for batch in self.batches(since)
            for task in batch.tasks
            if app in {None, task.app} and id in {None, task.id} and action in {None, task.action}
        ]

    def await_tasks(
        self,
        names: Collection[str],
        *,
        app: str,
        action: str | None = None,
        since: float = 0.0,
        within: float = 10.0,
    ) -> list[Task]:
        """Wait until a task for each of these ids has come; Inconclusive if one has not."""
        due = set(names)

        def come() -> bool:
            return due <= {task.id for task in self.tasks(since, app=app, action=action)}

        try:
            self.clock.wait_until(
                come, within=within, what=f"{len(due)} tasks at peer {self.name}", pace=0.1
            )
        except WaitedInVain as vain:
            missing = due - {task.id for task in self.tasks(since, app=app, action=action)}
            raise Inconclusive(
                f"peer {self.name} was not told of {len(missing)} of {len(due)} instances "
                f"({', '.join(sorted(missing)[:3])}): {vain}."
            ) from vain
        return self.tasks(since, app=app, action=action)

    # what it does

    def _answer(self, request: Request) -> Reply | Hang | Reset | Close:
        arrival = self._record(request)
        if self._before:
            return relay(self._before, request, after=self._mirror_after)
        if not arrival.is_batch:
            return self._lists or self._list(urlsplit(request.path).path, request.method)
        reaction = self._whole(arrival)
        if reaction is None or isinstance(reaction, Late):
            replies = [self._each(task) or OK for task in arrival.tasks]
            after = reaction.after if reaction is not None else 0.0
            return Reply(ANSWERED, responses(replies), after=after)
        return reaction

    def _list(self, path: str, method: str) -> Reply:
        if method != "GET":
            return Reply(UNKNOWN)
        if path.rstrip("/").endswith("/apps"):
            return Reply(ANSWERED, self._shelf.full)
        if path.endswith("/apps/delta"):
            return Reply(ANSWERED, self._shelf.delta)
        return Reply(UNKNOWN)

    def _record(self, request: Request) -> Arrival:
        at = self.clock.now()
        with self._lock:
            self._counted += 1
            arrival = Arrival(
                at, self._counted, request.connection, request.method, request.path, request.headers
            )
            if arrival.is_batch:
                tasks, fault = read_tasks(request.body, at=at, batch=self._counted)
                arrival = Arrival(
                    at,
                    self._counted,
                    request.connection,
                    request.method,
                    request.path,
                    request.headers,
                    tasks,
                    fault,
                )
            self._arrivals.append(arrival)
        return arrival

    def _wait(self, seconds: float) -> bool:
        return self._closing.wait(self.clock.real(seconds))


def _by_task(_: Arrival) -> Reaction | None:
    return None


def _well(_: Task) -> None:
    return None
