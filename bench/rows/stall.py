"""What the fleet says of a server that stood still for 2 s, beside an open-loop reference."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Final

from bench.openloop import OpenLoop
from bench.row import Row
from bench.rows.fleet import nginx
from bench.series import Pair
from bench.storming import Storming
from eureka_tck.clock import Patience, unix_now
from eureka_tck.errors import CannotRun
from eureka_tck.fleet.histogram import BITS, count, percentile_ms
from eureka_tck.fleet.request import RENEW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.subject import Subject
    from bench.workbench import Workbench
    from eureka_tck.fleet.tally import Tally

SIZE: Final = 1000
INTERVAL: Final = 4.0  # s, so 250 renewals a second
ARRIVE_OVER: Final = 4.0  # s
MINUTES: Final = 0.4
SETTLE: Final = 3.0  # s
AFTER: Final = 8.0  # s from the first renewal to the stall
STALL: Final = 2.0  # s
BIT: Final = 0.5  # s: a p99 that is below it saw no stall
END_BUDGET: Final = 120.0  # s


def measure(bench: Workbench) -> Iterator[Pair]:
    """Yield by how many buckets the fleet's p95 or p99 is off, the worse of them, beside one."""
    subject = nginx(bench)
    lasts = MINUTES * 60 + SETTLE
    while True:
        reference = OpenLoop(subject)
        with Storming(
            bench,
            subject,
            instances=SIZE,
            minutes=MINUTES,
            renewal_interval=INTERVAL,
            arrive_over=ARRIVE_OVER,
            settle=SETTLE,
            connections=64,
            audits=0,
        ) as storm:
            began = storm.until(lambda tally: tally.began, END_BUDGET, "begun").began + ARRIVE_OVER
            reference.play(begins=began, lasts=lasts, rate=SIZE / INTERVAL)
            _wait_until(began + AFTER)
            _stall(subject)
            seen = reference.seen()
            tally = storm.ended(END_BUDGET)
        yield Pair(_off(tally, seen), 1.0)


def _stall(subject: Subject) -> None:
    os.killpg(subject.process.pid, signal.SIGSTOP)
    try:
        _wait_until(unix_now() + STALL)
    finally:
        os.killpg(subject.process.pid, signal.SIGCONT)


def _wait_until(instant: float) -> None:
    patience = Patience(max(0.0, instant - unix_now()))
    while patience.pause(patience.left()):
        pass


def _off(tally: Tally, seen: list[float]) -> float:
    untold = tally.intended - tally.sent - tally.missed
    if untold:
        raise CannotRun(f"{untold} of {tally.intended:,} sends are neither sent nor counted.")
    if abs(tally.intended - len(seen)) > 1:  # one may fall on the very end
        # A percentile is a rank: of 2 s that ended a second later, p95 is another one's.
        raise CannotRun(
            f"the fleet intended {tally.intended:,} sends, and the reference {len(seen):,}."
        )
    right: dict[int, int] = {}
    count(right, seen)
    distances = []
    for share in (0.95, 0.99):
        ours = percentile_ms(tally.intended_us[RENEW.name], share) or 0.0
        theirs = percentile_ms(right, share) or 0.0
        if theirs < BIT * 1000:
            raise CannotRun(f"a p{share * 100:.0f} of {theirs:.0f} ms says that nothing stalled.")
        distances.append(abs(_place(ours) - _place(theirs)))
    return float(max(distances))


def _place(ms: float) -> int:
    """Return which bucket of the histogram begins there, counted from the first."""
    micros = round(ms * 1000)
    spare = max(0, micros.bit_length() - BITS)
    return (spare << BITS - 1) + (micros >> spare)


ROW: Final = Row(
    name="fleet-stall",
    what="buckets (1/64 wide) that p95 or p99 of the fleet user is off, server stopped for 2 s",
    against="open-loop reference",
    unit="",
    direction="at most",
    goal=1.0,
    second=0.0,
    rounds=1,
    tools=("taskset", "nginx"),
    measure=measure,
)
