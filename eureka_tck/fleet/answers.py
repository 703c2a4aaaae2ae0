"""
What a fleet makes of its answers: counts, the states of its instances, and what has to follow.

Renewals that were acknowledged are nearly all there is, and are taken together; anything else is
looked at one by one.
"""

from __future__ import annotations

import time
import zlib
from heapq import heappush
from typing import TYPE_CHECKING, Final

from eureka_tck.actors.copy import Copy
from eureka_tck.fleet import request
from eureka_tck.fleet.histogram import add, bucket
from eureka_tck.fleet.latencies import Latencies
from eureka_tck.fleet.member import OUTSIDE, SILENT, UP, Task
from eureka_tck.fleet.tally import LATE_AFTER
from eureka_tck.wire.reading import UnreadableBodyError, read_applications, read_instance

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eureka_tck.fleet.call import Call
    from eureka_tck.fleet.member import Members
    from eureka_tck.fleet.sender import Sender
    from eureka_tck.fleet.storm import Storm
    from eureka_tck.fleet.tally import Tally

MOST_OF_A_LIST: Final = 2 << 30
"""Bytes, without gzip; a list of a million instances is 1.2 GB of JSON."""
TRY_AGAIN_AFTER: Final = 1.0
"""Seconds after which an instance that could not register tries again."""
BOUNCES: Final = 5
"""Tries in a row of a registration, or of a cancellation that nobody answered."""


