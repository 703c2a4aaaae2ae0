"""The one who records: what it reads of evictions, and what it does when none come."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from eureka_tck.clock import Clock
from eureka_tck.observe.observer import Observer
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.exchange import Exchange
from eureka_tck.wire.record import Application, Applications, Lease, Record
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eureka_tck.cluster import Cluster
    from eureka_tck.wire.client import WireClient
    from eureka_tck.wire.record import Action

SPEED = 500.0


class Registry:
    """A registry that lists what the test says was evicted, and takes every batch."""

    def __init__(self) -> None:
        self.listed: list[Record] = []
        self.paths: list[str] = []
        self.listed_next: list[Record] | None = None
        self.refuses = False
        self.status = 200
        self.called: list[str] = []

    def call(self, _: str, path: str, *, params: Mapping[str, str]) -> SimpleNamespace:
        """Answer a list read."""
        self.paths.append(f"{path}?{params['regions']}")
        apps = {record.app for record in self.listed}
        lists = tuple(
            Application(name=app, instance=tuple(one for one in self.listed if one.app == app))
            for app in apps
        )
        self.listed = self.listed if self.listed_next is None else self.listed_next
        return SimpleNamespace(
            applications=lambda: Applications(application=lists),
            exchange=Exchange(method="GET", url=path),
        )

    def batch(self, tasks: list[object]) -> SimpleNamespace:
        """Answer a batch."""
        status = 500 if self.refuses else 200
        return SimpleNamespace(batch=lambda: [SimpleNamespace(status=status)] * len(tasks))

    def register(self, instance: Mapping[str, object], *, replication: bool) -> SimpleNamespace:
        """Answer a registration."""
        assert replication
        self.called.append(f"register {instance['instanceId']}")
        return self._answer()

    def cancel(self, _: str, name: str, *, replication: bool) -> SimpleNamespace:
        """Answer a cancellation."""
        assert replication
        self.called.append(f"cancel {name}")
        return self._answer()

    def _answer(self) -> SimpleNamespace:
        return SimpleNamespace(status=self.status, exchange=Exchange(method="POST", url="/apps"))

    def close(self) -> None:
        """Have nothing open."""


def evicted(name: str, stamp_ms: int, app: str = "APP", action: Action = "DELETED") -> Record:
    """Return an instance as a delta tells it."""
    lease = Lease(
        renewal_interval=30,
        duration=5,
        registered_ms=1,
        renewed_ms=1,
        evicted_ms=stamp_ms,
        service_up_ms=1,
    )
    return Record(app=app, status="UP", instance_id=name, action=action, lease=lease)


@pytest.fixture
def registry() -> Registry:
    """Give a registry that has evicted nothing."""
    return Registry()


@pytest.fixture
def observer(registry: Registry) -> Iterator[Observer]:
    """Give an observer of that registry, at a speed at which a minute is a moment."""

    class Cluster_(SimpleNamespace):  # noqa: N801 - it stands for a Cluster
        def __getitem__(self, name: str) -> SimpleNamespace:
            return SimpleNamespace(name=name, root="http://127.0.0.1:9", started_at=1.5)

    watching = Observer(cast("Cluster", Cluster_(clock=Clock(SPEED))))
    watching.wire = cast("WireClient", registry)
    with watching:
        yield watching


def test_evictions_are_what_was_deleted_with_a_stamp(
    observer: Observer, registry: Registry
) -> None:
    """Only deleted instances of the asked applications count, and those with a stamp."""
    registry.listed = [
        evicted("gone", 5000),
        evicted("added", 5000, action="ADDED"),
        evicted("cancelled elsewhere", 0),
        evicted("other", 5000, app="OTHER"),
        evicted("before", 900),
    ]

    assert observer.evicted({"APP"}, since_ms=1000) == {"gone": 5000}


def test_the_delta_read_last_is_the_last_evidence(observer: Observer, registry: Registry) -> None:
    """A message shows the last exchange: the delta that carries the stamps, whatever came after."""
    registry.listed = [evicted("gone", 5000)]
    observer.evicted({"APP"})
    observer.held()

    assert [exchange.url for exchange in observer.tape("").exchanges] == ["/apps/delta"]


def test_what_the_observer_cancelled_was_not_evicted(
    observer: Observer, registry: Registry
) -> None:
    """The reference stamps cancelled leases too, so the observer remembers its own."""
    registry.listed = [evicted("one", 5000), evicted("two", 5000)]

    observer.cancel({"one": "APP"})

    assert observer.evicted({"APP"}) == {"two": 5000}


def test_every_list_read_asks_a_key_of_its_own(observer: Observer, registry: Registry) -> None:
    """No cache can hold what was never asked before."""
    observer.held()
    observer.evicted({"APP"})
    observer.held()

    assert len(set(registry.paths)) == 3


def test_a_run_is_returned_whole(observer: Observer, registry: Registry) -> None:
    """A run that is seen while it goes on is read again once it is over."""
    start = observer.clock.epoch_ms()
    registry.listed = [evicted("first", start + 1000)]
    registry.listed_next = [*registry.listed, evicted("second", start + 1100)]

    run = observer.await_run({"APP"}, 1000, start)

    assert run.victims == ("first", "second")


def test_a_run_that_does_not_come_is_inconclusive(observer: Observer) -> None:
    """The sentence says how long was waited, and from when."""
    with pytest.raises(Inconclusive, match=r"no eviction run was seen in 22 s from \d+\.\d s on"):
        observer.await_run({"APP"}, 1000, observer.clock.epoch_ms())


def test_what_a_refused_batch_brought_is_called_one_by_one(
    observer: Observer, registry: Registry
) -> None:
    """How batches are answered is for other rows: these need their leases."""
    registry.refuses = True

    observer.register([sample("APP", "one"), sample("APP", "two")])
    observer.cancel({"one": "APP"})

    assert registry.called == ["register one", "register two", "cancel one"]


def test_a_taken_batch_needs_no_other_call(observer: Observer, registry: Registry) -> None:
    """One batch is all it takes."""
    observer.register([sample("APP", "one")])

    assert registry.called == []


def test_what_no_call_brings_is_inconclusive(observer: Observer, registry: Registry) -> None:
    """What was not registered cannot run out."""
    registry.refuses, registry.status = True, 503

    with pytest.raises(Inconclusive, match=r"neither a batch nor a call of its own .* 503"):
        observer.cancel({"one": "APP"})


def test_the_tape_has_what_was_noted(observer: Observer) -> None:
    """Notes carry the instant they were made at, or the one they name."""
    observer.note("now")
    observer.note("then", at=3.0)

    tape = observer.tape("nothing")

    assert [moment.text for moment in tape.moments] == ["now", "then"]
    assert tape.moments[1].at == 3.0
