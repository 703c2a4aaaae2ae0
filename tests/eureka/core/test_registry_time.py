"""What opening and time do to a registry: runs, recounts, forgetting."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from eureka.core import eviction
from eureka.core.errors import RegistryClosed
from eureka.core.event import (
    Changed,
    DeltaForgot,
    Event,
    Evicted,
    EvictionRan,
    PreservationChanged,
    Recounted,
)
from eureka.core.instance import Key
from eureka.core.policy import Policy
from eureka.core.preservation import Reason
from eureka.core.registry import Registry
from eureka.core.status import Action, Status

if TYPE_CHECKING:
    from tests.eureka.conftest import Builder, HandClock

ONE = Key("CART", "1")
RNG = Random(3)


def opened(clock: HandClock, policy: Policy | None = None) -> Registry:
    """Return a registry that has just opened."""
    registry = Registry(policy or Policy(self_preservation=False))
    registry.open(0, now=clock.now)
    return registry


@pytest.fixture
def registry(clock: HandClock) -> Registry:
    """Return a registry that has just opened, without self-preservation."""
    return opened(clock)


# Opening


def test_lists_are_closed_until_the_registry_opens(clock: HandClock) -> None:
    """Before that it may know less than its clients."""
    registry = Registry(Policy())

    with pytest.raises(RegistryClosed):
        registry.check_lists_open(now=clock.now)

    registry.open(0, now=clock.now)
    registry.check_lists_open(now=clock.now)


def test_lists_stay_closed_for_a_while_if_nobody_is_expected(clock: HandClock) -> None:
    """Nothing copied and no count given: clients keep their copies meanwhile."""
    registry = opened(clock, Policy(open_count=0, wait_when_sync_empty=60))

    with pytest.raises(RegistryClosed):
        registry.check_lists_open(now=clock.passes(59.9))
    registry.check_lists_open(now=clock.passes(0.1))


def test_what_is_expected_at_opening(clock: HandClock, build: Builder) -> None:
    """The copied ones, or the open count; and who registered meanwhile will renew as well."""
    registry = Registry(Policy(open_count=1))
    assert registry.next_deadline() is None
    assert registry.tick(now=clock.now, rng=RNG) == []
    for name in ("1", "2", "3"):
        registry.register(build(name), now=clock.now, replicated=True)

    registry.open(2, now=clock.now)
    assert registry.preservation.clients == 3

    registry.open(0, now=clock.now)
    assert registry.preservation.clients == 4


# Time


def test_a_run_evicts_what_is_overdue_within_the_limit(clock: HandClock, build: Builder) -> None:
    """Twenty dead leases: three go, each with its delta entry, override and expected client."""
    registry = opened(clock, Policy(self_preservation=False, eviction_interval=60))
    for name in range(20):
        registry.register(build(str(name), duration=30), now=clock.now, replicated=False)
    clients = registry.preservation.clients
    assert registry.next_deadline() == clock.seconds + 30  # the delta's retention run

    clock.passes(60)
    events = registry.tick(now=clock.now, rng=RNG)

    assert EvictionRan(True, 20, 3, 3, 0.0) in events
    evicted = [event for event in events if isinstance(event, Evicted)]
    assert [event.overdue_by for event in evicted] == [30.0] * 3
    assert {event.instance.action for event in evicted} == {Action.DELETED}
    assert {event.instance.evicted_ms for event in evicted} == {clock.now.epoch_ms}
    assert sum(isinstance(event, Changed) for event in events) == 3
    assert len(registry.leases) == 17
    assert registry.preservation.clients == clients - 3
    assert (registry.eviction.runs, registry.eviction.last_ms) == (1, clock.now.epoch_ms)


def test_a_late_run_evicts_only_what_had_expired_by_its_due_time(
    clock: HandClock, build: Builder
) -> None:
    """Its lateness is forgiven to every lease, in this run and not in the next."""
    registry = opened(
        clock,
        Policy(self_preservation=False, eviction_interval=10, renewal_percent_threshold=0.0),
    )
    registry.register(build("before", duration=8), now=clock.now, replicated=False)
    registry.register(build("after", duration=12), now=clock.now, replicated=False)

    registry.tick(now=clock.passes(24), rng=RNG)
    assert registry.eviction.last_compensation == 14
    assert list(registry.leases.by_app["CART"]) == ["after"]

    registry.tick(now=clock.passes(10), rng=RNG)
    assert registry.eviction.last_compensation == 0
    assert len(registry.leases) == 0


def test_a_large_run_goes_in_slices_and_is_still_one(
    clock: HandClock, build: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever renews or leaves between two of them is spared, and the lateness stays the run's."""
    monkeypatch.setattr(eviction, "LOOKS", 4)
    monkeypatch.setattr(eviction, "VICTIMS", 2)
    policy = Policy(self_preservation=False, eviction_interval=60, renewal_percent_threshold=0.5)
    registry = opened(clock, policy)
    for name in range(20):
        registry.register(build(str(name), duration=30), now=clock.now, replicated=False)
    clock.passes(70)
    slices: list[list[Event]] = []
    while (due := registry.next_deadline()) is not None and due <= clock.seconds:
        slices.append(registry.tick(now=clock.now, rng=RNG))
        if len(slices) == 3:
            registry.renew(Key("CART", "0"), now=clock.now, replicated=False)
            registry.cancel(Key("CART", "1"), now=clock.now)

    events = [event for found in slices for event in found]
    evicted = [event.instance.key.id for event in events if isinstance(event, Evicted)]
    assert max(sum(isinstance(event, Evicted) for event in found) for found in slices) == 2
    assert len(slices) > 10
    assert [event for event in events if isinstance(event, EvictionRan)] == [
        EvictionRan(True, 18, 10, 10, 10.0)
    ]
    assert len(set(evicted)) == 10
    assert not {"0", "1"} & set(evicted)
    assert len(registry.leases) == 9


