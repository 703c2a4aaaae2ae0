"""Settings by Spring's names: one spelling, files of two kinds, and clear errors."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import TYPE_CHECKING

import pytest
import yaml

from eureka_tck.errors import SettingsError
from eureka_tck.properties import as_properties
from eureka_tck.settings import (
    as_arguments,
    as_environment,
    canonical,
    load_settings,
    normalise,
)
from eureka_tck.yaml_documents import as_yaml

if TYPE_CHECKING:
    from pathlib import Path

ALIASES = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{below}'] * 8)}]\n"
    for below, name in zip("abcdefgh", "bcdefghi", strict=True)
)  # eight lists, each eight of the one before: a hundred million values


@pytest.mark.parametrize(
    "spelling",
    [
        "eureka.server.evictionIntervalTimerInMs",
        "eureka.server.eviction-interval-timer-in-ms",
        "eureka.server.EVICTION_INTERVAL_TIMER_IN_MS",
        "EUREKA_SERVER_EVICTIONINTERVALTIMERINMS",
    ],
)
def test_every_spelling_is_one_name(spelling: str) -> None:
    """Spring's relaxed binding makes these the same setting."""
    assert canonical(spelling) == "eureka.server.evictionIntervalTimerInMs"


@pytest.mark.parametrize(
    ("name", "canonical_name"),
    [
        ("eureka.client.service-url.defaultZone", "eureka.client.serviceUrl.defaultZone"),
        ("eureka.instance.metadata-map.my-key", "eureka.instance.metadataMap.my-key"),
        ("logging.level.com.my-shop", "logging.level.com.my-shop"),
    ],
)
def test_a_key_of_a_map_keeps_its_spelling(name: str, canonical_name: str) -> None:
    """Keys below a map are the user's, as are names that are not Eureka's."""
    assert canonical(name) == canonical_name


def test_a_later_spelling_overrides_an_earlier_one() -> None:
    """Two spellings of one setting are one setting."""
    settings = {
        "eureka.server.registrySyncRetries": 1,
        "eureka.server.registry-sync-retries": 2,
    }

    assert normalise(settings) == {"eureka.server.registrySyncRetries": "2"}


def test_values_are_written_as_spring_reads_them() -> None:
    """Truth is lower case, numbers are digits, nothing is nothing."""
    settings = {
        "eureka.server.enableSelfPreservation": False,
        "eureka.server.renewalPercentThreshold": 0.85,
        "eureka.server.xmlCodecName": None,
    }

    assert list(normalise(settings).values()) == ["false", "0.85", ""]


def test_a_yaml_file_of_two_documents_is_read_like_springs(tmp_path: Path) -> None:
    """Nested names are flattened, lists are indexed, later documents win."""
    path = tmp_path / "application.yml"
    path.write_text(
        "eureka:\n"
        "  server:\n"
        "    eviction-interval-timer-in-ms: 5000\n"
        "    enable-self-preservation: false\n"
        "    remote-region-urls: [one, two]\n"
        "---\n"
        "eureka.server.eviction-interval-timer-in-ms: 7000\n"
        "---\n"
    )

    assert load_settings(path) == {
        "eureka.server.evictionIntervalTimerInMs": "7000",
        "eureka.server.enableSelfPreservation": "false",
        "eureka.server.remote-region-urls[0]": "one",
        "eureka.server.remote-region-urls[1]": "two",
    }


def test_a_properties_file_is_read_like_javas(tmp_path: Path) -> None:
    """Separators, comments, continued lines and escapes are those of java.util.Properties."""
    path = tmp_path / "application.properties"
    path.write_text(
        "# a comment\n"
        "! another\n"
        "eureka.server.registry-sync-retries = 5\n"
        "eureka.instance.hostname:caf\\u00e9\n"
        "eureka.client.service-url.defaultZone http://a/eureka/,\\\n"
        "    http://b/eureka/\n"
        "eureka.instance.metadata-map.a\\=b=c\\\\d\n"
    )

    assert load_settings(path) == {
        "eureka.server.registrySyncRetries": "5",
        "eureka.instance.hostname": "café",
        "eureka.client.serviceUrl.defaultZone": "http://a/eureka/,http://b/eureka/",
        "eureka.instance.metadataMap.a=b": "c\\d",
    }


def test_what_is_written_as_properties_reads_back(tmp_path: Path) -> None:
    """Blanks, signs and letters beyond ASCII survive."""
    settings = {
        "eureka.instance.metadataMap.a key:=": " lead, trail ",
        "eureka.instance.metadataMap.nöte": "𝄞 \\ # !\nnext",
    }
    path = tmp_path / "x.properties"
    path.write_text(as_properties(settings), "ascii")

    assert load_settings(path) == settings


def test_yaml_is_nested_and_numbers_are_bare() -> None:
    """What a registry reads is what a person would have written."""
    text = as_yaml(
        {
            "eureka.server.evictionIntervalTimerInMs": "5000",
            "eureka.server.renewalPercentThreshold": "0.0",
            "eureka.server.enableSelfPreservation": "false",
            "eureka.instance.instanceId": "007",
        }
    )

    assert yaml.safe_load(text) == {
        "eureka": {
            "instance": {"instanceId": "007"},
            "server": {
                "evictionIntervalTimerInMs": 5000,
                "renewalPercentThreshold": 0.0,
                "enableSelfPreservation": False,
            },
        }
    }


def test_a_name_that_is_also_a_folder_of_names_stays_flat() -> None:
    """`a.b` and `a.b.c` cannot both be nested in YAML."""
    assert yaml.safe_load(as_yaml({"a.b": "1", "a.b.c": "2"})) == {"a": {"b": 1}, "a.b.c": 2}


