"""
How a peer has answered so far, and what the log is told of it: that it fails once, not at every
attempt; of one that comes and goes, seldom; of one that goes on failing, now and then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from eureka.core.instant import Instant
    from eureka.core.outbox import Outbox
    from eureka.server.clock import Clock
    from eureka.server.log import Log

SUMMARY: Final = 300.0  # registry seconds between two lines about a peer that goes on failing
QUIET: Final = 60.0  # registry seconds between two lines about a peer that comes and goes


class Standing:
    """What is known of one peer, by the URL it is `shown` by."""

    def __init__(self, shown: str, clock: Clock, log: Log) -> None:
        self.last_success_ms = 0
        self.last_error = ""
        self.answers = 0
        self.answer_seconds = 0.0  # real seconds from the beginnings of batches to their answers
        self._shown = shown
        self._clock = clock
        self._log = log
        self._told_of_failure = False
        self._quiet_until = 0.0
        self._failing_since = 0.0
        self._summary_at = 0.0

    @property
    def is_good(self) -> bool:
        """Whether it took the last batch; nobody knows of one that was not asked."""
        return bool(self.last_success_ms) and not self.last_error

    def answered(self, *, after: float) -> None:
        """Count an answer, whatever it says, that came after so many real seconds."""
        self.answers += 1
        self.answer_seconds += after

    def succeeded(self, now: Instant) -> None:
        """Take note that the peer took a batch."""
        if self._told_of_failure:
            self._told_of_failure = False
            lasted = now.monotonic - self._failing_since
            self._log.info("peer-answers-again", url=self._shown, after=lasted)
        self.last_success_ms = now.epoch_ms
        self.last_error = ""

    def failed(self, error: str, outbox: Outbox | None) -> None:
        """Take note of a failure, and of what waits meanwhile."""
        now = self._clock.monotonic()
        if not self.last_error and now >= self._quiet_until:
            self._quiet_until = now + QUIET
            self._told_of_failure = True
            self._failing_since = now
            self._summary_at = now + SUMMARY
            self._log.warning("peer-fails", url=self._shown, error=error)
        elif self._told_of_failure and now >= self._summary_at:
            self._summary_at = now + SUMMARY
            self._log.warning(
                "peer-still-fails",
                url=self._shown,
                error=error,
                since=now - self._failing_since,
                queued=outbox.waiting if outbox is not None else 0,
                dropped=outbox.dropped if outbox is not None else 0,
            )
        self.last_error = error
