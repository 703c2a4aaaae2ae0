"""A full read after a change: what one change makes a server do for the next who reads all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bench import servers
from bench.fleet import DIRTY_MS, Caller, register_all
from bench.row import Row
from bench.series import Pair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from bench.subject import Subject
    from bench.workbench import Workbench

SIZE: Final = 10_000
READS_OURS: Final = 40  # 10 ms each, so that a part is long beside the clock of processor time
READS_THEIRS: Final = 8  # 250 ms each
WARM: Final = 80  # reads; the reference needs 60 until it gets no faster


def measure(bench: Workbench) -> Iterator[Pair]:
    """Yield processor milliseconds of a registration and a full read (JSON, gzip)."""
    ours = _registry(bench, "python-10000", servers.python())
    theirs = _registry(bench, "java-10000", servers.reference())
    count = _Counter()
    _read(ours, 10, count)
    _read(theirs, 5 if bench.quick else WARM, count)
    while True:
        yield Pair(_read(ours, READS_OURS, count), _read(theirs, READS_THEIRS, count))


class _Counter:
    """Gives every change a dirty timestamp of its own."""

    def __init__(self) -> None:
        self._last = DIRTY_MS

    def next(self) -> int:
        self._last += 1
        return self._last


def _registry(
    bench: Workbench, name: str, plan: Callable[[str, int, Path], servers.Launch]
) -> Subject:
    def make() -> Subject:
        subject = bench.start(name, plan)
        register_all(subject, SIZE)
        return subject

    return bench.kept(name, make)


def _read(subject: Subject, times: int, count: _Counter) -> float:
    caller = Caller(subject)
    before = subject.cpu_seconds()
    for _ in range(times):
        dirty_ms = count.next()
        caller.register(dirty_ms % SIZE, dirty_ms=dirty_ms)
        caller.read_all()
    used = subject.cpu_seconds() - before
    caller.close()
    return used / times * 1000


ROW: Final = Row(
    name="full-read",
    what="full read after a change, 10,000 instances, CPU",
    against="Java reference",
    unit="ms",
    direction="at most",
    goal=1 / 15,
    second=1 / 20,
    rounds=7,
    tools=("taskset", "java", "mvn"),
    measure=measure,
)
