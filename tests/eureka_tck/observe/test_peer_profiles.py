"""That the recordings with scripted peers are about the settings their profiles have."""

from __future__ import annotations

import pytest

from eureka_tck.observe import copying, cut, failing, healing, odd_peers, traffic
from eureka_tck.profile import load_profile

SERVER = "eureka.server."


@pytest.mark.parametrize(
    ("profile", "setting", "figure"),
    [
        ("peer", "peerNodeReadTimeoutMs", healing.READ_TIMEOUT * 1000),
        ("peer", "peerNodeReadTimeoutMs", failing.READ_TIMEOUT * 1000),
        ("peer", "maxTimeForReplication", failing.TRIED["cancellation"] * 1000),
        ("peer-odd", "peerNodeReadTimeoutMs", odd_peers.READ_TIMEOUT * 1000),
        ("peer-odd", "peerEurekaNodesUpdateIntervalMs", odd_peers.INTERVAL * 1000),
        ("mesh", "peerNodeReadTimeoutMs", traffic.TIMEOUT * 1000),
        ("copy", "registrySyncRetries", copying.RETRIES),
        ("copy", "registrySyncRetryWaitMs", copying.WAIT * 1000),
    ],
)
def test_a_recording_waits_by_the_settings_of_its_profile(
    profile: str, setting: str, figure: float
) -> None:
    """What a recording counts with is what the node is told."""
    assert load_profile(profile).settings[SERVER + setting] == str(round(figure))


def test_the_queue_that_overflows_is_the_profiles() -> None:
    """Node b of the odd peers holds as many tasks as the recording says."""
    own = load_profile("peer-odd").settings_for["b"]

    assert own[f"{SERVER}maxElementsInPeerReplicationPool"] == str(odd_peers.POOL)


def test_the_cut_outlasts_every_task() -> None:
    """What is changed during the cut is lost to a registry that has nothing but its tasks."""
    lives = int(load_profile("mesh").settings[f"{SERVER}maxTimeForReplication"]) / 1000

    assert lives < cut.CUT
    assert cut.CUT > cut.INTERVAL