class Answers:
    """
    Takes the answers of a storm's calls.

    `sender` is set before the first call is sent. `retries` are registrations to be tried again, as
    a heap; `gives_up` says that nothing shall be tried again.
    """

    sender: Sender

    def __init__(
        self,
        storm: Storm,
        members: Members,
        tally: Tally,
        began: float,
        told: Callable[[Sequence[Call], Sequence[float]], None],
    ) -> None:
        self.latencies = Latencies(tally)
        self.retries: list[Task] = []
        self.gives_up = False
        self.copy: Copy | None = None
        self._storm = storm
        self._members = members
        self._tally = tally
        self._began = began
        self._told = told
        self._tries: dict[int, int] = {}
        self._credit = 0.0
        self._credited_at = began

    def take(self, calls: Sequence[Call], now: float) -> None:
        """Take calls that came back, all at that instant."""
        renew = request.RENEW
        odd = [call for call in calls if call.status != 200 or call.kind is not renew]  # noqa: PLR2004 - RENEW-01
        if len(odd) < len(calls):
            self._acknowledged(calls if not odd else _without(calls, odd), now)
        for call in odd:
            self._take(call, now)

    def unsent(self, call: Call) -> None:
        """Count what was due and never sent: a renewal as missed, anything else as a failure."""
        if call.kind is request.RENEW:
            self._members.busy[call.member] = 0
            self._tally.missed += 1
            return
        call.problem = "it was never sent: every connection was busy to the end"
        latency = time.monotonic() - call.intended
        self._counted(call)
        add(self._tally.intended_us.setdefault(call.kind.name, {}), {bucket(latency): 1})
        self._failed(call)
        self._told([call], [latency])

    def _acknowledged(self, calls: Sequence[Call], now: float) -> None:
        members, tally = self._members, self._tally
        busy, renewed, arrived, stamp = (
            members.busy,
            members.renewed,
            members.arrived,
            members.stamp,
        )
        tally.requests += len(calls)
        tally.sent += len(calls)
        tally.acknowledged += len(calls)
        tally.statuses["200"] = tally.statuses.get("200", 0) + len(calls)
        self._earn(now)
        audits = self._credit >= 1
        for call in calls:
            member = call.member
            busy[member] = 0
            renewed[member] = call.sent  # no later than the registry took it
            arrived[member] = 1
            if audits:
                self._audit(call, now)
                audits = self._credit >= 1
            elif stamp[member]:
                stamp[member] = 0
        latencies = [now - call.intended for call in calls]
        self.latencies.acknowledged(latencies, [now - call.sent for call in calls])
        self._told(calls, latencies)

    def _take(self, call: Call, now: float) -> None:
        kind, latency = call.kind, now - call.intended
        self._counted(call)
        add(self._tally.intended_us.setdefault(kind.name, {}), {bucket(latency): 1})
        add(self._tally.reported_us.setdefault(kind.name, {}), {bucket(now - call.sent): 1})
        if call.status not in kind.right and not self._has_left(call):
            call.problem = call.problem or f"{kind.name} was answered {call.status}"
            self._failed(call)
        if kind is request.RENEW:
            self._not_renewed(call, now)
        elif kind is request.REGISTER:
            self._registered(call, now)
        elif kind is request.CANCEL:
            self._cancelled(call, now)
        elif kind is request.AUDIT:
            self._audited(call)
        elif kind in (request.DELTA, request.FULL):
            self._tally.reads += 1
            if call.status == 200 and call.member == 0:  # noqa: PLR2004 - one copy is enough
                self._copied(call, now)
        self._told([call], [latency])

    def _counted(self, call: Call) -> None:
        self._tally.requests += 1
        text = str(call.status)
        self._tally.statuses[text] = self._tally.statuses.get(text, 0) + 1

    def _has_left(self, call: Call) -> bool:
        """
        Say whether a 404 is right, because the instance left while the call was under way.

        A renewal may be overtaken by the cancellation, and whoever fell silent may be evicted.
        """
        if call.status != 404:  # noqa: PLR2004 - RENEW-02, CANCEL-02
            return False
        if call.kind is request.CANCEL:
            return self._members.state[call.member] == SILENT
        return call.kind is not request.AUDIT and not self._members.renews(call.member)

    def _failed(self, call: Call) -> None:
        self._tally.failures += 1
        self._tally.note(f"{call.kind.name} of instance {call.member}: {call.problem}")

    def _not_renewed(self, call: Call, now: float) -> None:
        members, tally, member, status = self._members, self._tally, call.member, call.status
        members.busy[member] = 0
        tally.sent += 1
        delay = call.sent - call.intended
        tally.late += delay > LATE_AFTER
        tally.worst_start_ms = max(tally.worst_start_ms, delay * 1000)
        tally.refused += status != 0
        tally.unanswered += status == 0
        if status == 404 and members.renews(member):  # noqa: PLR2004 - RENEW-02
            tally.forgotten += 1
            tally.evicted_live += now - members.renewed[member] < self._storm.duration
            members.state[member] = OUTSIDE
            unix_ms = int((tally.began + now - self._began) * 1000)
            members.dirty[member] = max(members.dirty[member] + 1, unix_ms)
            self.sender.call(request.REGISTER, member, now)

    def _cancelled(self, call: Call, now: float) -> None:
        member, status = call.member, call.status
        tries = self._tries.pop(member, 0)
        if status == 0 and tries < BOUNCES and not self.gives_up:
            # Its node is gone: the next one is told.
            self._tries[member] = tries + 1
            self.sender.call(request.CANCEL, member, now)
            return
        self._tally.cancelled += status == 200  # noqa: PLR2004 - CANCEL-01
        if status in (200, 404):
            self._members.known[member] = 0
        self._members.stamp[member] = 0

    def _registered(self, call: Call, now: float) -> None:
        members, member = self._members, call.member
        if call.status == 204:  # noqa: PLR2004 - REG-01
            self._tally.reregistered += members.arrived[member]
            self._tally.registered += not members.arrived[member]
            members.arrived[member] = 1
            members.known[member] = 1
            if members.state[member] != SILENT:  # else it died meanwhile
                members.state[member] = UP
            members.renewed[member], members.stamp[member] = call.sent, 0
            self._tries.pop(member, None)
            self._earn(now)
            self._audit(call, now)
            return
        tries = self._tries[member] = self._tries.get(member, 0) + 1
        wait = TRY_AGAIN_AFTER * (1 if tries <= BOUNCES else self._storm.renewal_interval)
        heappush(self.retries, Task(now + wait, member, "register"))

    def _earn(self, now: float) -> None:
        """Let so many instances be read back as the storm allows a second."""
        rate = self._storm.audits
        self._credit = min(rate, self._credit + (now - self._credited_at) * rate)
        self._credited_at = now

    def _audit(self, call: Call, now: float) -> None:
        """Read an instance back from the node that answered, as often as the storm allows."""
        member = call.member
        near = self.sender.near(member) == call.node
        if self._credit >= 1 and member >= self._storm.hot and near:
            self._credit -= 1
            self.sender.call(request.AUDIT, member, now)
        else:
            self._members.stamp[member] = 0

    def _audited(self, call: Call) -> None:
        """Hold the stamp of its lease against the one before: each renewal moves it."""
        members, member = self._members, call.member
        before, members.stamp[member] = members.stamp[member], 0
        if call.status != 200:  # noqa: PLR2004 - the answer of a read
            return
        try:
            lease = read_instance(call.body, "application/json").leased
        except (UnreadableBodyError, LookupError) as problem:
            self._tally.note(f"{call.kind.name} of instance {member}: {problem}")
            return
        # With a newer renewal under way or acknowledged, this may be its stamp already: no base.
        if not members.busy[member] and members.renewed[member] <= call.intended:
            members.stamp[member] = lease.renewed_ms
        if before:
            self._tally.audited += 1
            if lease.renewed_ms <= before:
                self._tally.lost += 1
                self._tally.note(
                    f"instance {member}: a renewal was acknowledged, and the lease is as before"
                )

    def _copied(self, call: Call, now: float) -> None:
        """Apply a list to the copy; where its hash then differs, read all again."""
        try:
            listed = read_applications(_plain(call.body), "application/json")
        except (UnreadableBodyError, zlib.error) as problem:
            call.problem = str(problem)
            self._failed(call)
            return
        if call.kind is request.FULL or self.copy is None:
            self.copy = Copy(listed)
            return
        self.copy.apply(listed)
        if self.copy.hash != listed.hash:
            self._tally.mismatched += 1
            self.copy = None
            self.sender.read(request.FULL, call.member, now)


def _without(calls: Sequence[Call], odd: Sequence[Call]) -> list[Call]:
    apart = {id(call) for call in odd}
    return [call for call in calls if id(call) not in apart]


def _plain(body: bytes) -> bytes:
    """Return a body without its gzip, as far as its bytes do not multiply without end."""
    if body[:2] != b"\x1f\x8b":
        return body
    unpacking = zlib.decompressobj(31)
    plain = unpacking.decompress(body, MOST_OF_A_LIST)
    if not unpacking.eof:
        raise zlib.error(f"its gzip does not end within {MOST_OF_A_LIST:,} bytes")
    return plain
