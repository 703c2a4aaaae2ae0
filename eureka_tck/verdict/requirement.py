"""
The marker that ties a test to the rows of the catalogue it judges.

It needs no pytest plugin to be written down, and a plain `pytest --collect-only` can read it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Collection

CAPABILITIES: Final[frozenset[str]] = frozenset(
    {
        # of a target
        "settings",
        "counters",
        "stamps",
        "peers",
        "step",
        "reload",
        "locale",
        "rate-limiter",
        "regions",
        "destructive",
        # of a backend, or of both
        "links",
        "kill",
        "pause",
        "clock",
        "memory",
        "cpu",
    }
)
"""What a test may need: `eureka_tck.targets` and `eureka_tck.backends` declare what they have."""

DEFAULT_PROFILE: Final = "open"
DEFAULT_SECONDS: Final = 1.0
"""Predicted registry seconds of a test that waits for nothing."""


def requirement(
    *ids: str,
    profile: str = DEFAULT_PROFILE,
    needs: Collection[str] = (),
    seconds: float = DEFAULT_SECONDS,
) -> pytest.MarkDecorator:
    """
    Mark a test as judging rows of the catalogue; several ids only where one fact judges them all.

    Args:
        ids: permanent ids such as `"EVICT-02"`.
        profile: name of the settings under `fixtures/profiles/`; tests of one profile run
            together and share its cluster.
        needs: capabilities without which the row cannot be shown: the test is then not applicable.
        seconds: predicted duration in registry seconds, for `--dry-run` and the progress line.
    """
    if not ids:
        raise ValueError("requirement() names no row of the catalogue")
    if unknown := set(needs) - CAPABILITIES:
        raise ValueError(
            f"requirement({', '.join(ids)}) needs {', '.join(sorted(unknown))}, "
            f"which is no capability; known: {', '.join(sorted(CAPABILITIES))}"
        )
    return pytest.mark.requirement(
        *ids, profile=profile, needs=frozenset(needs), seconds=float(seconds)
    )
