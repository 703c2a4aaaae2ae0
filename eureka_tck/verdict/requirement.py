"""
The marker that ties a test to the rows of the catalogue it judges.

It needs no pytest plugin to be written down; `selection` checks what it says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import pytest

if TYPE_CHECKING:
    from collections.abc import Collection

DEFAULT_PROFILE: Final = "open"
DEFAULT_SECONDS: Final = 1.0
"""Predicted registry seconds of a test that waits for nothing."""


deep: Final = pytest.mark.deep
"""One case of a test that a quick gate leaves out: `pytest.param(1, marks=deep)`."""


def requirement(
    *ids: str,
    profile: str = DEFAULT_PROFILE,
    needs: Collection[str] = (),
    seconds: float = DEFAULT_SECONDS,
    depth: Literal["quick", "full"] = "quick",
) -> pytest.MarkDecorator:
    """
    Mark a test as judging rows of the catalogue; several ids only where one fact judges them all.

    Args:
        ids: permanent ids such as `"EVICT-02"`.
        profile: name of the settings under `fixtures/profiles/`; tests of one profile run
            together and share its cluster.
        needs: capabilities (`eureka_tck.targets.CAPABILITIES`) without which the row cannot be
            shown: the test is then not applicable.
        seconds: predicted duration in registry seconds, for `--dry-run` and the progress line.
        depth: "full" leaves the test out of a quick gate.
    """
    if not ids:
        raise ValueError("requirement() names no row of the catalogue")
    return pytest.mark.requirement(
        *ids, profile=profile, needs=frozenset(needs), seconds=float(seconds), depth=depth
    )


def model_based(
    *,
    profile: str = DEFAULT_PROFILE,
    needs: Collection[str] = (),
    seconds: float = DEFAULT_SECONDS,
    depth: Literal["quick", "full"] = "quick",
) -> pytest.MarkDecorator:
    """
    Mark a test that draws what it does and judges it by a model: it carries no row of its own.

    Where it fails, the rows by which the model had predicted otherwise are broken
    (`RequirementFailed.rows`). The arguments are those of `requirement`.
    """
    return pytest.mark.requirement(
        profile=profile, needs=frozenset(needs), seconds=float(seconds), depth=depth
    )
