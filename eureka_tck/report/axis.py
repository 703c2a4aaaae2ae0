"""The profiles of a run on a time axis: when each was judged, and what its starts took of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka_tck.report.model import Span

WIDTH: Final = 1000.0
"""Units of the axis; the page stretches it."""

STEPS: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)
TICKS_AT_MOST: Final = 10


@dataclass(frozen=True, slots=True)
class Bar:
    """A piece of a profile's line, in units of the axis."""

    kind: str
    x: float
    width: float
    said: str


@dataclass(frozen=True, slots=True)
class Line:
    """One profile: its bars, and its real seconds by kind."""

    profile: str
    bars: tuple[Bar, ...]
    judged: float
    starting: float
    waiting: float


@dataclass(frozen=True, slots=True)
class Axis:
    """The whole picture; `ticks` are places of whole steps, `seconds` is its length."""

    lines: tuple[Line, ...]
    ticks: tuple[float, ...]
    seconds: float


def axis_of(spans: Sequence[Span], seconds: float) -> Axis:
    """Return the picture of a run that took so many real seconds; longest profile first."""
    whole = max([seconds, 1.0, *(span.end for span in spans)])
    scale = WIDTH / whole
    names = dict.fromkeys(span.profile for span in spans)
    lines = [_line(name, [s for s in spans if s.profile == name], scale) for name in names]
    lines.sort(key=lambda line: -line.judged)
    step = next((one for one in STEPS if whole / one <= TICKS_AT_MOST), STEPS[-1])
    ticks = tuple(at * scale for at in range(0, int(whole) + 1, step))
    return Axis(tuple(lines), ticks, whole)


def _line(name: str, spans: Sequence[Span], scale: float) -> Line:
    order = {"judged": 0, "waiting": 1, "starting": 2}
    bars = tuple(
        Bar(span.kind, span.begin * scale, max(1.0, (span.end - span.begin) * scale), _said(span))
        for span in sorted(spans, key=lambda span: (order[span.kind], span.begin))
        if span.end - span.begin > 0.0
    )
    return Line(
        name, bars, _total(spans, "judged"), _busy(spans, "starting"), _busy(spans, "waiting")
    )


def _said(span: Span) -> str:
    words = {"judged": "judged", "waiting": "waiting to start", "starting": "starting"}[span.kind]
    whom = f"node {span.node} " if span.node else ""
    again = f", attempt {span.attempt}" if span.attempt > 1 else ""
    return f"{whom}{words}{again}: {span.begin:.1f} to {span.end:.1f} s"


def _total(spans: Sequence[Span], kind: str) -> float:
    return sum(span.end - span.begin for span in spans if span.kind == kind)


def _busy(spans: Sequence[Span], kind: str) -> float:
    """Return the seconds in which at least one node of the profile did so."""
    total, until = 0.0, 0.0
    for span in sorted((s for s in spans if s.kind == kind), key=lambda s: s.begin):
        total += max(0.0, span.end - max(span.begin, until))
        until = max(until, span.end)
    return total
