"""What is known of a peer, and what the log is told of it."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from eureka.core.outbox import Outbox
from eureka.core.policy import ReplicationPolicy
from eureka.server.clock import Clock
from eureka.server.log import Log
from eureka.server.standing import QUIET, SUMMARY, Standing

if TYPE_CHECKING:
    from tests.eureka.conftest import HandClock

URL = "http://b:8761/eureka/"


class Told:
    """A standing, by the test's own clock, and the lines that were written of it."""

    def __init__(self, clock: HandClock) -> None:
        start = clock.seconds
        scaled = Clock(epoch=0.0, wall=lambda: clock.seconds, uptime=lambda: clock.seconds - start)
        self._stream = io.StringIO()
        self.of = Standing(URL, scaled, Log(scaled, self._stream))
        self._clock = scaled

    def succeeds(self) -> None:
        """Let the peer take a batch."""
        self.of.succeeded(self._clock.now())

    def fails(self) -> None:
        """Let an attempt fail."""
        self.of.failed("refused", Outbox(ReplicationPolicy()))

    @property
    def events(self) -> list[str]:
        """The events in the log."""
        return [line.split(" ")[2] for line in self._stream.getvalue().splitlines()]


@pytest.fixture
def told(clock: HandClock) -> Told:
    """Return the standing of a peer that was not asked yet."""
    return Told(clock)


def test_the_first_failure_is_told_and_the_next_ones_are_not(told: Told) -> None:
    """An attempt a second would fill the log."""
    for _ in range(3):
        told.fails()

    assert told.events == ["peer-fails"]
    assert told.of.last_error == "refused"


def test_the_end_of_a_failure_is_told_once(told: Told) -> None:
    """Later successes are no news."""
    told.fails()
    told.succeeds()
    told.succeeds()

    assert told.events == ["peer-fails", "peer-answers-again"]
    assert told.of.last_error == ""


def test_a_peer_that_comes_and_goes_is_told_of_again_after_a_while(
    told: Told, clock: HandClock
) -> None:
    """Not before; then its return is told again, too."""
    for _ in range(3):
        told.fails()
        told.succeeds()
    clock.passes(QUIET)
    told.fails()
    told.succeeds()

    assert told.events == ["peer-fails", "peer-answers-again"] * 2


def test_a_failure_that_lasts_is_summed_up_now_and_then(told: Told, clock: HandClock) -> None:
    """Once in `SUMMARY` seconds, however many attempts there are."""
    told.fails()
    clock.passes(SUMMARY - 1)
    told.fails()
    clock.passes(1)
    told.fails()
    told.fails()

    assert told.events == ["peer-fails", "peer-still-fails"]


def test_a_peer_is_good_once_it_took_a_batch(told: Told) -> None:
    """Not while nobody asked it, and not after a failure."""
    before = told.of.is_good
    told.succeeds()
    after = told.of.is_good
    told.fails()

    assert (before, after, told.of.is_good) == (False, True, False)


def test_answers_are_counted_with_what_they_took(told: Told) -> None:
    """Whatever they say."""
    told.of.answered(after=0.25)
    told.of.answered(after=0.5)

    assert (told.of.answers, told.of.answer_seconds) == (2, 0.75)
