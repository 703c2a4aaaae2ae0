"""
Chapter 10, leases: how long each of them lives, read from the stamps of its eviction.

All tests read one recording (`eureka_tck.observe.leases`): leases of 20 s, to each of which one
thing is done after 6 s, and a metronome of leases of which one runs out every second.
A right end and the nearest wrong one are 6 s apart or more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.observe.leases import LIVE_DURATION
from eureka_tck.verdict import Inconclusive, expect, requirement

if TYPE_CHECKING:
    from eureka_tck.observe.leases import Leases

NEEDS = {"settings", "stamps"}


def expect_length(leases: Leases, deed: str, seconds: float) -> None:
    """Require that the lease to which this was done lasted so long from then on, in s."""
    __tracebackhide__ = True
    life = leases.life(deed)
    expect(f"the eviction of the instance that was {deed}", life.ended_ms).is_present()
    expect(f"the lease of the instance that was {deed}", life.longest).is_at_least(seconds)
    expect(f"the lease of the instance that was {deed}", life.shortest).is_at_most(
        seconds + leases.slack(deed), because=f"{seconds:g} s, and an eviction run every second"
    )


@requirement("LEASE-01", profile="lease", needs=NEEDS, seconds=120)
def test_a_lease_never_renewed_lasts_its_duration(leases: Leases) -> None:
    """A lease of 20 s that is never renewed ends 20 s after its registration."""
    expect_length(leases, "registered and left alone", 20)


@requirement("LEASE-02", profile="lease", needs=NEEDS, seconds=120)
def test_a_renewed_lease_lasts_twice_its_duration_from_the_renewal(leases: Leases) -> None:
    """A lease of 20 s ends 40 s after its last renewal."""
    expect_length(leases, "renewed", 40)


@requirement("LEASE-03", profile="lease", needs=NEEDS, seconds=120)
@pytest.mark.parametrize("deed", ["registered again", "given metadata"])
def test_a_registration_starts_a_fresh_lease(leases: Leases, deed: str) -> None:
    """After a re-registration, and after a metadata change, a lease of 20 s lasts 20 s."""
    expect_length(leases, deed, 20)


@requirement("LEASE-03", profile="lease", needs=NEEDS, seconds=120)
@pytest.mark.parametrize(
    "deed",
    ["given another status", "given the status it has", "relieved of an override it never had"],
)
def test_a_status_call_renews_the_lease(leases: Leases, deed: str) -> None:
    """After a status call, even one that changes nothing, a lease of 20 s lasts 40 s."""
    expect_length(leases, deed, 40)


@requirement("LEASE-04", profile="lease", needs=NEEDS, seconds=120)
def test_the_renewal_stamp_is_the_stored_one(leases: Leases) -> None:
    """Right after a renewal `lastRenewalTimestamp` lies the duration, 20 s, ahead."""
    life = leases.lives["renewed"]

    expect(
        "lastRenewalTimestamp of a renewed instance", leases.stamps["renewed"].renewed_ms
    ).is_between(life.begun_after_ms + 19_999, life.begun_before_ms + 20_001, unit="ms")


@requirement("LEASE-04", profile="lease", needs=NEEDS, seconds=120)
def test_without_a_renewal_the_stamp_is_that_of_the_registration(leases: Leases) -> None:
    """Before any renewal `lastRenewalTimestamp` equals `registrationTimestamp`."""
    stamps = leases.stamps["fresh"]

    expect("lastRenewalTimestamp of a fresh instance", stamps.renewed_ms).equals(
        stamps.registered_ms
    )


@requirement("LEASE-05", profile="lease", needs=NEEDS, seconds=120)
def test_an_instance_renewed_in_time_is_never_evicted(leases: Leases) -> None:
    """An instance that renews every 25 s keeps its lease of 40 s through 100 eviction runs."""
    if leases.largest_gap > LIVE_DURATION:
        raise Inconclusive(
            f"the harness left the instance without a renewal for up to {leases.largest_gap:.1f} s",
            late=True,
        )

    life = leases.life("renewed in time")

    expect("the eviction of an instance renewed in time", life.ended_ms).is_absent()
    expect("an instance renewed in time is listed", leases.lives_on("renewed in time")).is_true()


# what registering does to a lease


@requirement("REG-05", profile="lease", needs=NEEDS, seconds=120)
def test_a_registration_with_an_older_t_starts_a_fresh_lease(leases: Leases) -> None:
    """A re-registration with an older T, whose data are not taken, starts a lease of 20 s."""
    expect_length(leases, "registered with an older T", 20)


@requirement("REG-14", profile="lease", needs=NEEDS, seconds=120)
def test_a_registration_with_an_older_t_keeps_the_duration(leases: Leases) -> None:
    """A stored duration of 60 s outlives a re-registration with an older T that says 20 s."""
    deed = "registered with an older T and another duration"

    ruling = leases.ruling(deed, of=(20, 60))

    expect(f"the duration by which the lease ran out that was {deed}", ruling).equals(
        60, because="the stored one; 20 was sent"
    )


@requirement("REG-10", profile="lease", needs=NEEDS, seconds=120)
@pytest.mark.parametrize("seconds", [2_147_484, 3_000_000])
def test_a_duration_beyond_32_bits_of_milliseconds_does_not_expire(
    leases: Leases, seconds: int
) -> None:
    """A lease whose duration in milliseconds overflows 32 bits outlives 100 eviction runs."""
    deed = f"given {seconds} s"

    life = leases.life(deed)

    expect(f"the eviction of an instance with a lease of {seconds} s", life.ended_ms).is_absent()
    expect(f"an instance with a lease of {seconds} s is listed", leases.lives_on(deed)).is_true()


# what renewing does to a lease


@requirement("RENEW-09", profile="lease", needs=NEEDS, seconds=120)
def test_a_renewal_refused_for_a_newer_t_has_renewed_the_lease(leases: Leases) -> None:
    """After a renewal answered 404 because its T is newer, a lease of 20 s lasts 40 s."""
    expect_length(leases, "renewed with a newer T", 40)
