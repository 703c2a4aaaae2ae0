"""
Self-preservation:
whether so many renewals are missing that the fault is likelier here than there.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from eureka.core.instant import Instant

if TYPE_CHECKING:
    from eureka.core.policy import Policy

WINDOW = 60.0  # s; renewals are counted per minute, eureka-core MeasuredRate(1000 * 60)


class Reason(StrEnum):
    """Why leases may expire, or may not."""

    NOT_OPEN = "not open"
    FIRST_MINUTE = "first minute"
    NOBODY_EXPECTED = "nobody expected"
    TOO_FEW_RENEWALS = "too few renewals"
    ENOUGH_RENEWALS = "enough renewals"
    SWITCHED_OFF = "switched off"


class Protection(msgspec.Struct, frozen=True, gc=False):
    """
    Whether leases may expire at one moment, why, since when,
    and how far the minute under way has come; seconds.
    """

    expiry_enabled: bool
    reason: Reason
    since: Instant
    renewals: int
    threshold: int
    counting: int
    minute_ends_in: float


class Preservation:
    """
    Counts renewals in windows of a minute that start when the registry opens,
    and compares the last complete one with what the expected clients would send.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._opened_at: float | None = None
        self._window = 0  # number of the window `_counting` belongs to
        self._counting = 0
        self._counted = 0
        self._earlier = 0  # renewals of the windows before the one under way
        self._enabled = not policy.self_preservation
        self._since = Instant(0.0, 0)
        self.clients = 0
        self.threshold = 0

    @property
    def renewals(self) -> int:
        """All renewals that were counted since the start."""
        return self._earlier + self._counting

    def open(self, clients: int, *, now: Instant) -> None:
        """Start the first window, expecting so many clients."""
        self._opened_at = now.monotonic
        self._since = now
        self._earlier = self.renewals
        self._window = self._counting = self._counted = 0
        self._expect(clients)

    def client_came(self) -> None:
        """Expect one client more: a lease that was not there before."""
        self._expect(self.clients + 1)

    def client_went(self) -> None:
        """Expect one client less: its lease was cancelled or evicted."""
        self._expect(max(self.clients - 1, 0))

    def recount(self, clients: int) -> bool:
        """
        Adopt a count of the leases, unless it is so low that it looks like the fault itself.
        Return whether it was adopted.
        """
        lowest = self._policy.renewal_percent_threshold * self.clients
        if self._policy.self_preservation and clients <= lowest:
            return False
        self._expect(clients)
        return True

    def renewed(self, *, now: float) -> None:
        """Count one renewal."""
        self._turn_windows(now)
        self._counting += 1

    def renewals_last_minute(self, *, now: float) -> int:
        """Return the renewals of the last complete window; none in the first."""
        self._turn_windows(now)
        return self._counted

    def expiry_enabled(self, *, now: float) -> bool:
        """
        Tell whether leases may expire:
        strictly more renewals than the threshold, and that above 0.
        """
        if not self._policy.self_preservation:
            return True
        return 0 < self.threshold < self.renewals_last_minute(now=now)

    def next_turn(self) -> float | None:
        """Return the monotonic second at which the window under way ends; None before opening."""
        if self._opened_at is None:
            return None
        return self._opened_at + (self._window + 1) * WINDOW

    def watch(self, *, now: Instant) -> bool:
        """Look whether protection began or ended since the last look; tell whether it did."""
        self._turn_windows(now.monotonic)
        enabled = self.expiry_enabled(now=now.monotonic)
        if enabled is self._enabled:
            return False
        self._enabled = enabled
        self._since = now
        return True

    def explain(self, *, now: Instant) -> Protection:
        """Return whether leases may expire, with everything that decides it."""
        self._turn_windows(now.monotonic)
        enabled = self.expiry_enabled(now=now.monotonic)
        turn = self.next_turn()
        return Protection(
            enabled,
            self._reason(enabled=enabled),
            # Between two looks the state may be a moment newer than what was noticed.
            self._since if enabled is self._enabled else now,
            self._counted,
            self.threshold,
            self._counting,
            0.0 if turn is None else turn - now.monotonic,
        )

    def _reason(self, *, enabled: bool) -> Reason:
        if not self._policy.self_preservation:
            return Reason.SWITCHED_OFF
        if enabled:
            return Reason.ENOUGH_RENEWALS
        if self._opened_at is None:
            return Reason.NOT_OPEN
        if self.threshold <= 0:
            return Reason.NOBODY_EXPECTED
        return Reason.TOO_FEW_RENEWALS if self._window else Reason.FIRST_MINUTE

    def _expect(self, clients: int) -> None:
        self.clients = clients
        per_minute = WINDOW / self._policy.expected_renewal_interval
        self.threshold = int(clients * per_minute * self._policy.renewal_percent_threshold)

    def _turn_windows(self, now: float) -> None:
        if self._opened_at is None:
            return
        window = int((now - self._opened_at) // WINDOW)
        if window != self._window:
            # A window nobody asked about in time (a stopped process) was an empty one.
            self._counted = self._counting if window == self._window + 1 else 0
            self._earlier += self._counting
            self._counting = 0
            self._window = window
