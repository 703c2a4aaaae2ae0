"""
The recording of profile `crowd`: a change while lists that take long are being written.

In each round eight representations of lists are asked for at once and, while they are written,
one instance after the other is registered. Once all is quiet each representation is read again:
one that lacks the last instance has lost the change, and lacks it until the next one.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Final, Self

from eureka_tck.observe.observer import Observer
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.client import JSON, XML, WireClient
from eureka_tck.wire.recorder import Recorder
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape
    from eureka_tck.wire.answer import Answer

APP: Final = "CRUSH"
CROWD: Final = 1000
BATCH: Final = 250
ROUNDS: Final = 30
"""Where a change can be lost, 22 of 40 rounds lost one (at least 38 % of them, with 95 %
confidence): 30 rounds miss that once in a million gates."""

OVERLAPPING: Final = 15
"""Rounds whose last change must have been under way while a list was, as far as a client can see:
when within the call the list is written is the registry's affair."""

_FORMS: Final[Mapping[str, Mapping[str, str]]] = {
    "JSON": {"Accept": JSON},
    "XML": {"Accept": XML},
    "compact JSON": {"Accept": JSON, "X-Eureka-Accept": "compact"},
    "compact XML": {"Accept": XML, "X-Eureka-Accept": "compact"},
}
READINGS: Final = {
    f"{path} as {form}": (path, headers)
    for path in ("/apps", f"/apps/{APP}")
    for form, headers in _FORMS.items()
}
"""What is read at once. Lists that are written side by side take long, each of them."""


@dataclass(frozen=True, slots=True)
class Crush:
    """
    How many rounds there were, and in how many the last change was under way while a list was.

    `lost` are the representations of the last round that lacked the change.
    """

    tape: Tape
    rounds: int
    overlapping: int
    lost: tuple[str, ...]

    def provoked(self) -> None:
        """Raise Inconclusive where nothing was lost and too little was provoked."""
        if not self.lost and self.overlapping < OVERLAPPING:
            raise Inconclusive(
                f"only {self.overlapping} of {self.rounds} changes were under way while a list was "
                f"read; {OVERLAPPING} are needed to believe that none is lost.",
                late=True,
            )


def record_crush(cluster: Cluster, rounds: int = ROUNDS) -> Crush:
    """Play the rounds; stop at the first that loses a change."""
    with Observer(cluster) as observer:
        for begin in range(0, CROWD, BATCH):
            names = range(begin, min(begin + BATCH, CROWD))
            observer.register([sample(APP, f"crowd-{n}", duration=3600) for n in names])
        with _Readers(cluster) as readers:
            return _record(observer, readers, rounds)


def _record(observer: Observer, readers: _Readers, rounds: int) -> Crush:
    overlapping, number = 0, 0
    lost: list[str] = []
    while number < rounds and not lost:
        number += 1
        begun = ended = 0.0
        with readers.all_at_once() as reading:
            # The last change is made when one list is ready and others are still being written.
            for name in (f"racing-{number}-{change}" for change in count(1)):
                begun = monotonic()
                kept = observer.wire.register(sample(APP, name, duration=3600))
                ended = monotonic()
                if reading.is_one_done():
                    break
        overlapping += any(begin < ended and begun < end for begin, end in reading.spans())
        lost = [
            told
            for told, answer in readers.one_by_one()
            if answer.status == 200 and name.encode() not in answer.body  # noqa: PLR2004 - HTTP's own figure
        ]
        if lost:
            observer.keep(kept)
            observer.keep(observer.wire.instance(APP, name))
            observer.note(f"round {number}: {name} is registered, and missing in {lost[0]}")
    observer.note(f"{overlapping} of {number} changes were under way while a list was")
    return Crush(
        tape=observer.tape(
            f"{CROWD} instances; while {len(READINGS)} representations of their lists are written, "
            "others are registered"
        ),
        rounds=number,
        overlapping=overlapping,
        lost=tuple(lost),
    )


class _Reading:
    """One round of calls side by side; `spans` are when each began and ended, monotonic s."""

    def __init__(self, readers: _Readers) -> None:
        self._readers = readers
        self._spans: list[tuple[float, float]] = []

    def __enter__(self) -> Self:
        self._tasks = [self._readers.pool.submit(self._timed, name) for name in self._readers.wires]
        return self

    def __exit__(self, *_: object) -> None:
        self._spans = [task.result() for task in self._tasks]

    def is_one_done(self) -> bool:
        return any(task.done() for task in self._tasks)

    def spans(self) -> list[tuple[float, float]]:
        return self._spans

    def _timed(self, name: str) -> tuple[float, float]:
        begun = monotonic()
        self._readers.read(name)
        return begun, monotonic()


class _Readers:
    """A client for each representation."""

    def __init__(self, cluster: Cluster) -> None:
        root, recorder = cluster["a"].root, Recorder(kept=1)
        self.wires = {name: WireClient(root, recorder=recorder) for name in READINGS}
        self.pool = ThreadPoolExecutor(len(READINGS), "crush")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown()
        for wire in self.wires.values():
            wire.close()

    def all_at_once(self) -> _Reading:
        return _Reading(self)

    def one_by_one(self) -> list[tuple[str, Answer]]:
        return [(name, self.read(name)) for name in self.wires]

    def read(self, name: str) -> Answer:
        path, headers = READINGS[name]
        return self.wires[name].call("GET", path, headers=headers)