def test_environment_and_arguments_are_springs() -> None:
    """A setting reaches a program by a variable or by an argument."""
    settings = {"eureka.server.evictionIntervalTimerInMs": "5000"}

    assert as_environment(settings) == {"EUREKA_SERVER_EVICTIONINTERVALTIMERINMS": "5000"}
    assert as_arguments(settings) == ["--eureka.server.evictionIntervalTimerInMs=5000"]


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        (
            "a.yml",
            "eureka.server.evictionIntervalTimerInMs: 5OOO",
            "eureka.server.evictionIntervalTimerInMs is '5OOO', but it must be a whole number.",
        ),
        (
            "a.properties",
            "eureka.server.enable-self-preservation=of",
            "eureka.server.enable-self-preservation is 'of', but it must be true or false.",
        ),
        (
            "a.yml",
            "eureka.server.evictionIntervallTimerInMs: 5",
            "there is no setting eureka.server.evictionIntervallTimerInMs.",
        ),
        ("a.yml", "a: [", "is not YAML (line 1): expected the node content, but found"),
        ("a.yml", "[" * 5000, "is nested too deeply, or holds itself."),
        ("a.yml", "a: &a [*a]", "is nested too deeply, or holds itself."),
        ("a.yml", ALIASES, "unfolds to more than 10,000 values."),
        ("a.yml", "- 1", "holds list [1], but it must map names to values."),
        ("a.properties", "= 5", "line 1 is '= 5', but it must be name=value."),
        ("a.txt", "", "the suffix '.txt' says nothing of its format."),
    ],
)
def test_a_mistyped_file_names_file_key_value_and_expectation(
    tmp_path: Path, name: str, text: str, complaint: str
) -> None:
    """Whoever wrote it can find and mend it."""
    path = tmp_path / name
    path.write_text(text)

    with pytest.raises(SettingsError) as wrong:
        load_settings(path)

    assert str(wrong.value).startswith(f"{path}: {complaint}")


@pytest.mark.parametrize("content", [None, b"\xff\xfe"], ids=["missing", "binary"])
def test_an_unreadable_file_is_named(tmp_path: Path, content: bytes | None) -> None:
    """A file that is not there, or not text, is one clear error."""
    path = tmp_path / "a.yml"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(SettingsError, match=r"a\.yml: (cannot be read: No such|is not UTF-8)"):
        load_settings(path)


def test_a_placeholder_is_left_to_the_registry() -> None:
    """`${NAME:default}` may hold any value, so its kind is not checked."""
    settings = {"eureka.server.registrySyncRetries": "${RETRIES:5}"}

    assert normalise(settings) == settings


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "eureka:\n  server:\n    registrySyncRetries: 1\n    registrySyncRetries: 2\n",
            "eureka.server.registrySyncRetries stands in line 3 and again in line 4, but",
        ),
        (
            "server: {port: 1}\neureka: {}\nserver: {}\n",
            "server stands in line 1 and again in line 3",
        ),
        ("eureka: 5\n", "eureka is '5', but it must be a group of settings, such as eureka."),
        ("eureka.server: [x]\n", "eureka.server[0] is 'x', but it must be a group of settings"),
        (
            "eureka.server.eviction-interval-timer-in-ms: -5\n",
            "eureka.server.evictionIntervalTimerInMs is -5, but it must be at least 1.",
        ),
        (
            "eureka.server.renewalPercentThreshold: 7\n",
            "eureka.server.renewalPercentThreshold is 7, but it must be from 0 to 1.",
        ),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_by_name(
    tmp_path: Path, text: str, complaint: str
) -> None:
    """Nothing that a person wrote is dropped in silence, and no registry starts on nonsense."""
    path = tmp_path / "application.yml"
    path.write_text(text)

    with pytest.raises(SettingsError) as wrong:
        load_settings(path)

    assert str(wrong.value).startswith(f"{path}: {complaint}")


@pytest.mark.parametrize(
    "text",
    [
        "eureka:\n",
        "eureka: {server: {}}\n",
        "a: &a {x: 1}\nb: {<<: *a, x: 2}\nc: *a\n",
        "server.port: 1\n---\nserver.port: 2\n",
        "eureka.server.renewalPercentThreshold: ${THRESHOLD:7}\n",
        "eureka.server.renewalPercentThreshold: 1.0\n",
    ],
)
def test_a_file_that_makes_sense_is_read(tmp_path: Path, text: str) -> None:
    """Empty groups, merged keys, later documents and the ends of a range are no slips."""
    path = tmp_path / "application.yml"
    path.write_text(text)

    load_settings(path)


def test_a_test_may_set_what_a_file_may_not() -> None:
    """Bounds hold for what people write, not for what a row needs on purpose."""
    assert normalise({"eureka.server.evictionIntervalTimerInMs": 0})


def test_every_bound_is_of_a_setting_that_is_known(tmp_path: Path) -> None:
    """A bound whose name is misspelt would hold for nothing."""
    names = tomllib.loads(resources.files("eureka_tck").joinpath("settings.toml").read_text())
    path = tmp_path / "application.properties"
    for name in names["bounds"]:
        path.write_text(f"{name}=-1\n")

        with pytest.raises(SettingsError, match=rf"{name} is -1, but it must be"):
            load_settings(path)


def test_a_key_of_a_map_keeps_its_name_whatever_it_is() -> None:
    """Regions are named by their operators: a map takes any key."""
    found = normalise({"eureka.server.remote-region-urls-with-name.far-away": "http://x/eureka"})

    assert found == {"eureka.server.remoteRegionUrlsWithName.far-away": "http://x/eureka"}
