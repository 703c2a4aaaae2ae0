"""
Reads every node all the time: one thread a node, a full list at a time.

Lists are cached and may be wrong for minutes in a registry with a race (CACHE-07), single reads are
not: what a list lacks, or shows with another T than was registered last, is read singly before it
counts. The other way round a list may show what is gone; so the last sample of a run is made of
single reads alone.
"""

from __future__ import annotations

import hashlib
import threading
from typing import TYPE_CHECKING, Final, Self

import msgspec

from eureka_tck.errors import CannotRun
from eureka_tck.history.event import Sampled, Seen
from eureka_tck.wire.errors import NoAnswer, Unreadable, WireError
from eureka_tck.workloads.crew import is_told_to_end

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eureka_tck.history.event import Source
    from eureka_tck.wire.record import Record
    from eureka_tck.workloads.site import Site

JOIN_BUDGET: Final = 15.0
"""Real seconds in which a thread has to end: one call takes 5 s at most."""

FOUND: Final = 200
ABSENT: Final = 404


class Samplers:
    """A context manager: samples every node inside the block, and once more with `finish`."""

    def __init__(self, site: Site, every: float) -> None:
        self._stopping = threading.Event()
        self._threads = [_Sampler(site, node, every, self._stopping) for node in site.nodes]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if is_told_to_end(kind):  # a call to a node that hangs ends with the node
            self._stopping.set()
            return
        self._stop()
        for thread in self._threads:
            thread.close()

    def finish(self, instances: Iterable[str]) -> None:
        """End the sampling and read each of the instances singly at every node."""
        self._stop()
        names = tuple(instances)
        for thread in self._threads:
            thread.read_singly(names)

    def check(self) -> None:
        """Raise the error of a thread that broke, if one did."""
        for thread in self._threads:
            if thread.error is not None:
                raise thread.error

    def _stop(self) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join(JOIN_BUDGET)
            if thread.is_alive():  # a bounded call cannot take so long
                raise CannotRun(f"the thread {thread.name} did not end in {JOIN_BUDGET:g} s")


class _Sampler(threading.Thread):
    def __init__(self, site: Site, node: str, every: float, stopping: threading.Event) -> None:
        super().__init__(name=f"sampler-{node}", daemon=True)
        self.error: Exception | None = None
        self._site = site
        self._node = node
        self._every = every
        self._stopping = stopping
        self._client = site.client(node)
        self._known: dict[str, Seen] = {}
        self._is_first = True

    def run(self) -> None:
        clock = self._site.clock
        due = clock.now()
        try:
            while not self._stopping.wait(max(0.0, clock.real(due - clock.now()))):
                self._sample()
                due = max(due + self._every, clock.now())
        except Exception as error:  # noqa: BLE001 - raised again in `check`, in the runner's thread
            self.error = error

    def read_singly(self, instances: Iterable[str]) -> None:
        """Sample by single reads."""
        began = self._site.now()
        try:
            present = {
                instance: seen
                for instance in instances
                if (seen := self._read_one(instance)) is not None
            }
        except WireError as why:
            self._failed(began, why)
            return
        unasked = {name: self._known[name] for name in self._known.keys() - set(instances)}
        self._record(began, {**unasked, **present}, "single")

    def close(self) -> None:
        self._client.close()

    def _sample(self) -> None:
        expected = self._site.watch.expected()
        began = self._site.now()
        try:
            answer = self._client.apps()
            if answer.status != FOUND:
                raise Unreadable(f"the status is {answer.status}", answer.exchange)
            present = {f"{one.app}/{one.id}": seen_of(one) for one in answer.applications()}
            for instance in self._doubtful(present, expected):
                if self._stopping.is_set():  # on a starved machine many of them take long
                    return
                seen = self._read_one(instance)
                if seen is not None:
                    present[instance] = seen
        except WireError as why:
            self._failed(began, why)
            return
        self._record(began, present, "list")

    def _doubtful(self, present: Mapping[str, Seen], expected: Mapping[str, int]) -> set[str]:
        """Return what the list does not tell as it was told, and what has vanished from it."""
        vanished = self._known.keys() - present.keys()
        other = {
            instance
            for instance, dirty_ms in expected.items()
            if (seen := present.get(instance)) is None or seen.dirty_ms != dirty_ms
        }
        return vanished | other

    def _read_one(self, instance: str) -> Seen | None:
        app, _, identity = instance.partition("/")
        answer = self._client.instance(app, identity)
        if answer.status == ABSENT:
            return None
        if answer.status != FOUND:
            raise Unreadable(f"the status is {answer.status}", answer.exchange)
        return seen_of(answer.record())

    def _record(self, began: float, present: Mapping[str, Seen], source: Source) -> None:
        changed = {name: seen for name, seen in present.items() if self._known.get(name) != seen}
        self._site.history.write(
            Sampled(
                at=self._site.now(),
                began=began,
                node=self._node,
                source=source,
                whole=self._is_first,
                present=changed,
                absent=tuple(sorted(self._known.keys() - present.keys())),
            )
        )
        self._known, self._is_first = dict(present), False
        self._site.watch.saw(self._node, present)

    def _failed(self, began: float, why: WireError) -> None:
        error = f"{why.kind}: {why.detail}" if isinstance(why, NoAnswer) else str(why)
        self._site.history.write(
            Sampled(at=self._site.now(), began=began, node=self._node, error=error)
        )
        self._site.watch.failed(self._node, error)


def seen_of(record: Record) -> Seen:
    """Return what a history keeps of an instance: leases move all the time and are left out."""
    data = msgspec.json.encode(record.user_metadata, order="sorted")
    return Seen(
        status=record.status,
        overridden=record.overridden_status or "UNKNOWN",
        dirty_ms=record.dirty_ms or 0,
        data=hashlib.blake2s(data, digest_size=4).hexdigest(),
    )
