"""Renewals in a processor second by a node that has to tell two peers of each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from bench import servers
from bench.fleet import Caller, register_all
from bench.row import Row
from bench.series import Pair
from eureka_tck.clock import Patience
from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.subject import Subject
    from bench.workbench import Workbench

SIZE: Final = 10_000
DELAY_MS: Final = 10
"""
Between two calls of a connection, so 5,000 renewals a second at most, each instance every 2 s.
Oftener than once in the batching delay (0.5 s) two renewals of an instance would be told as one.
"""

SHARE: Final = 0.95
"""
Of the renewals must have reached each peer, or what was measured is not replication.
The rest is on its way when a part ends.
"""

SETTLE_BUDGET: Final = 30.0  # s for the last batches to arrive
QUIET: Final = 2.0  # s without a renewal arriving: several batching delays


def measure(bench: Workbench) -> Iterator[Pair]:
    """Yield renewals per processor second, each replicated to the same two peers."""
    peers = [bench.start(f"peer-{number}", servers.python(), beside=True) for number in (1, 2)]
    urls = [f"{peer.root}/eureka/" for peer in peers]
    ours = bench.start("python-with-peers", servers.python(urls))
    theirs = bench.start("java-with-peers", servers.reference(urls))
    for subject in (ours, theirs):
        register_all(subject, SIZE)
        _settle(peers)
    bench.warm(theirs, SIZE)
    bench.warm(ours, SIZE, requests=20_000)
    _settle(peers)
    while True:
        yield Pair(_replicated(bench, ours, peers), _replicated(bench, theirs, peers))


def _replicated(bench: Workbench, subject: Subject, peers: list[Subject]) -> float:
    """Return the renewals per processor second until the peers know of all of them."""
    before = [_received(peer) for peer in peers]
    used = subject.cpu_seconds()
    report = bench.generator.renew(
        subject.root, SIZE, seconds=2 * bench.part_seconds, delay_ms=DELAY_MS
    )
    _settle(peers)
    used = subject.cpu_seconds() - used
    for peer, known in zip(peers, before, strict=True):
        arrived = _received(peer) - known
        if arrived < SHARE * report.requests:
            raise CannotRun(
                f"{subject.name} told {peer.name} of {arrived} of {report.requests} renewals, "
                f"and {SHARE:.0%} is the least that counts as replication."
            )
    return report.requests / used


def _settle(peers: list[Subject]) -> None:
    """Wait until no renewal arrives at the peers any more."""
    patience = Patience(SETTLE_BUDGET)
    seen = [_received(peer) for peer in peers]
    while patience.pause(QUIET):
        now = [_received(peer) for peer in peers]
        if now == seen:
            return
        seen = now


def _received(peer: Subject) -> int:
    """Return the renewals a peer has counted."""
    caller = Caller(peer)
    page = caller.read("/metrics").decode()
    caller.close()
    found = re.search(r"^eureka_renewals_total\S* ([0-9.e+]+)$", page, re.MULTILINE)
    if found is None:
        raise CannotRun(f"{peer.root}/metrics does not say how many renewals were counted.")
    return int(float(found[1]))


ROW: Final = Row(
    name="peers",
    what="renewals per CPU second with two peers to replicate to",
    against="Java reference with two peers",
    unit="/s",
    direction="at least",
    goal=2.0,
    second=3.0,
    rounds=5,
    tools=("wrk", "taskset", "java", "mvn"),
    measure=measure,
)
