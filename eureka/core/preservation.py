"""
Self-preservation:
whether so many renewals are missing that the fault is likelier here than there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eureka.core.policy import Policy

WINDOW = 60.0  # s; renewals are counted per minute, eureka-core MeasuredRate(1000 * 60)


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
        self.clients = 0
        self.threshold = 0

    def open(self, clients: int, *, now: float) -> None:
        """Start the first window, expecting so many clients."""
        self._opened_at = now
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
            self._counting = 0
            self._window = window
