"""Batches already carried out: a repeated one is answered again, not carried out again."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from eureka.core.task import TaskAnswer

REMEMBERED: Final = 256
"""
Batches; a sender repeats its last one only,
so this serves a cluster far larger than any seen.
"""

LARGEST: Final = 1000
"""Tasks; our own kind sends 250 at most, and what others send need not be remembered."""


class Receipts:
    """
    The answers to recent batches, by sender and number.

    Only senders of our own kind number their batches.
    Without this,
    one renewal over a link slower than the time-out counts as often as it is repeated.
    """

    def __init__(self) -> None:
        self._answers: OrderedDict[tuple[str, str], tuple[TaskAnswer, ...]] = OrderedDict()

    def find(self, sender: str, batch: str) -> tuple[TaskAnswer, ...] | None:
        """Return what was answered to that batch, if it is a repeated one."""
        return self._answers.get((sender, batch))

    def keep(self, sender: str, batch: str, answers: tuple[TaskAnswer, ...]) -> None:
        """Remember the answers; the oldest are forgotten."""
        if not (sender and batch) or len(answers) > LARGEST:
            return
        self._answers[(sender, batch)] = answers
        if len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)
