"""What a promise says about a history: kept, broken or inconclusive, with the words for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from eureka_tck.history import History

Finding: TypeAlias = Literal["broken", "inconclusive", "kept"]
"""
`inconclusive`: the mechanism never fired, or the harness failed; never a pass.
A promise is broken as soon as one thing breaks it, and kept only if all was there to judge it by.
"""


class Violation(Struct, frozen=True, kw_only=True):
    """One breach: `at` is the instant it is certain, `until` when it was over (None: never)."""

    node: str
    instance: str
    at: float
    until: float | None
    said: str


class Budget(Struct, frozen=True, kw_only=True):
    """How long something may take, in registry seconds, and the sum it comes from."""

    seconds: float
    formula: str


class Judgement(Struct, frozen=True, kw_only=True):
    """
    One promise judged.

    `statement` is the promise in a sentence, `said` what was found, with instants;
    `judged` says how much was there to judge, `measured` the worst that was seen in seconds
    (None where it never came), or in another `unit`. `rows` are ids of the catalogue.
    """

    promise: str
    statement: str
    rows: tuple[str, ...]
    finding: Finding
    said: str
    judged: str = ""
    budget: Budget | None = None
    measured: float | None = None
    unit: str = "s"
    violations: tuple[Violation, ...] = ()
    notes: tuple[str, ...] = ()


class Promise(Protocol):
    """A pure function over a history; the same history always gets the same judgement."""

    __name__: str

    def __call__(self, history: History, /) -> Judgement:
        """Judge the history."""
