"""
The five statuses of an instance, the three kinds of change,
and the hash that sums statuses up.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Status(StrEnum):
    """What an instance says of itself, or an operator says of it; in alphabetical order."""

    DOWN = "DOWN"
    OUT_OF_SERVICE = "OUT_OF_SERVICE"
    STARTING = "STARTING"
    UNKNOWN = "UNKNOWN"
    UP = "UP"


class Action(StrEnum):
    """How an instance last changed."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"


def hash_of(counts: Mapping[Status, int]) -> str:
    """
    Return the hash by which a client checks its copy: `STATUS_count_` for each status present.

    >>> hash_of({Status.UP: 2, Status.DOWN: 1})
    'DOWN_1_UP_2_'
    """
    return "".join(f"{status}_{counts[status]}_" for status in Status if counts.get(status))
