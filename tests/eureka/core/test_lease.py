"""How long an instance is believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka.core.lease import Lease

if TYPE_CHECKING:
    from tests.eureka.conftest import Builder, HandClock


def test_a_lease_never_renewed_lasts_its_duration(clock: HandClock, build: Builder) -> None:
    """It is overdue right after its duration, not at the very moment."""
    lease = Lease.of(build(duration=10), now=clock.now)

    assert not lease.is_overdue(now=clock.passes(10))
    assert lease.is_overdue(now=clock.passes(0.001))


def test_a_renewed_lease_lasts_twice_its_duration(clock: HandClock, build: Builder) -> None:
    """A renewal stores now + duration, and expiry adds the duration again."""
    lease = Lease.of(build(duration=10), now=clock.now)

    lease.renew(now=clock.passes(3))

    assert lease.expires_at == clock.seconds + 20


def test_grace_postpones_expiry(clock: HandClock, build: Builder) -> None:
    """Compensation is added to the lease it is asked for."""
    lease = Lease.of(build(duration=10), now=clock.now)

    clock.passes(12)

    assert lease.is_overdue(now=clock.now, grace=1.9)
    assert not lease.is_overdue(now=clock.now, grace=2.1)


def test_the_stamp_of_a_renewal_lies_one_duration_ahead(clock: HandClock, build: Builder) -> None:
    """What is shown as the last renewal is the stored now + duration."""
    lease = Lease.of(build(duration=10), now=clock.now)

    assert lease.record().renewed_ms == clock.now.epoch_ms

    lease.renew(now=clock.now)

    assert lease.record().renewed_ms == clock.now.epoch_ms + 10_000
