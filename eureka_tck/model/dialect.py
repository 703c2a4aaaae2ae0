"""
Known deviations that sequences of plain calls meet at once, by the row they break.

A dialect is a set of row ids. The model takes some of them over (a 500 is then as right as a 4xx),
others leave calls out of what is drawn, since what follows them cannot be predicted.
Each is shown by a test of its row; here they would only hide what else is wrong.
"""

from __future__ import annotations

from typing import Final, TypeAlias

Dialect: TypeAlias = frozenset[str]

STRICT: Final[Dialect] = frozenset()

TAKEN_OVER: Final = {
    "REG-04": "a body that is no registration may be answered 500",
    "RENEW-08": "a renewal with an unreadable T may be answered 500, and has renewed",
    "STATUS-09": "a status that is none may be answered 500, and changes nothing",
}
LEFT_OUT: Final = {
    "STATUS-08": "the same id in two applications: an override in one leaks into the other",
}

DIALECTS: Final[dict[str, Dialect]] = {
    "java": frozenset({*TAKEN_OVER, *LEFT_OUT}),
}
"""By a target's family; every other target is held to the catalogue."""


def dialect_of(family: str) -> Dialect:
    """Return what is known of a family of targets."""
    return DIALECTS.get(family, STRICT)
