"""How old a list may be."""

from __future__ import annotations

import pytest

from eureka_tck.fleet.staleness import CACHED, EVERY_MS, staleness
from eureka_tck.targets import parse_target


@pytest.mark.parametrize(
    ("target", "settings", "seconds"),
    [
        ("python", {}, 0.0),
        ("python", {CACHED: "false", EVERY_MS: "5000"}, 0.0),
        ("python", {CACHED: "True", EVERY_MS: "5000"}, 5.0),
        ("java:5.0.3", {CACHED: "true"}, 30.0),
        ("url:http://127.0.0.1:1", {}, 30.0),
    ],
    ids=["ours", "off", "on", "default", "somebody's"],
)
def test_a_list_is_as_old_as_its_cache(
    target: str, settings: dict[str, str], seconds: float
) -> None:
    """Ours have none; a registry that runs already is taken to have the one of every default."""
    assert staleness(parse_target(target), settings) == seconds
