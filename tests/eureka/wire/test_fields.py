"""Single fields, in all the forms that clients send."""

from __future__ import annotations

import math

import pytest

from eureka.core.errors import InvalidRequest
from eureka.core.status import Status
from eureka.wire import fields

COMMANDS = frozenset({Status.UP, Status.DOWN})


@pytest.mark.parametrize(
    ("value", "expected"),
    [("a", "a"), ("", ""), (None, None), (True, "true"), (False, "false"), (5, "5"), (1.5, "1.5")],
)
def test_text(value: object, expected: str | None) -> None:
    """Scalars become texts, null is nothing."""
    assert fields.text(value, "sid") == expected


@pytest.mark.parametrize(("value", "kind"), [([], "a list"), ({}, "an object")])
def test_text_is_no_structure(value: object, kind: str) -> None:
    """A list or an object is refused by name."""
    with pytest.raises(InvalidRequest, match=f"^sid must be a text, but is {kind}$"):
        fields.text(value, "sid")


@pytest.mark.parametrize(
    ("value", "expected"), [(8080, 8080), ("8080", 8080), (" 80 ", 80), (True, 1), (None, None)]
)
def test_integer(value: object, expected: int | None) -> None:
    """A number may come as a text."""
    assert fields.integer(value, "port") == expected


@pytest.mark.parametrize(
    "value", ["abc", "", "1e3", "1_0", 2**31, -(2**31) - 1, [], {}, math.nan, "9" * 40]
)
def test_integer_is_refused(value: object) -> None:
    """What is no 32-bit number is named in the refusal."""
    with pytest.raises(InvalidRequest, match=r"^port must be a whole number, but is "):
        fields.integer(value, "port")


def test_a_refusal_repeats_a_long_value_in_short() -> None:
    """However long it was sent."""
    with pytest.raises(InvalidRequest) as refusal:
        fields.integer("x" * 10_000, "port")

    assert str(refusal.value) == f"port must be a whole number, but is '{'x' * 60}…'"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (10, 10),
        ("10", 10),
        (1.7, 1),
        (None, 90),
        (0, 90),
        (-5, 90),
        ("abc", 90),
        ([], 90),
        (3_000_000, 3_000_000),
        (10**30, 2**31 - 1),
    ],
)
def test_lease_seconds(value: object, seconds: int) -> None:
    """A duration that cannot be meant is the default, a huge one is not refused."""
    assert fields.lease_seconds(value, 90) == seconds


@pytest.mark.parametrize(
    ("value", "expected"),
    [(5, 5), ("1700000000000", 1700000000000), ("-1", -1), (None, None), ("", None)],
)
def test_timestamp(value: object, expected: int | None) -> None:
    """A number, a text, or nothing."""
    assert fields.timestamp(value, "lastDirtyTimestamp") == expected


@pytest.mark.parametrize("value", ["abc", 2**63, [], {}])
def test_timestamp_is_refused(value: object) -> None:
    """Whatever is no 64-bit number."""
    with pytest.raises(InvalidRequest, match="must be a time in milliseconds"):
        fields.timestamp(value, "lastDirtyTimestamp")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, True),
        ("true", True),
        (1, True),
        (False, False),
        ("TRUE", False),
        ("", False),
        (None, False),
        ([], False),
    ],
)
def test_flag(value: object, expected: bool) -> None:
    """Only true, "true" and 1 are a yes."""
    assert fields.flag(value) is expected


@pytest.mark.parametrize(
    ("value", "status"),
    [
        (None, Status.UP),
        ("DOWN", Status.DOWN),
        ("down", Status.UNKNOWN),
        ("", Status.UNKNOWN),
        ("BOGUS", Status.UNKNOWN),
        (5, Status.UNKNOWN),
        ([], Status.UNKNOWN),
    ],
)
def test_reported_status(value: object, status: Status) -> None:
    """Missing is UP, unrecognised is UNKNOWN."""
    assert fields.reported_status(value) is status


def test_commanded_status() -> None:
    """The exact names that are allowed."""
    assert fields.commanded_status("DOWN", allowed=COMMANDS) is Status.DOWN


@pytest.mark.parametrize(
    ("value", "shown"),
    [("down", "'down'"), ("UNKNOWN", "'UNKNOWN'"), ("", "''"), (None, "missing")],
)
def test_commanded_status_is_refused(value: str | None, shown: str) -> None:
    """The refusal says which names there are."""
    with pytest.raises(InvalidRequest) as refusal:
        fields.commanded_status(value, allowed=COMMANDS)

    assert str(refusal.value) == f"value must be one of DOWN, UP, but is {shown}"


@pytest.mark.parametrize(("value", "expected"), [(None, None), ("5", 5), ("-7", -7)])
def test_query_timestamp(value: str | None, expected: int | None) -> None:
    """A number or no such parameter."""
    assert fields.query_timestamp(value) == expected


@pytest.mark.parametrize("value", ["", " ", "abc", "1.5", str(2**63), "٣"])
def test_query_timestamp_is_refused(value: str) -> None:
    """An empty one too: somebody meant to send a time."""
    with pytest.raises(InvalidRequest, match=r"^lastDirtyTimestamp must be a time"):
        fields.query_timestamp(value)
