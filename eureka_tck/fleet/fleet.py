"""
The part of a fleet that one process drives: its instances, what is due, and what was answered.

The open model: `due` times come from the storm alone. Everything that is sent, and every answer, is
counted in the tally and handed to `told`, which tells Locust.
"""

from __future__ import annotations

import time
import zlib
from collections import deque
from heapq import heappop, heappush
from random import Random
from typing import TYPE_CHECKING, Final

import gevent

from eureka_tck.actors.copy import Copy
from eureka_tck.fleet import request
from eureka_tck.fleet.handover import adopt, orphaned
from eureka_tck.fleet.histogram import bucket
from eureka_tck.fleet.lines import ANSWER_BUDGET, Call, Lines
from eureka_tck.fleet.member import OUT, OUTSIDE, SILENT, UP, Members, Task, unfolded
from eureka_tck.fleet.schedule import Schedule, later, phases
from eureka_tck.fleet.tally import LATE_AFTER, OWN_LATE_AFTER, Tally
from eureka_tck.wire.reading import UnreadableBodyError, read_applications, read_instance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from eureka_tck.fleet.request import Kind
    from eureka_tck.fleet.storm import Storm

LOOK_UP_EVERY: Final = 0.1
"""How long a fleet with nothing due may take to notice that it shall stop, in s."""
YIELD_EVERY: Final = 0.05
"""Seconds after which Locust's own greenlets get their turn, however busy the fleet is."""
TRY_AGAIN_AFTER: Final = 1.0
"""Seconds after which an instance that could not register tries again."""
MOST_TURNS_AT_ONCE: Final = 64
"""Turns taken before answers are looked at again, so that these do not wait for a wave to end."""
LEAVE_BUDGET: Final = 50.0
"""Seconds within which the fleet cancels itself; with the last answers less than Locust waits."""
JOINS_LATE: Final = 10.0
"""Seconds after the arrival from which a process that joins takes the fleet to be registered."""
CPU_OVER: Final = 5.0
"""Seconds over which the generator's own processor share is measured."""
MOST_OF_A_LIST: Final = 2 << 30
"""Bytes, without gzip; a list of a million instances is 1.2 GB of JSON."""
BOUNCES: Final = 5
"""Tries in a row of a registration, or of a cancellation that nobody answered."""


