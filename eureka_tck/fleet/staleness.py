"""
How old a list may be that a registry shows: a cache of its own stands before what it holds.

A storm whose end is judged by such a list waits that long, or it would blame the registry for what
it is meant to do. Our own nodes run without that cache, unless somebody's settings ask for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.targets.url import UrlTarget

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eureka_tck.targets import Target

CACHED: Final = "eureka.server.useReadOnlyResponseCache"
EVERY_MS: Final = "eureka.server.responseCacheUpdateIntervalMs"
DEFAULT_MS: Final = 30_000
"""eureka-core DefaultEurekaServerConfig; a registry that runs already is taken to have it."""


def staleness(targets: Sequence[Target], settings: Mapping[str, str]) -> float:
    """Return by how many seconds a list of these targets may be behind, with these settings."""
    if any(isinstance(target, UrlTarget) for target in targets):
        return DEFAULT_MS / 1000
    if settings.get(CACHED, "false").strip().lower() != "true":
        return 0.0
    return float(settings.get(EVERY_MS, DEFAULT_MS)) / 1000
