"""The hash by which clients check their copy."""

from __future__ import annotations

import pytest

from eureka.core.status import Status, hash_of


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({}, ""),
        ({Status.UP: 0}, ""),
        ({Status.UP: 2}, "UP_2_"),
        (
            dict.fromkeys(reversed(Status), 1),
            "DOWN_1_OUT_OF_SERVICE_1_STARTING_1_UNKNOWN_1_UP_1_",
        ),
    ],
    ids=["empty", "zero", "one status", "all statuses, alphabetically"],
)
def test_hash_names_each_status_present(counts: dict[Status, int], expected: str) -> None:
    """The hash lists the statuses that occur, alphabetically, with their counts."""
    assert hash_of(counts) == expected