class Fleet:
    """
    One process's share of a storm's instances, on one or several nodes.

    `began` is the monotonic instant, and `began_unix` the same in Unix seconds, at which the whole
    fleet begins to register; all processes share it.
    `told` gets each finished call with its latency from the intended time, in s.
    """

    def __init__(
        self,
        storm: Storm,
        nodes: Sequence[tuple[str, int]],
        base: str,
        began_unix: float,
        told: Callable[[Call, float], None],
    ) -> None:
        self.storm = storm
        self.began_unix = began_unix
        now_unix = time.time()  # noqa: TID251 - T is a wall-clock stamp by protocol
        self.began = time.monotonic() + began_unix - now_unix
        self.tally = Tally(instances=storm.instances, began=began_unix, workers=1)
        self.members = Members(storm.instances, int(began_unix * 1000))
        self.copy: Copy | None = None
        self._told = told
        self._requests = [request.Requests(storm, _host(host, port), base) for host, port in nodes]
        per_node = max(1, storm.connections // len(nodes))
        self._lines = Lines(nodes, per_node, self._answered)
        self._share: tuple[int, int] = (0, 0)
        self._renewals = _nobody()
        self._hot = _nobody()
        self._readers = _nobody()
        self._tasks: deque[Task] = deque()
        self._retries: list[Task] = []
        self._arrivals: deque[tuple[float, int]] = deque()
        self._tries: dict[int, int] = {}
        self._gives_up = False
        self._away: set[int] = set()  # cancelled, and to register anew
        self._audit_credit = 0.0
        self._audit_at = self.began
        self._cpu: deque[tuple[float, float]] = deque()
        self._expired_at = 0.0
        self._yielded_at = 0.0

    @property
    def share(self) -> tuple[int, int]:
        """Which part of how many this process drives."""
        return self._share

    def now(self) -> float:
        """Return the instant on the fleet's clock: monotonic seconds."""
        return time.monotonic()

    def take(self, index: int, parts: int, since: float = 0.0) -> None:
        """
        Drive the members whose number leaves `index` when divided by `parts`, from now on.

        What was another's until now is taken to be as the storm's moments have left it; of its
        turns from `since` on, in Unix seconds, nobody tells, so they are counted as orphaned here.
        """
        first, storm, now = self._share == (0, 0), self.storm, time.monotonic()
        old_index, old_parts = self._share
        self._share = (index, parts)
        settled = self.began + storm.arrive_over
        adopted = [n for n in self._owned() if first or n % old_parts != old_index]
        if first:
            self._tasks = deque(unfolded(storm, self.began))
        at_least = now if since or not first else self.began
        arriving = adopt(self.members, adopted, self._away, late=now > settled + JOINS_LATE)
        spread = storm.arrive_over / storm.instances
        self._arrivals = deque(
            sorted(
                [
                    *(pair for pair in self._arrivals if self._mine(pair[1])),
                    *((max(self.began + spread * n, at_least), n) for n in arriving),
                ]
            )
        )
        rng = Random(storm.instances * 1000 + index)
        start = settled + storm.jitter * storm.renewal_interval
        interval = storm.renewal_interval
        plain = (n for n in adopted if n >= storm.hot)
        renewing = list(phases(storm.phases, plain, storm.instances, interval, start))
        hot = [(n, start) for n in adopted if n < storm.hot]
        readers = (
            n for n in range(index, storm.readers, parts) if first or n % old_parts != old_index
        )
        soonest = now + storm.jitter * interval
        reading = phases("even", readers, max(1, storm.readers), storm.read_interval, start)
        if first:
            self._renewals = Schedule(
                later(renewing, soonest, interval),
                interval,
                jitter=storm.jitter,
                drift=storm.drift,
                rng=rng,
            )
            self._hot = Schedule(later(hot, now, storm.hot_interval), storm.hot_interval, rng=rng)
            self._readers = Schedule(
                later(reading, now, storm.read_interval), storm.read_interval, rng=rng
            )
        else:
            for schedule, more, every in (
                (self._renewals, renewing, interval),
                (self._hot, hot, storm.hot_interval),
                (self._readers, reading, storm.read_interval),
            ):
                schedule.change(self._mine, later(more, soonest, every))
        if since:
            lost = self.began + since - self.began_unix
            for turns, every in ((renewing, interval), (hot, storm.hot_interval)):
                count = orphaned(turns, self.members, every, lost, soonest)
                self.tally.intended += count
                self.tally.orphaned += count

    def step(self) -> None:
        """Do what is due, and take what has been answered, for at most a tenth of a second."""
        self._send_due(time.monotonic())
        self._breathe()
        self._lines.wait(min(self._next_at() - time.monotonic(), LOOK_UP_EVERY))

    def _send_due(self, now: float) -> None:
        lines = self._lines
        while self._arrivals and self._arrivals[0][0] <= now:
            at, member = self._arrivals.popleft()
            self._noticed(now - at)
            self._register(member, at)
        while self._tasks and self._tasks[0].at <= now:
            self._do(self._tasks.popleft())
        while self._retries and self._retries[0].at <= now:
            task = heappop(self._retries)
            if self._mine(task.member) and self.members.state[task.member] != SILENT:
                self._do(task)  # else it is another's, or died meanwhile
        for schedule in (self._renewals, self._hot):
            for count, turn in enumerate(schedule.due(now)):
                self._turn(turn.member, turn.at, now)
                if count % MOST_TURNS_AT_ONCE == MOST_TURNS_AT_ONCE - 1:
                    lines.wait(0)
        for turn in self._readers.due(now):
            kind = request.FULL if self.storm.reads == "full" else request.DELTA
            self._read(kind if self.copy or turn.member else request.FULL, turn.member, turn.at)

    def _breathe(self) -> None:
        """Let Locust's own greenlets have their turn, and give up what was not answered."""
        now = time.monotonic()
        if now - self._yielded_at > YIELD_EVERY:
            self._yielded_at = now
            gevent.sleep(0)
        if now - self._expired_at > 1:
            self._expired_at = now
            self._lines.expire(now)
            self._measure(now)

    def finish(self, budget: float) -> None:
        """Send what is due, but nothing more, and wait until all that was sent is answered."""
        self._send_due(time.monotonic())
        self._arrivals.clear()
        self._retries.clear()
        self._settle(budget)

    def _settle(self, budget: float) -> None:
        """
        Wait until nothing is under way.

        What is not sent within `budget` seconds never will be, and is counted so; what is not
        answered within an answer's budget more is given up.
        """
        lines, end = self._lines, time.monotonic() + budget
        while lines.waiting and time.monotonic() < end:
            lines.wait(LOOK_UP_EVERY)
            self._breathe()
        for call in lines.drop_waiting():
            self._unsent(call)
        end = time.monotonic() + ANSWER_BUDGET + 1
        while lines.in_flight and time.monotonic() < end:
            lines.wait(LOOK_UP_EVERY)
            self._breathe()
        self._gives_up = True
        lines.give_up("no answer before the end")
        self._gives_up = False
        self._retries.clear()
        self._count_states()

    def leave(self) -> None:
        """Cancel every instance of this share that is registered, so that nothing is left."""
        end = time.monotonic() + LEAVE_BUDGET
        for member in self._owned():
            if self.members.state[member] != OUTSIDE or self.members.known[member]:
                self._call(request.CANCEL, member, time.monotonic())
            while self._lines.waiting > MOST_TURNS_AT_ONCE and time.monotonic() < end:
                self._lines.wait(LOOK_UP_EVERY)
                self._breathe()
            if time.monotonic() > end:
                break
        self._settle(max(0.0, end - time.monotonic()))

    def close(self) -> None:
        """Close the connections."""
        self._lines.close()

    def counted(self) -> Tally:
        """Return the tally with what is held now."""
        self._count_states()
        self.tally.resent = self._lines.resent
        return self.tally

    def _owned(self) -> range:
        index, parts = self._share
        return range(index, self.storm.instances, parts) if parts else range(0)

    def _count_states(self) -> None:
        index, parts = self._share
        state = self.members.state[index :: parts or 1]
        self.tally.up, self.tally.out = state.count(UP), state.count(OUT)
        self.tally.arrived = self.members.arrived[index :: parts or 1].count(1)
        self.tally.dead = 0
        if SILENT in state:
            known = self.members.known[index :: parts or 1]
            self.tally.dead = sum(
                one == SILENT and there for one, there in zip(state, known, strict=True)
            )

    def _next_at(self) -> float:
        times = [self._renewals.next_at(), self._hot.next_at(), self._readers.next_at()]
        times += [queue[0].at for queue in (self._tasks, self._retries) if queue]
        if self._arrivals:
            times.append(self._arrivals[0][0])
        return min(times)

    def _measure(self, now: float) -> None:
        """Keep the worst share of a core that this process used over some seconds."""
        self._cpu.append((now, time.process_time()))
        while now - self._cpu[0][0] > CPU_OVER:
            since, used = self._cpu.popleft()
            share = (time.process_time() - used) / (now - since)
            self.tally.cpu = max(self.tally.cpu, round(share, 3))

    def _mine(self, member: int) -> bool:
        index, parts = self._share
        return member % parts == index

    def _turn(self, member: int, at: float, now: float) -> None:
        members, tally = self.members, self.tally
        if not members.renews(member):
            return
        tally.intended += 1
        self._noticed(now - at)
        if members.busy[member]:
            tally.missed += 1
            return
        members.busy[member] = 1
        self._call(request.RENEW, member, at)

    def _noticed(self, late: float) -> None:
        """Count by how many seconds this process was late to notice what was due."""
        tally = self.tally
        tally.own_late += late > OWN_LATE_AFTER
        key = bucket(late)
        tally.own_us[key] = tally.own_us.get(key, 0) + 1
        tally.worst_own_ms = max(tally.worst_own_ms, late * 1000)

    def _unsent(self, call: Call) -> None:
        """Count what was due and never sent: a renewal as missed, anything else as a failure."""
        if call.kind is request.RENEW:
            self.members.busy[call.member] = 0
            self.tally.missed += 1
            return
        call.problem = "it was never sent: every connection was busy to the end"
        latency = time.monotonic() - call.intended
        self.tally.requests += 1
        self.tally.statuses["0"] = self.tally.statuses.get("0", 0) + 1
        _count(self.tally.intended_us, call.kind.name, latency)
        self._failed(call)
        self._told(call, latency)

    def _do(self, task: Task) -> None:
        """Do a task; of another's instances only the state is kept."""
        at, member, act = task
        state, mine = self.members.state, self._mine(member)
        if act == "register":
            self.members.dirty[member] += 1
            self._away.discard(member)
            if mine:
                self._register(member, at)
            else:
                state[member] = UP
        elif act == "silence":
            state[member] = SILENT
        elif act == "cancel":
            state[member] = OUTSIDE
            self._away.add(member)
            if mine:
                self._call(request.CANCEL, member, at)
        elif act in ("status", "back"):
            if mine and state[member] in (UP, OUT):
                self._call(request.STATUS if act == "status" else request.BACK, member, at)
            if state[member] in (UP, OUT):
                state[member] = OUT if act == "status" else UP
        elif mine:
            self._read(request.DELTA, member, at)
            self._read(request.FULL, member, at)

    def _register(self, member: int, at: float) -> None:
        if self.members.state[member] == SILENT:  # it is back
            self.members.state[member] = OUTSIDE
        self._call(request.REGISTER, member, at)

    def _read(self, kind: Kind, member: int, at: float) -> None:
        node = self._lines.node_for(member % len(self._requests))
        made = self._requests[node]
        wire = made.full() if kind is request.FULL else made.delta()
        self._lines.send(Call(kind, member, node, at, wire))

    def _call(self, kind: Kind, member: int, at: float) -> None:
        home = member % len(self._requests)
        node = self._lines.node_for(home) if len(self._requests) > 1 else home
        made, dirty = self._requests[node], self.members.dirty[member]
        if kind is request.RENEW:
            wire = made.renew(member, dirty)
        elif kind is request.REGISTER:
            wire = made.register(member, dirty)
        elif kind is request.AUDIT:
            wire = made.read(member)
        elif kind is request.CANCEL:
            wire = made.cancel(member)
        else:
            wire = made.status(member) if kind is request.STATUS else made.back(member)
        self._lines.send(Call(kind, member, node, at, wire))

    def _answered(self, call: Call, now: float) -> None:
        tally, kind, status = self.tally, call.kind, call.status
        name = kind.name
        latency = now - call.intended
        tally.requests += 1
        text = str(status)
        tally.statuses[text] = tally.statuses.get(text, 0) + 1
        _count(tally.intended_us, name, latency)
        _count(tally.reported_us, name, now - call.sent)
        if status not in kind.right and not self._has_left(call):
            call.problem = call.problem or f"{name} was answered {status}"
            self._failed(call)
        if kind is request.RENEW:
            self._renewed(call, now)
        else:
            self._others(call, now)
        self._told(call, latency)

    def _has_left(self, call: Call) -> bool:
        """
        Say whether a 404 is right, because the instance left while the call was under way.

        A renewal may be overtaken by the cancellation, and whoever fell silent may be evicted.
        """
        if call.status != 404:  # noqa: PLR2004 - RENEW-02, CANCEL-02
            return False
        if call.kind is request.CANCEL:
            return self.members.state[call.member] == SILENT
        return call.kind is not request.AUDIT and not self.members.renews(call.member)

    def _failed(self, call: Call) -> None:
        self.tally.failures += 1
        self.tally.note(f"{call.kind.name} of instance {call.member}: {call.problem}")

    def _renewed(self, call: Call, now: float) -> None:
        members, tally, member, status = self.members, self.tally, call.member, call.status
        members.busy[member] = 0
        tally.sent += 1
        delay = call.sent - call.intended
        tally.late += delay > LATE_AFTER
        tally.worst_start_ms = max(tally.worst_start_ms, delay * 1000)
        if status == 200:  # noqa: PLR2004 - RENEW-01
            tally.acknowledged += 1
            members.renewed[member] = call.sent  # no later than the registry took it
            members.arrived[member] = 1
            self._audit(member, now, call.node)
            return
        tally.refused += status != 0
        tally.unanswered += status == 0
        if status == 404 and members.renews(member):  # noqa: PLR2004 - RENEW-02
            tally.forgotten += 1
            tally.evicted_live += now - members.renewed[member] < self.storm.duration
            members.state[member] = OUTSIDE
            members.dirty[member] = max(members.dirty[member] + 1, self._unix_ms(now))
            self._register(member, now)

    def _others(self, call: Call, now: float) -> None:
        kind, member, status = call.kind, call.member, call.status
        if kind is request.REGISTER:
            self._registered(call, now)
        elif kind is request.CANCEL:
            tries = self._tries.pop(member, 0)
            if (
                status == 0 and tries < BOUNCES and not self._gives_up
            ):  # its node is gone: the next one is told
                self._tries[member] = tries + 1
                self._call(request.CANCEL, member, now)
                return
            if status == 200:  # noqa: PLR2004 - CANCEL-01
                self.tally.cancelled += 1
            if status in (200, 404):
                self.members.known[member] = 0
            self.members.stamp[member] = 0
        elif kind is request.AUDIT:
            self._audited(call)
        elif kind in (request.DELTA, request.FULL):
            self.tally.reads += 1
            if status == 200 and member == 0:  # noqa: PLR2004 - one copy a process is enough
                self._copied(call, now)

    def _registered(self, call: Call, now: float) -> None:
        members, member = self.members, call.member
        if call.status == 204:  # noqa: PLR2004 - REG-01
            self.tally.reregistered += members.arrived[member]
            self.tally.registered += not members.arrived[member]
            members.arrived[member] = 1
            members.known[member] = 1
            if members.state[member] != SILENT:  # else it died meanwhile
                members.state[member] = UP
            members.renewed[member], members.stamp[member] = call.sent, 0
            self._tries.pop(member, None)
            self._audit(member, now, call.node)
            return
        tries = self._tries[member] = self._tries.get(member, 0) + 1
        wait = TRY_AGAIN_AFTER * (1 if tries <= BOUNCES else self.storm.renewal_interval)
        heappush(self._retries, Task(now + wait, member, "register"))

    def _audit(self, member: int, now: float, node: int) -> None:
        """Read an instance back from the node that answered, as often as the storm allows."""
        rate = self.storm.audits
        self._audit_credit = min(rate, self._audit_credit + (now - self._audit_at) * rate)
        self._audit_at = now
        near = len(self._requests) == 1 or node == self._lines.node_for(
            member % len(self._requests)
        )
        if self._audit_credit >= 1 and member >= self.storm.hot and near:
            self._audit_credit -= 1
            self._call(request.AUDIT, member, now)
        else:
            self.members.stamp[member] = 0

    def _audited(self, call: Call) -> None:
        """Hold the stamp of its lease against the one before: each renewal moves it."""
        members, member = self.members, call.member
        before, members.stamp[member] = members.stamp[member], 0
        if call.status != 200:  # noqa: PLR2004 - the answer of a read
            return
        try:
            lease = read_instance(call.body, "application/json").leased
        except (UnreadableBodyError, LookupError) as problem:
            self.tally.note(f"{call.kind.name} of instance {member}: {problem}")
            return
        # With a newer renewal under way or acknowledged, this may be its stamp already: no base.
        if not members.busy[member] and members.renewed[member] <= call.intended:
            members.stamp[member] = lease.renewed_ms
        if before:
            self.tally.audited += 1
            if lease.renewed_ms <= before:
                self.tally.lost += 1
                self.tally.note(
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
            self.tally.mismatched += 1
            self.copy = None
            self._read(request.FULL, call.member, now)

    def _unix_ms(self, now: float) -> int:
        return int((self.began_unix + now - self.began) * 1000)


def _host(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _count(into: dict[str, dict[int, int]], name: str, seconds: float) -> None:
    counts = into.get(name)
    if counts is None:
        counts = into[name] = {}
    key = bucket(seconds)
    counts[key] = counts.get(key, 0) + 1


def _plain(body: bytes) -> bytes:
    """Return a body without its gzip, as far as its bytes do not multiply without end."""
    if body[:2] != b"\x1f\x8b":
        return body
    unpacking = zlib.decompressobj(31)
    plain = unpacking.decompress(body, MOST_OF_A_LIST)
    if not unpacking.eof:
        raise zlib.error(f"its gzip does not end within {MOST_OF_A_LIST:,} bytes")
    return plain


def _nobody() -> Schedule:
    members: Iterable[tuple[int, float]] = ()
    return Schedule(members, 1.0, rng=Random(0))