def test_nothing_is_evicted_while_protected_and_the_change_is_told_once(
    clock: HandClock, build: Builder
) -> None:
    """Protection ends with the first complete window above the threshold."""
    registry = opened(clock, Policy(eviction_interval=50, open_count=1))
    registry.register(build("dead", duration=10), now=clock.now, replicated=False)
    registry.register(build("alive"), now=clock.now, replicated=False)

    def told(seconds: float) -> list[object]:
        events = registry.tick(now=clock.passes(seconds), rng=RNG)
        return [event for event in events if not isinstance(event, Changed | DeltaForgot)]

    assert told(50) == [EvictionRan(False, 1, 0, 0, 0.0)]
    for _ in range(6):
        registry.renew(Key("CART", "alive"), now=clock.now, replicated=False)
    first, second, third = told(50)
    assert first == PreservationChanged(True, 6, 5, Reason.ENOUGH_RENEWALS)
    assert isinstance(second, Evicted)
    assert third == EvictionRan(True, 1, 1, 1, 0.0)
    assert told(50) == [
        PreservationChanged(False, 0, 3, Reason.TOO_FEW_RENEWALS),
        EvictionRan(False, 0, 0, 0, 0.0),
    ]


def test_the_clients_are_recounted_from_the_leases(clock: HandClock, build: Builder) -> None:
    """Every lease counts, whatever its status; the seed of the open count goes."""
    registry = opened(clock, Policy(recount_interval=10))
    for name in range(10):
        status = Status.OUT_OF_SERVICE if name < 3 else Status.UP
        registry.register(build(str(name), status=status), now=clock.now, replicated=False)
    assert registry.preservation.threshold == 18

    events = registry.tick(now=clock.passes(10), rng=RNG)

    assert events == [Recounted(10, 17)]
    for name in range(10):
        registry.cancel(Key("CART", str(name)), now=clock.now)
    registry.preservation.recount(9)
    assert registry.tick(now=clock.passes(9.9), rng=RNG) == []


def test_a_recount_that_looks_like_a_fault_is_not_adopted(clock: HandClock) -> None:
    """No event tells of it."""
    registry = opened(clock, Policy(recount_interval=10, open_count=5))

    assert registry.tick(now=clock.passes(10), rng=RNG) == []
    assert registry.preservation.clients == 5


def test_old_changes_leave_the_delta_with_a_retention_run(clock: HandClock, build: Builder) -> None:
    """They leave with the first run after their time, not before."""
    registry = opened(
        clock, Policy(delta_retention=20, delta_retention_interval=5, eviction_interval=999)
    )
    registry.register(build(), now=clock.passes(3), replicated=False)

    clock.passes(17)
    assert registry.tick(now=clock.now, rng=RNG) == []
    assert len(list(registry.recent())) == 1

    assert registry.tick(now=clock.passes(5), rng=RNG) == [DeltaForgot(1)]
    assert list(registry.recent()) == []


def test_protection_is_noticed_when_the_minute_ends(clock: HandClock, build: Builder) -> None:
    """However seldom eviction runs, begin and end are told at the turn of a minute."""
    registry = opened(clock, Policy(eviction_interval=1000, open_count=0))
    registry.register(build(), now=clock.now, replicated=False)
    for _ in range(2):
        registry.renew(Key("CART", "1"), now=clock.now, replicated=False)

    due = registry.next_deadline()
    assert due is not None
    assert due - clock.seconds == 30  # the delta's retention run
    registry.tick(now=clock.passes(30), rng=RNG)
    began = [*registry.tick(now=clock.passes(30), rng=RNG)]
    ended = [*registry.tick(now=clock.passes(60), rng=RNG)]

    assert PreservationChanged(True, 2, 1, Reason.ENOUGH_RENEWALS) in began
    assert PreservationChanged(False, 0, 1, Reason.TOO_FEW_RENEWALS) in ended


def test_time_goes_on_where_nothing_is_protected(clock: HandClock) -> None:
    """Without self-preservation too the next deadline is never in the past."""
    registry = opened(clock, Policy(eviction_interval=1000, self_preservation=False))

    registry.tick(now=clock.passes(300), rng=RNG)

    due = registry.next_deadline()
    assert due is not None
    assert due > clock.seconds
