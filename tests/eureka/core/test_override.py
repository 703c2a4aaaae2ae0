"""The precedence of reported, overridden and held status, as a table."""

from __future__ import annotations

import pytest

from eureka.core.override import effective_status
from eureka.core.status import Status

UP, DOWN, OOS = Status.UP, Status.DOWN, Status.OUT_OF_SERVICE
STARTING, UNKNOWN = Status.STARTING, Status.UNKNOWN


@pytest.mark.parametrize(
    ("reported", "override", "held", "replicated", "expected"),
    [
        (DOWN, OOS, UP, False, DOWN),
        (STARTING, UP, UP, False, STARTING),
        (UNKNOWN, UP, None, True, UNKNOWN),
        (UP, OOS, UP, False, OOS),
        (OOS, UP, OOS, True, UP),
        (OOS, UNKNOWN, UP, False, UP),
        (UP, UNKNOWN, OOS, False, OOS),
        (OOS, UNKNOWN, UP, True, OOS),
        (UP, UNKNOWN, DOWN, False, UP),
        (UP, UNKNOWN, None, False, UP),
    ],
)
def test_precedence(
    reported: Status, override: Status, held: Status | None, replicated: bool, expected: Status
) -> None:
    """Not serving wins, then the override, then for clients what is held, then the report."""
    found = effective_status(reported, override=override, held=held, replicated=replicated)

    assert found is expected
