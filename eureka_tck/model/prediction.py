"""What is due after a call: the status of the answer, and facts in it, each by rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Rows: TypeAlias = tuple[str, ...]

REFUSED: Final = range(400, 500)
BROKEN_OFF: Final = range(500, 501)


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that an answer says: what it must be, and the rows by which."""

    due: object
    rows: Rows


@dataclass(frozen=True, slots=True)
class Prediction:
    """
    The statuses that are right, the rows by which, and what the body says.

    `facts` are read only from an answer that may have one: of a 404 nothing more is predicted.
    """

    statuses: tuple[range, ...]
    rows: Rows
    facts: Mapping[str, Fact] = field(default_factory=dict)

    def allows(self, status: int) -> bool:
        """Say whether this status is right."""
        return any(status in one for one in self.statuses)

    @property
    def due(self) -> str:
        """The statuses in words."""
        return " or ".join(
            str(one.start) if len(one) == 1 else f"{one.start // 100}xx" for one in self.statuses
        )


def answered(status: int, *rows: str, facts: Mapping[str, Fact] | None = None) -> Prediction:
    """Predict one status."""
    return Prediction((range(status, status + 1),), rows, facts or {})


def refused(*rows: str, or_broken: bool = False) -> Prediction:
    """Predict any 4xx; `or_broken` lets a 500 pass too, where that is known of a target."""
    return Prediction((REFUSED, BROKEN_OFF) if or_broken else (REFUSED,), rows)
