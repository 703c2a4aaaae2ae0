"""
Single fields of a registration:
what clients send for a number, a flag or a text, made one type.
"""

from __future__ import annotations

import math
import re
from typing import Final

from eureka.core.errors import InvalidRequest
from eureka.core.status import Status

_SHOWN: Final = 60  # characters of a refused value that its error repeats
_INTEGER = re.compile(r"-?[0-9]{1,30}\Z")
_INT32 = range(-(2**31), 2**31)
_INT64 = range(-(2**63), 2**63)


def text(value: object, field: str) -> str | None:
    """Return a text; other scalars become texts, as in the reference; null is as if absent."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    raise InvalidRequest(f"{field} must be a text, but is {_kind(value)}")


def integer(value: object, field: str) -> int | None:
    """Return a 32-bit number given as number or text; null is as if absent."""
    if value is None:
        return None
    number = _number(value)
    if number is None or number not in _INT32:
        raise InvalidRequest(f"{field} must be a whole number, but is {_kind(value)}")
    return number


def lease_seconds(value: object, default: int) -> int:
    """Return a duration; one that is missing, unreadable or not above 0 means the default."""
    number = _number(value)
    if number is None or number <= 0:
        return default
    return min(number, _INT32[-1])


def timestamp(value: object, field: str) -> int | None:
    """
    Return epoch milliseconds given as number or text;
    null and an empty text are as if absent.
    """
    if value is None or value == "":
        return None
    number = _number(value)
    if number is None or number not in _INT64:
        raise InvalidRequest(f"{field} must be a time in milliseconds, but is {_kind(value)}")
    return number


def flag(value: object) -> bool:
    """Return a flag: true, "true" and 1 mean yes, anything else no."""
    return value in (True, 1, "true")


def reported_status(value: object) -> Status:
    """Return the status an instance reports: UP when it says none, UNKNOWN when it says another."""
    return Status.UP if value is None else known_status(value)


def known_status(value: object) -> Status:
    """Return the status of that name, UNKNOWN for anything else."""
    return Status(value) if isinstance(value, str) and value in _NAMES else Status.UNKNOWN


def commanded_status(value: str | None, *, allowed: frozenset[Status]) -> Status:
    """Return the status a call commands; only the exact names are understood."""
    if value in _NAMES and Status(value) in allowed:
        return Status(value)
    names = ", ".join(sorted(allowed))
    raise InvalidRequest(f"value must be one of {names}, but is {_quoted(value)}")


def query_timestamp(value: str | None) -> int | None:
    """Return the `lastDirtyTimestamp` of a query; an empty one is no time."""
    if value is None:
        return None
    if _INTEGER.match(value) and int(value) in _INT64:
        return int(value)
    raise InvalidRequest(
        f"lastDirtyTimestamp must be a time in milliseconds, but is {_quoted(value)}"
    )


_NAMES = frozenset(Status)


def _number(value: object) -> int | None:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if math.isfinite(value) else None
    if isinstance(value, str) and _INTEGER.match(value.strip()):
        return int(value)
    return None


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    return _quoted(value)


def _quoted(value: object) -> str:
    """Return a value as an error shows it: short, however long it is."""
    if value is None:
        return "missing"
    shown = str(value)
    return f"'{shown[:_SHOWN]}…'" if len(shown) > _SHOWN else f"'{shown}'"
