"""Storms are data, read strictly."""

from __future__ import annotations

from pathlib import Path

import pytest

from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.fleet.storm import load_storm, storm_names

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
    ],
    ids=["unknown-key", "wrong-type", "out-of-range", "lease-shorter-than-interval", "no-toml"],
)
def test_a_wrong_storm_names_file_and_key(tmp_path: Path, change: str, words: str) -> None:
    """Whatever is wrong in a storm, the error names the file and what was expected."""
    folder = written(tmp_path, GOOD + change)

    with pytest.raises(SettingsError, match=words) as caught:
        load_storm(folder, "calm")
    assert "calm.toml" in str(caught.value)
