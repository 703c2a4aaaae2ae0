"""A thousand connections that say nothing between two renewals: none may be lost."""

from __future__ import annotations

import http.client
from typing import TYPE_CHECKING, Final

from bench.fleet import application, instance_id
from bench.row import Row
from bench.rows.renewals import SIZE, python
from bench.series import Pair
from eureka_tck.clock import Patience
from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.subject import Subject
    from bench.workbench import Workbench

IDLE: Final = 35.0  # s; a client renews every 30 s
ANSWER_BUDGET: Final = 10.0  # s
_OK: Final = 200


def measure(bench: Workbench) -> Iterator[Pair]:
    """Yield how many connections did not serve a second renewal, beside how many there were."""
    subject = python(bench)
    while True:
        connections = [_Idle(subject, number) for number in range(SIZE)]
        first = sum(one.renews() for one in connections)
        if first < SIZE:
            raise CannotRun(
                f"only {first} of {SIZE} connections were answered at the first renewal."
            )
        patience = Patience(2.0 if bench.quick else IDLE)
        while patience.pause(patience.left()):
            pass
        second = sum(one.renews() for one in connections)
        for one in connections:
            one.close()
        yield Pair(SIZE - second, first)


class _Idle:
    """A connection that is never opened again."""

    def __init__(self, subject: Subject, number: int) -> None:
        self._connection = http.client.HTTPConnection(
            subject.host, subject.port, timeout=ANSWER_BUDGET
        )
        self._connection.connect()
        self._connection.auto_open = False
        self._path = f"/eureka/apps/{application(number)}/{instance_id(number)}"

    def renews(self) -> bool:
        """Renew; tell whether that was answered 200 on this very connection."""
        try:
            self._connection.request("PUT", self._path)
            answer = self._connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            return False
        return answer.status == _OK

    def close(self) -> None:
        self._connection.close()


ROW: Final = Row(
    name="connections",
    what="connections lost of 1,000 that renew every 35 s",
    against="all of them",
    unit="",
    direction="at most",
    goal=0.0,
    second=0.0,
    rounds=1,
    tools=("wrk", "taskset"),
    measure=measure,
)
