"""
The Locust user that is a whole fleet.

One user registers all its instances, renews each on its own schedule over a few keep-alive
connections, and cancels them when it stops. Every request goes through Locust's own events, so that
its console, CSV and HTML are right; the time it reports runs from the intended send time.
"""

from __future__ import annotations

import time
from random import Random
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote, urlsplit

import gevent
import msgspec
from gevent.queue import Queue
from geventhttpclient import HTTPClient
from locust import User, task

from eureka_tck.fleet.schedule import Schedule, Turn, even_phases
from eureka_tck.fleet.tally import LATE_AFTER, Tally
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from locust.env import Environment

    from eureka_tck.fleet.storm import Storm

RENEW = "PUT renew"
REGISTER = "POST register"
CANCEL = "DELETE cancel"
# A renewal is answered in milliseconds; what takes longer than this is no answer any more.
ANSWER_BUDGET = 10.0
# How long a fleet with nothing due may take to notice that the test stops, in s.
LOOK_UP_EVERY = 0.2


class FleetUser(User):
    """
    A fleet of `storm.instances` instances on the registry at `host`.

    `storm` and `tally_file` are set by the locustfile before the user starts.
    """

    abstract = True
    storm: ClassVar[Storm]
    tally_file: ClassVar[Path | None] = None

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        parts = urlsplit(self.host or "")
        self._base = f"{parts.path.rstrip('/')}/eureka"
        self._clients = HTTPClient(
            parts.hostname or "127.0.0.1",
            port=parts.port or 80,
            concurrency=self.storm.connections,
            connection_timeout=ANSWER_BUDGET,
            network_timeout=ANSWER_BUDGET,
        )
        self.tally = Tally(instances=self.storm.instances)
        self._dirty = int(time.time() * 1000)  # noqa: TID251 - T is a wall-clock stamp by protocol
        self._members = [self._member(number) for number in range(self.storm.instances)]
        self._paths = [
            f"{self._base}/apps/{app}/{quote(instance_id, safe='')}"
            for app, instance_id in self._members
        ]
        self._busy: set[int] = set()
        self._stopping = False
        environment.events.test_stopping.add_listener(self._leave)  # type: ignore[no-untyped-call] # Locust leaves it so

    def on_start(self) -> None:
        """Register the whole fleet, over all connections."""
        self._all_of_fleet(self._register)
        self._write_tally()

    def on_stop(self) -> None:
        """Cancel what was registered, so that the registry is left as it was found."""
        self._all_of_fleet(self._cancel)
        self._write_tally()

    @task
    def renew_on_schedule(self) -> None:
        """Renew every instance at its intended times until the test stops."""
        turns: Queue[Turn] = Queue()
        senders = [gevent.spawn(self._send_turns, turns) for _ in range(self.storm.connections)]
        # Any fixed seed does: it only spreads the jitter.
        # No turn may lie before the start, however early jitter moves it.
        start = time.monotonic() + self.storm.jitter * self.storm.renewal_interval
        schedule = Schedule(
            even_phases(self.storm.instances, self.storm.renewal_interval, start),
            self.storm.renewal_interval,
            jitter=self.storm.jitter,
            rng=Random(self.storm.instances),
        )
        try:
            while not self._stopping:
                wait = schedule.next_at() - time.monotonic()
                gevent.sleep(min(max(0.0, wait), LOOK_UP_EVERY))
                for turn in schedule.due(time.monotonic()):
                    self.tally.intended += 1
                    if turn.member in self._busy:
                        self.tally.missed += 1
                        continue
                    self._busy.add(turn.member)
                    turns.put(turn)
                self._write_tally_now_and_then()
            self._let_answers_come()
        finally:
            self.tally.missed += turns.qsize()
            gevent.killall(senders)

    def _let_answers_come(self) -> None:
        """Wait until every renewal that was due is answered; what is not then, is missed."""
        give_up = time.monotonic() + ANSWER_BUDGET
        while self._busy and time.monotonic() < give_up:
            gevent.sleep(LOOK_UP_EVERY)

    def _leave(self, **_: object) -> None:
        self._stopping = True

    def _member(self, number: int) -> tuple[str, str]:
        return f"FLEET-{number % self.storm.applications:03d}", f"fleet-{number:07d}"

    def _all_of_fleet(self, operation: Callable[[int], None]) -> None:
        numbers = iter(range(self.storm.instances))

        def work() -> None:
            for number in numbers:
                operation(number)

        gevent.joinall([gevent.spawn(work) for _ in range(self.storm.connections)])

    def _register(self, number: int) -> None:
        app, instance_id = self._members[number]
        instance = sample(
            app,
            instance_id,
            duration=int(self.storm.duration),
            interval=int(self.storm.renewal_interval),
            lastDirtyTimestamp=str(self._dirty),
        )
        body = msgspec.json.encode({"instance": instance})
        headers = {"Content-Type": "application/json"}
        status = self._call(
            REGISTER, f"{self._base}/apps/{app}", time.monotonic(), body=body, headers=headers
        )
        self.tally.registered += status == 204  # noqa: PLR2004 - REG-01

    def _cancel(self, number: int) -> None:
        status = self._call(CANCEL, self._paths[number], time.monotonic())
        self.tally.cancelled += status == 200  # noqa: PLR2004 - CANCEL-01

    def _send_turns(self, turns: Queue[Turn]) -> None:
        while True:
            turn = turns.get()
            delay = time.monotonic() - turn.at
            self.tally.late += delay > LATE_AFTER
            self.tally.worst_start_ms = max(self.tally.worst_start_ms, delay * 1000)
            self.tally.sent += 1
            path = f"{self._paths[turn.member]}?status=UP&lastDirtyTimestamp={self._dirty}"
            status = self._call(RENEW, path, turn.at)
            self._busy.discard(turn.member)
            self.tally.acknowledged += status == 200  # noqa: PLR2004 - RENEW-01
            self.tally.refused += status not in (0, 200)
            self.tally.unanswered += status == 0

    def _call(
        self,
        name: str,
        path: str,
        intended: float,
        *,
        body: bytes = b"",
        headers: dict[str, str] | None = None,
    ) -> int:
        """Send one request and fire Locust's event; return the status, 0 when no answer came."""
        method = name.split(maxsplit=1)[0]
        problem: Exception | None = None
        length = 0
        try:
            answer = self._clients.request(method, path, body=body, headers=headers or {})
            length = len(answer.read())
            status = answer.status_code
            if status >= 400:  # noqa: PLR2004 - HTTP's own line between answers and errors
                problem = RefusedError(f"{name} was answered {status}")
        except Exception as error:  # noqa: BLE001 - whatever the socket raised is the evidence
            status, problem = 0, error
        self.tally.statuses[str(status)] = self.tally.statuses.get(str(status), 0) + 1
        if problem is not None:
            self.tally.note(f"{name} {path}: {type(problem).__name__}: {problem}")
        self.environment.events.request.fire(
            request_type=method,
            name=name,
            response_time=(time.monotonic() - intended) * 1000,
            response_length=length,
            exception=problem,
            context={},
        )
        return status

    _written = 0.0

    def _write_tally_now_and_then(self) -> None:
        if time.monotonic() - self._written > 1.0:
            self._written = time.monotonic()
            self._write_tally()

    def _write_tally(self) -> None:
        if self.tally_file is not None:
            part = self.tally_file.with_suffix(".part")
            part.write_bytes(msgspec.json.encode(self.tally))
            part.replace(self.tally_file)


class RefusedError(Exception):
    """A request was answered with an error status."""
