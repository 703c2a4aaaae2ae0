"""How far metadata may grow by calls."""

from __future__ import annotations

import pytest

from eureka.core.errors import InvalidRequest
from eureka.core.metadata import MOST_KEYS, check_growth


def test_metadata_may_grow_to_its_limit_in_bytes() -> None:
    """Keys and values count, as they are sent."""
    check_growth({}, {"key": "é" * 3, "b": ""}, most=10)

    with pytest.raises(InvalidRequest) as refused:
        check_growth({}, {"key": "é" * 3, "bc": ""}, most=10)
    assert str(refused.value) == (
        "The metadata of an instance may have 10 bytes, and would have 11."
    )


def test_what_was_registered_with_more_may_change_but_not_grow() -> None:
    """A registration may bring as much as a body holds."""
    held = {"a": "x" * 20}

    check_growth(held, {"a": "y" * 20}, most=10)
    check_growth(held, {"a": "y" * 15, "b": "z"}, most=10)
    with pytest.raises(InvalidRequest):
        check_growth(held, {"a": "x" * 20, "b": ""}, most=10)


def test_keys_are_counted_too() -> None:
    """No peer would read more of them."""
    full = {str(number): "" for number in range(MOST_KEYS)}

    check_growth({}, full, most=2**20)
    with pytest.raises(InvalidRequest, match="may have 50000 keys"):
        check_growth(full, {**full, "one": ""}, most=2**20)
    check_growth({**full, "one": ""}, {**full, "one": "2"}, most=2**20)
