"""
The part of a fleet that one process drives: its instances, what is due, and what was answered.

The open model: `due` times come from the storm alone, the last ones too. Everything that is sent,
and every answer, is counted in the tally and handed to `told`, which tells Locust.
"""

from __future__ import annotations

import math
import time
from collections import deque
from heapq import heappop, merge
from random import Random
from typing import TYPE_CHECKING, Final

import gevent

from eureka_tck.fleet import request
from eureka_tck.fleet.answers import Answers
from eureka_tck.fleet.handover import adopt, orphaned
from eureka_tck.fleet.lines import ANSWER_BUDGET
from eureka_tck.fleet.member import OUT, OUTSIDE, SILENT, UP, Members, Task, unfolded
from eureka_tck.fleet.pulse import Pulse
from eureka_tck.fleet.schedule import Schedule, later, phases
from eureka_tck.fleet.sender import MOST_TURNS_AT_ONCE, Sender
from eureka_tck.fleet.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from eureka_tck.fleet.call import Call
    from eureka_tck.fleet.storm import Storm

LOOK_UP_EVERY: Final = 0.1
"""How long a fleet with nothing due may take to notice that it shall stop, in s."""
YIELD_EVERY: Final = 0.05
"""Seconds after which Locust's own greenlets get their turn, however busy the fleet is."""
LEAVE_BUDGET: Final = 50.0
"""Seconds within which the fleet cancels itself; with the last answers less than Locust waits."""
JOINS_LATE: Final = 10.0
"""Seconds after the arrival from which a process that joins takes the fleet to be registered."""
CPU_OVER: Final = 5.0
"""Seconds over which the generator's own processor share is measured."""


