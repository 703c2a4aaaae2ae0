"""The profiles of a run on a time axis."""

from __future__ import annotations

import pytest

from eureka_tck.report.axis import WIDTH, axis_of
from eureka_tck.report.model import Span

SPANS = (
    Span(profile="short", kind="judged", begin=1.0, end=3.0),
    Span(profile="long", kind="judged", begin=1.0, end=9.0),
    Span(profile="long", kind="waiting", begin=1.0, end=2.0, node="a"),
    Span(profile="long", kind="starting", begin=2.0, end=4.0, node="a"),
    Span(profile="long", kind="starting", begin=3.0, end=5.0, node="b"),
)


def test_the_longest_profile_comes_first_with_its_seconds() -> None:
    """What its nodes do at the same time counts once."""
    lines = axis_of(SPANS, 10.0).lines

    assert [line.profile for line in lines] == ["long", "short"]
    assert (lines[0].judged, lines[0].starting, lines[0].waiting) == (8.0, 3.0, 1.0)


def test_the_axis_holds_all_of_the_run() -> None:
    """Also a span that is seen to end after the run."""
    axis = axis_of([*SPANS, Span(profile="late", kind="judged", begin=9.0, end=12.0)], 10.0)

    assert axis.seconds == pytest.approx(12.0)
    assert max(bar.x + bar.width for line in axis.lines for bar in line.bars) <= WIDTH
    assert axis.ticks[0] == 0


def test_a_bar_says_what_it_is() -> None:
    """For those who point at it, and those who hear it."""
    bars = axis_of(SPANS, 10.0).lines[0].bars

    assert bars[0].said == "judged: 1.0 to 9.0 s"
    assert bars[1].said == "node a waiting to start: 1.0 to 2.0 s"


def test_a_run_without_spans_has_no_picture() -> None:
    """Reports of older runs have none."""
    assert axis_of((), 10.0).lines == ()
