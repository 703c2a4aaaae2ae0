"""That the recordings are about the settings their profiles have."""

from __future__ import annotations

import pytest

from eureka_tck.observe import (
    beginning,
    bracket,
    evictions,
    leases,
    mesh,
    minutes,
    recount,
    region,
    retention,
    silence,
    stall,
)
from eureka_tck.profile import load_profile, load_profiles

EVICTION = "eureka.server.evictionIntervalTimerInMs"


@pytest.mark.parametrize(
    ("profile", "interval_ms"),
    [
        ("lease", leases.INTERVAL_MS),
        ("evict", evictions.INTERVAL_MS),
        ("windows-a", bracket.INTERVAL_MS),
        ("windows-b", silence.INTERVAL_MS),
        ("clock", stall.INTERVAL_MS),
        ("step", stall.INTERVAL_MS),
        ("mesh", mesh.INTERVAL_MS),
    ],
)
def test_a_recording_knows_the_interval_of_its_profile(profile: str, interval_ms: int) -> None:
    """The interval that a recording waits by is the one its registry evicts at."""
    assert load_profile(profile).settings[EVICTION] == str(interval_ms)


@pytest.mark.parametrize("profile", ["windows-a", "windows-b"])
def test_no_run_falls_on_the_end_of_every_minute(profile: str) -> None:
    """An interval that divides a minute would let a run see either figure."""
    interval = int(load_profile(profile).settings[EVICTION]) / 1000

    assert minutes.MINUTE % interval != 0


def test_recounts_are_waited_for_by_the_interval_of_the_profile() -> None:
    """A recount, and the fetch before it, are those of the settings."""
    settings = load_profile("recount").settings

    assert settings["eureka.server.renewalThresholdUpdateIntervalMs"] == str(
        round(recount.RECOUNT * 1000)
    )
    assert settings["eureka.client.registryFetchIntervalSeconds"] == str(round(recount.FETCH))


def test_the_lease_profile_recounts_as_its_recording_waits() -> None:
    """Two recounts have passed when the threshold is read."""
    settings = load_profile("lease").settings

    assert settings["eureka.server.renewalThresholdUpdateIntervalMs"] == str(
        round(leases.RECOUNT * 1000)
    )


def test_the_cold_registry_is_read_after_its_wait() -> None:
    """The wait of the profile is over when the recording reads."""
    settings = load_profile("cold").settings

    assert settings["eureka.server.waitTimeInMsWhenSyncEmpty"] == str(
        round(beginning.CLOSED * 1000)
    )
    assert beginning.OPEN_BY > beginning.CLOSED


def test_evictions_stay_in_the_delta() -> None:
    """Where runs are read from the delta it still knows the first of them at the end."""
    profiles = load_profiles()
    read = ("lease", "evict", "windows-a", "windows-b", "clock", "step", "mesh")

    retained = {
        name: int(profiles[name].settings["eureka.server.retentionTimeInMSInDeltaQueue"])
        for name in read
    }

    assert all(ms > profiles[name].seconds * 1000 for name, ms in retained.items()), retained


def test_the_delta_forgets_as_its_recording_waits() -> None:
    """Retention and its runs are those of the settings."""
    settings = load_profile("retention").settings

    assert settings["eureka.server.retentionTimeInMSInDeltaQueue"] == str(
        round(retention.RETENTION * 1000)
    )
    assert settings["eureka.server.deltaRetentionTimerIntervalInMs"] == str(
        round(retention.RUNS * 1000)
    )
    assert retention.EARLY < retention.RETENTION


def test_a_region_is_fetched_as_its_recording_waits() -> None:
    """The interval, and what is released, are those of the settings."""
    settings = load_profile("region").settings

    assert settings["eureka.server.remoteRegionRegistryFetchInterval"] == str(round(region.FETCH))
    released = str(settings[f"eureka.server.remoteRegionAppWhitelist.{region.REGION}"]).split(",")
    assert set(released) == {region.FAR_ONE, region.FAR_TWO, region.BOTH}


def test_the_cache_of_a_region_outlives_the_wait_for_a_remote_change() -> None:
    """What is seen within the wait was brought by a fetch, not by the cache's end."""
    expiry = load_profile("region").settings["eureka.server.responseCacheAutoExpirationInSeconds"]

    assert int(expiry) > 4 * region.FETCH
