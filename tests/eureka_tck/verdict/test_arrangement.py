"""In which order profiles run: one that ends with a long wait must not keep another waiting."""

from __future__ import annotations

import pytest

from eureka_tck.verdict.arrangement import last_wait
from eureka_tck.verdict.selection import Claim


@pytest.mark.parametrize(
    ("seconds", "waits"),
    [
        ((2, 2, 2, 80), 78),  # the next profile is given away before the last test begins
        ((2, 2, 80, 2), 78),
        ((2, 80, 2, 2), 0),
        ((60, 60, 60, 60, 60), 0),  # one recording that all share
        ((80, 80), 0),  # given away at the beginning, whenever that is
        ((), 0),
    ],
)
def test_only_what_the_last_tests_alone_wait_for_counts(
    seconds: tuple[float, ...], waits: float
) -> None:
    """What earlier tests have waited for as well, is over by then."""
    claims = [Claim(f"t::{n}", ("REG-01",), "p", seconds=s) for n, s in enumerate(seconds)]

    assert last_wait(claims) == waits