class Fleet:
    """
    One process's share of a storm's instances, on one or several nodes.

    `began` is the monotonic instant, and `began_unix` the same in Unix seconds, at which the whole
    fleet begins to register; all processes share it.
    `told` gets finished calls, all of one kind and answered alike, with their latencies from the
    intended time, in s.
    """

    def __init__(
        self,
        storm: Storm,
        nodes: Sequence[tuple[str, int]],
        base: str,
        began_unix: float,
        told: Callable[[Sequence[Call], Sequence[float]], None],
    ) -> None:
        self.storm = storm
        self.began_unix = began_unix
        now_unix = time.time()  # noqa: TID251 - T is a wall-clock stamp by protocol
        self.began = time.monotonic() + began_unix - now_unix
        self._tally = Tally(instances=storm.instances, began=began_unix, workers=1)
        self.members = Members(storm.instances, int(began_unix * 1000))
        self._answers = Answers(storm, self.members, self._tally, self.began, told)
        self._sender = Sender(storm, nodes, base, self.members, self._answers.take)
        self._answers.sender = self._sender
        self._lines = self._sender.lines
        self._retries = self._answers.retries
        self._noticed = self._answers.latencies.noticed
        self._share: tuple[int, int] = (0, 0)
        self._renewals = _nobody()
        self._hot = _nobody()
        self._readers = _nobody()
        self._tasks: deque[Task] = deque()
        self._arrivals: deque[tuple[float, int]] = deque()
        self._away: set[int] = set()  # cancelled, and to register anew
        self._cpu: deque[tuple[float, float]] = deque()
        self._pulse = Pulse()
        self._expired_at = 0.0
        self._yielded_at = 0.0

    @property
    def tally(self) -> Tally:
        """What was counted so far."""
        self._answers.latencies.flush()
        return self._tally

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
        # Locust may end the storm a second late: which turns it has, is the storm's alone.
        ends = self.began + storm.length
        adopted: Sequence[int] = self._owned()
        if not first:
            adopted = [n for n in adopted if n % old_parts != old_index]
        if first:
            self._tasks = deque(unfolded(storm, self.began))
        at_least = now if since or not first else self.began
        arriving = adopt(self.members, adopted, self._away, late=now > settled + JOINS_LATE)
        spread = storm.arrive_over / storm.instances
        coming = ((max(self.began + spread * n, at_least), n) for n in arriving)
        staying = [pair for pair in self._arrivals if self._mine(pair[1])]
        self._arrivals = deque(merge(staying, coming))
        rng = Random(storm.instances * 1000 + index)
        start = settled + storm.jitter * storm.renewal_interval
        interval = storm.renewal_interval

        def renewing() -> Iterable[tuple[int, float]]:
            """Make them anew each time: a million are too many to keep for a moment."""
            plain = (n for n in adopted if n >= storm.hot)
            return phases(storm.phases, plain, storm.instances, interval, start)

        hot = [(n, start) for n in adopted if n < storm.hot]
        readers = (
            n for n in range(index, storm.readers, parts) if first or n % old_parts != old_index
        )
        soonest = now + storm.jitter * interval
        reading = phases("even", readers, max(1, storm.readers), storm.read_interval, start)
        if first:
            self._renewals = Schedule(
                later(renewing(), soonest, interval),
                interval,
                jitter=storm.jitter,
                drift=storm.drift,
                ends=ends,
                rng=rng,
            )
            every = storm.hot_interval
            self._hot = Schedule(later(hot, now, every), every, ends=ends, rng=rng)
            every = storm.read_interval
            self._readers = Schedule(later(reading, now, every), every, ends=ends, rng=rng)
        else:
            for schedule, more, every in (
                (self._renewals, renewing(), interval),
                (self._hot, hot, storm.hot_interval),
                (self._readers, reading, storm.read_interval),
            ):
                schedule.change(self._mine, later(more, soonest, every))
        if since:
            lost = self.began + since - self.began_unix
            for turns, every in ((renewing(), interval), (hot, storm.hot_interval)):
                count = orphaned(turns, self.members, every, lost, min(soonest, ends))
                self._tally.intended += count
                self._tally.orphaned += count

    def step(self) -> None:
        """Do what is due, and take what has been answered, for about a tenth of a second."""
        self._breathe()
        lines, pulse, began = self._lines, self._pulse, time.monotonic()
        now, others = began, -math.inf
        while True:
            if others <= now:
                self._send_others(now)
                others = self._others_at()  # retries come later than this step ends
            self._renew(self._renewals, now)
            now = time.monotonic()
            lines.rest(pulse.rest(now))
            due = min(others, self._renewals.next_at(), now + LOOK_UP_EVERY)
            if not lines.wait(due - time.monotonic()):
                return
            now = time.monotonic()
            if now - began > YIELD_EVERY:
                return

    def _send_due(self, now: float) -> None:
        self._send_others(now)
        self._renew(self._renewals, now)

    def _renew(self, schedule: Schedule, now: float) -> None:
        """Send the renewals that are due."""
        turns = schedule.taken(now)
        if turns:
            before = len(self._noticed)
            self._tally.missed += self._sender.renew(turns, now, self._noticed)
            self._tally.intended += len(self._noticed) - before

    def _send_others(self, now: float) -> None:
        """Do all else that is due."""
        while self._arrivals and self._arrivals[0][0] <= now:
            at, member = self._arrivals.popleft()
            self._noticed.append(now - at)
            self._register(member, at)
        while self._tasks and self._tasks[0].at <= now:
            self._do(self._tasks.popleft())
        while self._retries and self._retries[0].at <= now:
            task = heappop(self._retries)
            if self._mine(task.member) and self.members.state[task.member] != SILENT:
                self._do(task)  # else it is another's, or died meanwhile
        self._renew(self._hot, now)
        for turn in self._readers.due(now):
            kind = request.FULL if self.storm.reads == "full" else request.DELTA
            whole = not self._answers.copy and not turn.member
            self._sender.read(request.FULL if whole else kind, turn.member, turn.at)

    def _breathe(self) -> None:
        """Let Locust's own greenlets have their turn, and give up what was not answered."""
        now = time.monotonic()
        if now - self._yielded_at > YIELD_EVERY:
            self._yielded_at = now
            self._pulse.count(self._tally.requests, now)
            self._answers.latencies.flush()
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
            self._answers.unsent(call)
        end = time.monotonic() + ANSWER_BUDGET + 1
        while lines.in_flight and time.monotonic() < end:
            lines.wait(LOOK_UP_EVERY)
            self._breathe()
        self._answers.gives_up = True
        lines.give_up("no answer before the end")
        self._answers.gives_up = False
        self._retries.clear()
        self._count_states()

    def leave(self) -> None:
        """Cancel every instance of this share that is registered, so that nothing is left."""
        end = time.monotonic() + LEAVE_BUDGET
        for member in self._owned():
            if self.members.state[member] != OUTSIDE or self.members.known[member]:
                self._sender.call(request.CANCEL, member, time.monotonic())
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
        self._tally.resent = self._lines.resent
        self._tally.used = time.process_time()
        return self.tally

    def _owned(self) -> range:
        index, parts = self._share
        return range(index, self.storm.instances, parts) if parts else range(0)

    def _count_states(self) -> None:
        index, parts = self._share
        state = self.members.state[index :: parts or 1]
        self._tally.up, self._tally.out = state.count(UP), state.count(OUT)
        self._tally.arrived = self.members.arrived[index :: parts or 1].count(1)
        self._tally.dead = 0
        if SILENT in state:
            known = self.members.known[index :: parts or 1]
            self._tally.dead = sum(
                one == SILENT and there for one, there in zip(state, known, strict=True)
            )

    def _others_at(self) -> float:
        times = [self._hot.next_at(), self._readers.next_at()]
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
            self._tally.cpu = max(self._tally.cpu, round(share, 3))

    def _mine(self, member: int) -> bool:
        index, parts = self._share
        return member % parts == index

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
                self._sender.call(request.CANCEL, member, at)
        elif act in ("status", "back"):
            if mine and state[member] in (UP, OUT):
                self._sender.call(request.STATUS if act == "status" else request.BACK, member, at)
            if state[member] in (UP, OUT):
                state[member] = OUT if act == "status" else UP
        elif mine:
            self._sender.read(request.DELTA, member, at)
            self._sender.read(request.FULL, member, at)

    def _register(self, member: int, at: float) -> None:
        if self.members.state[member] == SILENT:  # it is back
            self.members.state[member] = OUTSIDE
        self._sender.call(request.REGISTER, member, at)


def _nobody() -> Schedule:
    members: Iterable[tuple[int, float]] = ()
    return Schedule(members, 1.0, rng=Random(0))
