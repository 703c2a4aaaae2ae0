"""What a server measures of itself, for whoever shows it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from eureka.server.renewals import Counts
    from eureka.server.watchdog import Watchdog

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"})
OTHER: Final = "other"
_LARGEST_STATUS: Final = 599


class Instruments:
    """
    Requests by method, resource and status, the loop's pauses and the renewals of the short route.

    What callers may invent (methods, paths) is counted as other: a label has few values.
    """

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.watchdog: Watchdog | None = None
        self.shortcut: Counts | None = None

    def answered(self, method: str, resource: str, status: int) -> None:
        """Count one answer of the ordinary route."""
        if method not in METHODS:
            method = OTHER
        self.requests[method, resource, min(status, _LARGEST_STATUS)] += 1

    def answers(self) -> Counter[tuple[str, str, int]]:
        """Return all answers, those of the short route among them: it answers renewals with 200."""
        counted = Counter(self.requests)
        if self.shortcut is not None and self.shortcut.renewed:
            counted["PUT", "instance", 200] += self.shortcut.renewed
        return counted
