"""Profiles: those of the suites can be loaded, and a wrong file is one clear error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.profile import load_profile, load_profiles, read_profile

if TYPE_CHECKING:
    from pathlib import Path

RIGHT = 'name = "x"\nmax_speed = 10\nseconds = 1\nwhy = "y"\n'


def test_the_profiles_of_the_suites_can_be_loaded() -> None:
    """Every file says why it exists and how long its tests take."""
    profiles = load_profiles()

    assert profiles
    assert all(profile.why.strip() and profile.seconds > 0 for profile in profiles.values())


def test_settings_are_brought_to_one_spelling(tmp_path: Path) -> None:
    """A profile may be written in kebab case; a node's own settings too."""
    path = tmp_path / "x.toml"
    path.write_text(
        RIGHT
        + '[settings]\n"eureka.server.registry-sync-retries" = 5\n'
        + '[settings_for.c]\n"eureka.server.enable-self-preservation" = false\n'
    )
    profile = read_profile(path)

    assert profile.settings == {"eureka.server.registrySyncRetries": "5"}
    assert profile.settings_for == {"c": {"eureka.server.enableSelfPreservation": "false"}}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('name = "z"\nmax_speed = 10\nseconds = 1\nwhy = ""', "name is 'z', but it must be 'x'."),
        (RIGHT + "nodes = 0", "nodes is 0, but it must be at least 1."),
        (RIGHT + "node = 3", "there is no key node. Did you mean nodes?"),
        (RIGHT + 'links = "no"', "links is 'no', but it must be true or false."),
        (RIGHT + "[", "is not TOML:"),
        (
            RIGHT + '[settings]\n"eureka.server.registrySyncRetries" = "many"',
            "eureka.server.registrySyncRetries is 'many', but it must be a whole number.",
        ),
    ],
)
def test_a_wrong_profile_names_file_and_key(tmp_path: Path, text: str, complaint: str) -> None:
    """A slip in a profile is found before anything starts."""
    path = tmp_path / "x.toml"
    path.write_text(text)

    with pytest.raises(SettingsError) as wrong:
        read_profile(path)

    assert str(wrong.value).startswith(f"{path}: {complaint}")


def test_an_unknown_profile_lists_those_there_are(tmp_path: Path) -> None:
    """A slip in a profile's name shows the right ones."""
    (tmp_path / "evict.toml").write_text(RIGHT)

    with pytest.raises(
        CannotRun, match=r"there is no profile 'evikt'\.\n  The profiles are: evict"
    ):
        load_profile("evikt", tmp_path)
