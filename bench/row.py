"""A row of the table: what is measured against what, where it must be, and how it is measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.series import Direction, Pair
    from bench.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Row:
    """
    One row.

    `measure` yields pairs as long as it is asked for more; what it starts it leaves to the
    workbench, which ends it. `tools` are the programs it needs, by their names on PATH.
    """

    name: str
    what: str
    against: str
    unit: str
    direction: Direction
    goal: float
    second: float
    rounds: int
    tools: tuple[str, ...]
    measure: Callable[[Workbench], Iterator[Pair]]
