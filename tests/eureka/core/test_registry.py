"""What calls do to the leases of a registry."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from eureka.core.errors import UnknownInstance
from eureka.core.event import (
    Changed,
)
from eureka.core.instance import Key
from eureka.core.policy import Policy
from eureka.core.registry import Registry
from eureka.core.status import Action, Status, hash_of

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


# Registering


def test_a_registration_is_readable_at_once(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """Stamps are the registry's; the change says what was before."""
    changed = registry.register(build(), now=clock.now, replicated=False)

    held = registry.read(ONE, now=clock.now).instance
    assert changed == Changed(None, held)
    assert (held.registered_ms, held.updated_ms, held.service_up_ms) == (clock.now.epoch_ms,) * 3
    assert held.action is Action.ADDED
    assert len(registry.leases) == 1
    assert hash_of(registry.leases.counts) == "UP_1_"


def test_an_older_registration_keeps_the_data_and_renews_the_lease(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """The stored record, its duration too, outlives an older one; the lease starts afresh."""
    registry.register(build(dirty_ms=100, duration=30), now=clock.now, replicated=False)

    registry.register(
        build(dirty_ms=99, duration=10, metadata={"a": "b"}), now=clock.passes(20), replicated=False
    )

    lease = registry.read(ONE, now=clock.now)
    assert (lease.instance.dirty_ms, lease.instance.metadata) == (100, {})
    assert lease.expires_at == clock.seconds + 30


@pytest.mark.parametrize("dirty_ms", [100, 101])
def test_an_equal_or_newer_registration_replaces_the_data(
    registry: Registry, clock: HandClock, build: Builder, dirty_ms: int
) -> None:
    """Metadata is replaced wholesale; re-registering does not count as another client."""
    registry.register(build(metadata={"a": "b"}), now=clock.now, replicated=False)
    clients = registry.preservation.clients

    registry.register(
        build(dirty_ms=dirty_ms, metadata={"c": "d"}), now=clock.now, replicated=False
    )

    assert registry.read(ONE, now=clock.now).instance.metadata == {"c": "d"}
    assert registry.preservation.clients == clients


def test_the_same_id_in_two_applications_is_two_leases(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """Leases, overrides too, belong to application and id."""
    for app in ("PAY", "EVIL"):
        registry.register(build("same", app), now=clock.now, replicated=False)

    registry.set_status(Key("EVIL", "same"), Status.OUT_OF_SERVICE, now=clock.now)
    renewal = registry.renew(Key("PAY", "same"), now=clock.now, replicated=False)

    assert renewal.changed is None
    assert renewal.lease.instance.status is Status.UP


def test_service_up_is_stamped_once(registry: Registry, clock: HandClock, build: Builder) -> None:
    """It is 0 until the first UP and then kept, through DOWN and re-registrations."""
    registry.register(build(status=Status.STARTING), now=clock.now, replicated=False)
    assert registry.read(ONE, now=clock.now).instance.service_up_ms == 0

    first = clock.passes(1).epoch_ms
    registry.set_status(ONE, Status.UP, now=clock.now)
    registry.register(build(status=Status.DOWN), now=clock.passes(1), replicated=False)
    registry.register(build(), now=clock.passes(1), replicated=False)

    assert registry.read(ONE, now=clock.now).instance.service_up_ms == first


def test_an_override_in_a_registration_counts_if_none_is_stored(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """The first one brought decides; a later one does not replace it."""
    registry.register(
        build(overridden_status=Status.OUT_OF_SERVICE), now=clock.now, replicated=False
    )
    registry.register(build(overridden_status=Status.DOWN), now=clock.now, replicated=True)

    held = registry.read(ONE, now=clock.now).instance
    assert (held.status, held.overridden_status) == (Status.OUT_OF_SERVICE,) * 2


def test_a_client_cannot_leave_up_by_registering_out_of_service(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """What is held as UP stays so for a client's report, and follows a peer's."""
    registry.register(build(), now=clock.now, replicated=False)

    registry.register(build(status=Status.OUT_OF_SERVICE), now=clock.now, replicated=False)
    assert registry.read(ONE, now=clock.now).instance.status is Status.UP

    registry.register(build(status=Status.OUT_OF_SERVICE), now=clock.now, replicated=True)
    assert registry.read(ONE, now=clock.now).instance.status is Status.OUT_OF_SERVICE


# Renewing


def test_renewing_an_unknown_instance_is_refused(registry: Registry, clock: HandClock) -> None:
    """Neither lease nor count comes of it."""
    with pytest.raises(UnknownInstance, match="cannot renew"):
        registry.renew(ONE, now=clock.now, replicated=False)

    assert registry.preservation.renewals_last_minute(now=clock.passes(60).monotonic) == 0


def test_renewing_an_instance_of_unknown_status_is_refused(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """It has to register again, and the renewal counts nothing."""
    registry.register(build(status=Status.UNKNOWN), now=clock.now, replicated=False)
    before = registry.read(ONE, now=clock.now).expires_at

    with pytest.raises(UnknownInstance):
        registry.renew(ONE, now=clock.passes(1), replicated=False)

    assert registry.read(ONE, now=clock.now).expires_at == before
    assert registry.preservation.renewals_last_minute(now=clock.passes(60).monotonic) == 0


def test_a_renewal_renews_and_counts_and_changes_no_list(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """The delta does not know of it."""
    registry.register(build(), now=clock.now, replicated=False)
    version = registry.changes.version

    renewal = registry.renew(ONE, now=clock.passes(30), replicated=True)

    assert renewal.changed is None
    assert renewal.lease.expires_at == clock.seconds + 180
    assert registry.changes.version == version
    assert registry.preservation.renewals_last_minute(now=clock.passes(30).monotonic) == 1


def test_a_stored_override_decides_from_the_next_renewal_on(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """The change shows in lists and delta, where the reference hides it."""
    registry.register(build(), now=clock.now, replicated=False)

    stored = registry.store_override(ONE, Status.OUT_OF_SERVICE, now=clock.now)
    assert stored is not None
    assert (stored.after.status, stored.after.overridden_status) == (
        Status.UP,
        Status.OUT_OF_SERVICE,
    )

    renewal = registry.renew(ONE, now=clock.now, replicated=False)
    assert renewal.changed is not None
    assert renewal.changed.after.status is Status.OUT_OF_SERVICE
    assert hash_of(registry.leases.counts) == "OUT_OF_SERVICE_1_"


@pytest.mark.parametrize("override", [Status.UNKNOWN, Status.DOWN])
def test_an_override_that_says_nothing_new_is_not_stored(
    registry: Registry, clock: HandClock, build: Builder, override: Status
) -> None:
    """None, or the one that is stored already, changes nothing."""
    registry.register(build(), now=clock.now, replicated=False)
    registry.set_status(ONE, Status.DOWN, now=clock.now)

    assert registry.store_override(ONE, override, now=clock.now) is None
    assert registry.store_override(Key("CART", "2"), override, now=clock.now) is None


# Cancelling


def test_a_cancelled_instance_is_gone_and_its_override_with_it(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """It appears in the delta as it left, and comes back without override."""
    registry.register(build(), now=clock.now, replicated=False)
    registry.set_status(ONE, Status.OUT_OF_SERVICE, now=clock.now)
    clients = registry.preservation.clients

    changed = registry.cancel(ONE, now=clock.passes(1))

    assert (changed.after.action, changed.after.evicted_ms) == (
        Action.DELETED,
        clock.now.epoch_ms,
    )
    assert [record.instance for record in registry.recent()] == [changed.after]
    assert registry.preservation.clients == clients - 1
    assert registry.leases.by_app == {}
    assert (len(registry.leases), hash_of(registry.leases.counts)) == (0, "")
    registry.register(build(), now=clock.now, replicated=False)
    assert registry.read(ONE, now=clock.now).instance.status is Status.UP


def test_cancelling_an_unknown_instance_changes_nothing(
    registry: Registry, clock: HandClock
) -> None:
    """The expected clients stay what they are."""
    clients = registry.preservation.clients

    with pytest.raises(UnknownInstance):
        registry.cancel(ONE, now=clock.now)

    assert registry.preservation.clients == clients


def test_cancelling_one_of_two_keeps_the_application(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """The application goes with its last instance only."""
    for name in ("1", "2"):
        registry.register(build(name), now=clock.now, replicated=False)

    registry.cancel(ONE, now=clock.now)

    assert list(registry.leases.by_app["CART"]) == ["2"]


# Status and metadata


def test_a_status_is_an_override_and_renews_the_lease(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """Status and override become the commanded one, and survive renewals and registrations."""
    registry.register(build(), now=clock.now, replicated=False)

    changed = registry.set_status(ONE, Status.OUT_OF_SERVICE, now=clock.passes(5))
    assert changed is not None
    assert changed.after.action is Action.MODIFIED
    assert changed.after.updated_ms == clock.now.epoch_ms

    registry.renew(ONE, now=clock.now, replicated=False)
    registry.register(build(dirty_ms=101), now=clock.now, replicated=False)
    held = registry.read(ONE, now=clock.now).instance
    assert (held.status, held.overridden_status) == (Status.OUT_OF_SERVICE,) * 2


def test_the_status_held_already_is_no_override_but_a_renewal(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """Nothing changes but the lease, and the renewal is not counted."""
    registry.register(build(duration=10), now=clock.now, replicated=False)

    assert registry.set_status(ONE, Status.UP, now=clock.passes(5)) is None

    lease = registry.read(ONE, now=clock.now)
    assert lease.instance.overridden_status is Status.UNKNOWN
    assert lease.expires_at == clock.seconds + 20
    assert registry.preservation.renewals_last_minute(now=clock.passes(60).monotonic) == 0


def test_a_newer_timestamp_of_a_status_call_is_taken_over(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """A newer one becomes the record's, an older one is ignored."""
    registry.register(build(dirty_ms=100), now=clock.now, replicated=False)

    registry.set_status(ONE, Status.DOWN, now=clock.now, dirty_ms=150)
    assert registry.read(ONE, now=clock.now).instance.dirty_ms == 150

    registry.remove_status(ONE, Status.UNKNOWN, now=clock.now, dirty_ms=120)
    assert registry.read(ONE, now=clock.now).instance.dirty_ms == 150


def test_a_removed_override_leaves_the_given_status(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """A registration with the same timestamp brings the instance back."""
    registry.register(build(), now=clock.now, replicated=False)
    registry.set_status(ONE, Status.OUT_OF_SERVICE, now=clock.now)

    removed = registry.remove_status(ONE, Status.UNKNOWN, now=clock.now)
    assert removed is not None
    assert (removed.after.status, removed.after.overridden_status) == (Status.UNKNOWN,) * 2

    registry.register(build(), now=clock.now, replicated=False)
    assert registry.read(ONE, now=clock.now).instance.status is Status.UP


def test_removing_no_override_is_a_renewal_and_no_change(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """The status stays what it is."""
    registry.register(build(), now=clock.now, replicated=False)

    assert registry.remove_status(ONE, Status.DOWN, now=clock.passes(1)) is None
    assert registry.read(ONE, now=clock.now).instance.status is Status.UP


def test_metadata_is_added_to_what_is_there(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """It is a registration of the same instance: action ADDED, fresh lease, override kept."""
    registry.register(build(metadata={"a": "1", "b": "2"}), now=clock.now, replicated=False)
    registry.set_status(ONE, Status.OUT_OF_SERVICE, now=clock.now)

    changed = registry.set_metadata(ONE, {"b": "3", "c": ""}, now=clock.passes(7))

    assert changed.after.metadata == {"a": "1", "b": "3", "c": ""}
    assert changed.after.action is Action.ADDED
    assert changed.after.status is Status.OUT_OF_SERVICE
    assert registry.read(ONE, now=clock.now).expires_at == clock.seconds + 90


# Reading


def test_an_overdue_instance_is_gone_from_single_reads_only(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """Lists still have it, a renewal revives it."""
    registry.register(build(duration=10), now=clock.now, replicated=False)
    clock.passes(11)

    for call in (
        lambda: registry.read(ONE, now=clock.now),
        lambda: registry.set_status(ONE, Status.DOWN, now=clock.now),
        lambda: registry.remove_status(ONE, Status.DOWN, now=clock.now),
        lambda: registry.set_metadata(ONE, {}, now=clock.now),
    ):
        with pytest.raises(UnknownInstance):
            call()
    assert registry.find_by_id("1", now=clock.now) is None
    assert list(registry.leases.by_app["CART"]) == ["1"]

    registry.renew(ONE, now=clock.now, replicated=False)
    assert registry.read(ONE, now=clock.now) is registry.find_by_id("1", now=clock.now)


def test_an_overdue_instance_is_readable_while_protected(clock: HandClock, build: Builder) -> None:
    """Self-preservation believes every lease."""
    registry = opened(clock, Policy())
    registry.register(build(duration=10), now=clock.now, replicated=False)

    clock.passes(11)

    assert registry.read(ONE, now=clock.now)
    assert registry.find_by_id("1", now=clock.now)
    assert registry.find_by_id("2", now=clock.now) is None


def test_an_id_is_found_in_whichever_application(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """Only the id is given, so all applications are looked through."""
    registry.register(build("1", "CART"), now=clock.now, replicated=False)
    registry.register(build("2", "PAY"), now=clock.now, replicated=False)

    found = registry.find_by_id("2", now=clock.now)

    assert found is not None
    assert found.instance.key == Key("PAY", "2")


def test_addresses_are_listed_exactly(registry: Registry, clock: HandClock, build: Builder) -> None:
    """Lists are split at commas, blanks count, plain and secure addresses are two things."""
    registry.register(
        build("1", vip_address="a, b", secure_vip_address="s"), now=clock.now, replicated=False
    )
    registry.register(build("2", vip_address="a"), now=clock.now, replicated=False)
    registry.register(build("3", vip_address=None), now=clock.now, replicated=False)

    def ids(vip: str, *, secure: bool = False) -> list[str]:
        found = registry.listing(vip, secure=secure).values()
        return [lease.instance.key.id for leases in found for lease in leases]

    assert ids("a") == ["1", "2"]
    assert ids(" b") == ["1"]
    assert ids("b") == []
    assert ids("s", secure=True) == ["1"]
    assert ids("s") == []


def test_the_delta_shows_the_living_as_they_are(
    registry: Registry, clock: HandClock, build: Builder
) -> None:
    """An instance that left and came back is listed once, alive."""
    registry.register(build(), now=clock.now, replicated=False)
    registry.cancel(ONE, now=clock.now)
    registry.register(build(dirty_ms=200), now=clock.now, replicated=False)

    assert [record.instance.dirty_ms for record in registry.recent()] == [200]
