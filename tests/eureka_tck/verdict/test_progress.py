"""What a person sees while a gate runs."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from eureka_tck.verdict.execution import Begun, Ended
from eureka_tck.verdict.forecast import Forecast
from eureka_tck.verdict.progress import Progress
from eureka_tck.verdict.selection import Claim

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.report.model import Expectation, TestResult

CLAIMS = [Claim("t::a", ("REG-01",), "open"), Claim("t::b", ("EVICT-02",), "evict")]
FORECAST = Forecast({"open": 5.0, "evict": 30.0}, 32.0)


class Hand:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        """Return where it was moved to."""
        return self.at


class Terminal(io.StringIO):
    """An output that says it is a terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True


def progress(out: io.StringIO) -> tuple[Progress, Hand]:
    """Return a progress and its clock."""
    hand = Hand()
    return Progress(CLAIMS, FORECAST, hand.now, out), hand


def test_the_line_says_what_is_judged_what_failed_and_how_long_still(
    result: Callable[..., TestResult],
) -> None:
    """Counts, the running profiles and the forecast's rest, in one line."""
    shown, hand = progress(io.StringIO())
    shown.note(Begun("t::a"))
    shown.note(Begun("t::b"))
    hand.at = 12.0
    shown.note(Ended(result(id="t::a", outcome="failed", profile="open")))

    assert shown.line() == "   12 s  1 of 2 tests; 1 failed; now evict; about 20 s left"


def test_a_known_deviation_is_not_counted_as_a_failure(
    result: Callable[..., TestResult], expectation: Callable[..., Expectation]
) -> None:
    """Only what nobody expects is worth an alarm while the gate runs."""
    out = io.StringIO()
    shown = Progress(CLAIMS, FORECAST, Hand().now, out, [expectation(test="t::a")])
    shown.note(Ended(result(id="t::a", outcome="failed", actual="500", profile="open")))
    known = shown.line()
    shown.note(Ended(result(id="t::b", outcome="failed", actual="500", profile="evict")))

    assert "failed" not in known
    assert "; 1 failed;" in shown.line()


def test_the_forecast_never_says_less_than_a_running_profile_needs(
    result: Callable[..., TestResult],
) -> None:
    """A profile that began late is still waited for."""
    shown, hand = progress(io.StringIO())
    hand.at = 25.0
    shown.note(Begun("t::b"))
    shown.note(Ended(result(id="t::a", profile="open")))

    assert shown.line().endswith("about 30 s left")


def test_elsewhere_a_line_for_each_profile_that_is_done(
    result: Callable[..., TestResult],
) -> None:
    """A log has a line a profile and one now and then, not one a test."""
    out = io.StringIO()
    shown, hand = progress(out)
    shown.note(Begun("t::a"))
    hand.at = 4.0
    shown.note(Ended(result(id="t::a", profile="open")))
    shown.note(None)
    hand.at = 20.0
    shown.note(None)
    shown.close()

    assert out.getvalue() == (
        "    4 s  open is done after 4 s\n   20 s  1 of 2 tests; about 12 s left\n"
    )


def test_on_a_terminal_one_line_is_rewritten_and_removed() -> None:
    """What the gate prints afterwards stands on a clean line."""
    out = Terminal()
    shown, _ = progress(out)
    shown.note(Begun("t::a"))
    shown.close()

    assert "\n" not in out.getvalue()
    assert out.getvalue().startswith("\r    0 s  0 of 2 tests; now open")
    assert out.getvalue().endswith(" \r")
