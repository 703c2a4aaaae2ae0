"""Storms are data, read strictly."""

from __future__ import annotations

from pathlib import Path

import pytest

from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.fleet.budget import load_bounds
from eureka_tck.fleet.storm import load_storm, resized, storm_names

STORMS = Path(__file__).parents[3] / "load" / "storms"
GOOD = """
name = "calm"
story = "nothing much"
instances = 10
minutes = 1
applications = 2
"""


def written(folder: Path, text: str) -> Path:
    """Write `text` as the storm `calm` and return its folder."""
    (folder / "calm.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", storm_names(STORMS))
def test_every_shipped_storm_loads(name: str) -> None:
    """Each file of load/storms is a valid storm that bears its file's name."""
    assert load_storm(STORMS, name).name == name


def test_an_unknown_storm_is_named_with_its_nearest_neighbour() -> None:
    """A typing error gets the right name back."""
    with pytest.raises(CannotRun, match=r"no storm called 'stedy'[\s\S]*did you mean steady"):
        load_storm(STORMS, "stedy")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("speed = 3", "there is no key speed."),
        ("jitter = 'much'", "jitter is 'much', but it must be a number."),
        ("jitter = 0.7", "jitter is 0.7; it must be from 0 to 0.5"),
        ("duration = 5", "duration is 5; it must be from 30 to 86400"),
        ("= 3", "is not TOML: Invalid statement"),
        ("[[moments]]\ndoes = 'explode'\nat = 0", "moments"),
        ("[[moments]]\ndoes = 'die'\nat = 2", r"at of moment 1 \(die\) is 2"),
        ("[[moments]]\ndoes = 'kill-node'\nat = 0\nnode = 'c'", "the storm's nodes are a"),
        (
            "hot = 10\nhot_interval = 0.01\n[[moments]]\ndoes='die'\nat=0\nshare=3",
            "share of moment",
        ),
    ],
    ids=[
        "unknown-key",
        "wrong-type",
        "out-of-range",
        "lease-shorter-than-interval",
        "no-toml",
        "unknown-deed",
        "after-the-end",
        "a-node-it-has-not",
        "more-than-all",
    ],
)
def test_a_wrong_storm_names_file_and_key(tmp_path: Path, change: str, words: str) -> None:
    """Whatever is wrong in a storm, the error names the file and what was expected."""
    folder = written(tmp_path, GOOD + change)

    with pytest.raises(SettingsError, match=words) as caught:
        load_storm(folder, "calm")
    assert "calm.toml" in str(caught.value)


def test_a_storm_may_be_a_file_of_ones_own(tmp_path: Path) -> None:
    """A name that ends in .toml is a path."""
    path = written(tmp_path, GOOD) / "calm.toml"

    assert load_storm(STORMS, str(path)).name == "calm"


def test_a_storm_beyond_any_machine_is_refused(tmp_path: Path) -> None:
    """A million instances that renew each second are more calls than are ever sent."""
    storm = load_storm(written(tmp_path, GOOD + "renewal_interval = 1"), "calm")

    with pytest.raises(SettingsError, match="the calls a second is 1"):
        resized(storm, 1_000_000, None)


def test_a_smaller_storm_has_fewer_applications(tmp_path: Path) -> None:
    """No application is left without an instance."""
    storm = resized(load_storm(written(tmp_path, GOOD), "calm"), 1, 0.5)

    assert (storm.instances, storm.applications, storm.minutes) == (1, 1, 0.5)
    assert storm.length == 5 + 30 + 6


def test_a_storm_too_short_to_recover_is_refused() -> None:
    """A registry that forgets is heard of by every instance within one interval, not before."""
    storm = load_storm(STORMS, "registry-restart")

    with pytest.raises(SettingsError, match=r"minutes is 0.5; after its moment 1 \(restart-node\)"):
        resized(storm, None, 0.5)


@pytest.mark.parametrize("name", storm_names(STORMS))
@pytest.mark.parametrize("family", ["python", "java", "command"])
def test_every_storm_has_its_budgets(name: str, family: str) -> None:
    """Whatever is judged, latency, errors and what is right have a bound in each storm."""
    bounds = load_bounds(STORMS.parent / "budgets.toml", family, name)

    assert {"renew_p99_ms", "renew_p999_ms", "errors", "lost_renewals", "listing_off"} <= set(
        bounds
    )
    storm = load_storm(STORMS, name)
    assert ("replication_p99_ms" in bounds) == (storm.nodes > 1)
    assert ("evicted_live" in bounds) != storm.forgets
