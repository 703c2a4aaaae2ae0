"""
A storm over time: a panel for each measurement, all on one axis, what was done as bands. Pure.

Static SVG, complete without script. A value holds until the next sample, so lines are steps;
latency and delay are on logarithmic scales, and say so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from eureka_tck.report import drawing
from eureka_tck.report.drawing import (
    FRAMES,
    LINE,
    Chart,
    Frame,
    apart,
    box,
    figure,
    line,
    ms,
    power_of_ten,
    text,
)
from eureka_tck.report.environment import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TOP: Final = 22
PANEL: Final = 84
"""Height of a panel over time."""
CLASSES: Final = ("s-a", "s-b", "s-c")
NARROWEST: Final = 1.5
"""Units: a mark thinner than that is not seen."""
HATCH: Final = Markup(
    '<defs><pattern id="late-{0}" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect class="on" width="6" height="6"/>'
    '<line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>'
)


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a panel: its name, and its values by seconds; dotted where it is a reference."""

    name: str
    points: Sequence[tuple[float, float]]
    is_reference: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """Counts of a stretch, one upon the other: each with its class."""

    begins: float
    ends: float
    parts: Sequence[tuple[float, str]]
    said: str


@dataclass(frozen=True, slots=True)
class Reach:
    """From where to where the latencies of a stretch reached, and the largest of them; in ms."""

    begins: float
    ends: float
    low: float
    high: float
    largest: float
    said: str


@dataclass(frozen=True, slots=True)
class Dot:
    """One measurement at its instant, in ms; `is_bad` where it was in vain."""

    at: float
    value: float
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """
    Marks that share a scale; `unit` stands below the title.

    Lines and bars begin at 0; reaches and dots are ms on a logarithmic scale, with their `budget`.
    """

    title: str
    unit: str
    lines: Sequence[Series] = ()
    bars: Sequence[Bar] = ()
    reaches: Sequence[Reach] = ()
    dots: Sequence[Dot] = ()
    budget: float | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was measured."""
        return not (self.bars or self.reaches or self.dots or any(one.points for one in self.lines))

    @property
    def is_logarithmic(self) -> bool:
        """Whether it shows latencies or delays."""
        return bool(self.reaches or self.dots)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Something that was done, from and to the seconds."""

    begins: float
    ends: float
    said: str


def over_time(panels: Sequence[Panel], stretches: Sequence[Stretch], end: float) -> Chart | None:
    """Return the panels on one axis of seconds from 0 to `end`; None where nothing was sampled."""
    drawn = [whole for panel in panels if not (whole := _within(panel, end)).is_empty]
    if not drawn:
        return None
    said = "; ".join(
        f"{panel.title}, {one.name}: {figure(one.points[-1][1])} {panel.unit} at the end"
        for panel in drawn
        for one in panel.lines
        if one.points
    )
    done = " ".join(f"{one.said} at {one.begins:.0f} s." for one in stretches)
    return Chart(
        "Over time",
        "Seconds since the fleet began to register; every value holds until the next sample. "
        "Grey bands: what was done to nodes, and what the fleet did at once.",
        f"{said}. {done}".strip(),
        Markup("").join(_panels(frame, drawn, stretches, max(end, 1.0)) for frame in FRAMES),
        _legend(drawn),
    )


def _within(panel: Panel, end: float) -> Panel:
    """Return the panel without what was seen later, while the fleet left."""
    return replace(
        panel,
        lines=[
            replace(one, points=[point for point in one.points if point[0] <= end])
            for one in panel.lines
        ],
        bars=[one for one in panel.bars if one.begins < end],
        reaches=[one for one in panel.reaches if one.begins < end],
        dots=[one for one in panel.dots if one.at <= end],
    )


def _panels(
    frame: Frame, drawn: Sequence[Panel], stretches: Sequence[Stretch], end: float
) -> Markup:
    gap = 44 if frame.is_narrow else 26
    lanes = _lanes(stretches, frame, end)
    first = TOP + LINE * max(0, max(lanes, default=0)) + (20 if frame.is_narrow else 0)
    bottom = first + len(drawn) * (PANEL + gap) - gap + 8
    parts = [HATCH.format(frame.name)]
    for stretch, lane in zip(stretches, lanes, strict=True):
        x = frame.x(stretch.begins / end)
        width = max(2.0, frame.x(stretch.ends / end) - x)
        said = visible(stretch.said)
        parts.append(box("band", x, 0, width, bottom, said))
        parts += [line("edge", one, 0, one, bottom) for one in (x, x + width)]
        late = x > frame.left + (frame.end - frame.left) * 0.6
        place = (x - 4, "end") if late else (x + 4, "start")
        parts.append(text("tk", place[0], 12 + LINE * lane, said, place[1]))
    for number, panel in enumerate(drawn):
        top = first + number * (PANEL + gap)
        parts += _titled(frame, panel, top)
        parts += (
            _logs(frame, panel, top, end)
            if panel.is_logarithmic
            else _plain(frame, panel, top, end)
        )
        parts.append(line("axis", frame.left, top + PANEL, frame.end, top + PANEL))
    for at in drawing.ticks(end, 5 if frame.is_narrow else 10):
        parts.append(text("tk", frame.x(at / end), bottom + 10, f"{at:g} s", "middle"))
    return drawing.svg(frame, bottom + 18, parts)


def _lanes(stretches: Sequence[Stretch], frame: Frame, end: float) -> list[int]:
    """Return the line of text of each sentence, so that none lies on another."""
    free: list[float] = []
    found = []
    for stretch in stretches:
        x, width = frame.x(stretch.begins / end), 5.6 * len(stretch.said) + 12
        late = x > frame.left + (frame.end - frame.left) * 0.6
        begins, ends = (x - width, x) if late else (x, x + width)
        lane = next((n for n, taken in enumerate(free) if taken <= begins), len(free))
        free[lane : lane + 1] = [ends]
        found.append(lane)
    return found


def _titled(frame: Frame, panel: Panel, top: float) -> list[Markup]:
    if frame.is_narrow:
        said = f"{panel.title}, {panel.unit}" if panel.unit else panel.title
        return [text("tt", 0, top - 8, said)]
    words = panel.unit.split(", ")
    lines = [text("tk", 0, top + 27 + LINE * n, one) for n, one in enumerate(words)]
    return [text("tt", 0, top + 12, panel.title), *lines]


def _plain(frame: Frame, panel: Panel, top: float, end: float) -> list[Markup]:
    """Return lines and bars, from 0 up."""
    tallest = [sum(value for value, _ in bar.parts) for bar in panel.bars]
    values = [value for one in panel.lines for _, value in one.points]
    most = max([*tallest, *values], default=0) or 1.0

    def y(value: float) -> float:
        return top + PANEL * (1 - value / most)

    parts = [
        line("grid", frame.left, top, frame.end, top),
        text("tk", frame.left - 6, top + 4, figure(most), "end"),
        text("tk", frame.left - 6, top + PANEL + 4, "0", "end"),
    ]
    for bar in panel.bars:
        x, width, below = *_span(frame, bar.begins, bar.ends, end), 0.0
        for value, kind in bar.parts:
            if value:
                height = y(below) - y(below + value)
                parts.append(box(kind, x, y(below + value), width, height, bar.said))
            below += value
    return parts + _lines(frame, panel, y, end)


def _lines(frame: Frame, panel: Panel, y: Callable[[float], float], end: float) -> list[Markup]:
    parts = []
    shown = [one for one in panel.lines if one.points]
    labels = apart([y(one.points[-1][1]) + 4 for one in shown])
    for place, one in enumerate(shown):
        kind = "s-ref" if one.is_reference else CLASSES[place % len(CLASSES)]
        for points, until in drawing.stretches(drawing.thinned(one.points), end):
            places = [(frame.x(at / end), y(value)) for at, value in points]
            parts.append(drawing.steps(kind, places, frame.x(until / end)))
        if not frame.is_narrow:
            parts.append(text("tk", frame.end + 6, labels[place], visible(one.name)))
    return parts


def _logs(frame: Frame, panel: Panel, top: float, end: float) -> list[Markup]:
    """Return reaches and dots on a logarithmic scale."""
    values = [value for one in panel.reaches for value in (one.low, one.largest)]
    values += [one.value for one in panel.dots]
    bound = panel.budget
    low, high = drawing.decades([*values, *([] if bound is None else [bound])])
    y = drawing.logarithmic(low, high, top, PANEL)
    parts = []
    for power in (low, high):
        parts.append(line("grid", frame.left, y(10.0**power), frame.end, y(10.0**power)))
        parts.append(text("tk", frame.left - 6, y(10.0**power) + 4, power_of_ten(power), "end"))
    for one in panel.reaches:
        x, width = _span(frame, one.begins, one.ends, end)
        over = bound is not None and one.high > bound
        kind = "bad" if over else "f-a"
        tall = max(NARROWEST, y(one.low) - y(one.high))
        parts.append(box(kind, x, y(one.high), width, tall, one.said))
        parts.append(line("s-ink", x - 1, y(one.largest), x + width + 1, y(one.largest)))
    for dot in panel.dots:
        kind = "bad" if dot.is_bad else "dot"
        parts.append(
            Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="2.2"/>').format(
                kind, frame.x(dot.at / end), y(dot.value)
            )
        )
    if bound is not None:
        parts.append(line("limit", frame.left, y(bound), frame.end, y(bound)))
        parts.append(text("tk", frame.end - 2, y(bound) - 4, f"budget p99 {ms(bound)}", "end"))
    return parts


def _span(frame: Frame, begins: float, ends: float, end: float) -> tuple[float, float]:
    """Return where a mark of a stretch begins, and how wide it is, with a hair beside it."""
    x = frame.x(begins / end)
    return x, max(NARROWEST, frame.x(ends / end) - x - 0.5)


def _lines_named(drawn: Sequence[Panel]) -> list[tuple[str, str]]:
    """Return what the kinds of lines are, where a panel has several."""
    several = max((panel.lines for panel in drawn), key=len, default=())
    if len(several) < 2:  # noqa: PLR2004 - a line alone is known by its panel
        return []
    return [
        ("s-ref" if one.is_reference else CLASSES[place % len(CLASSES)], visible(one.name))
        for place, one in enumerate(several)
    ]


def _legend(drawn: Sequence[Panel]) -> list[tuple[str, str]]:
    found = _lines_named(drawn)
    kinds = {kind for panel in drawn for bar in panel.bars for value, kind in bar.parts if value}
    for kind, said in (
        ("f-a", "sent on time"),
        ("late", "sent over 100 ms late"),
        ("warn", "due and never sent"),
    ):
        if kind in kinds:
            found.append((kind, said))
    if any(panel.reaches for panel in drawn):
        found.append(("reach", "from the median to p99; the stroke is the slowest"))
    if any(one.high > (panel.budget or math.inf) for panel in drawn for one in panel.reaches):
        found.append(("bad", "p99 over its budget"))
    if any(panel.dots for panel in drawn):
        found.append(("dot", "one change, at the instant it was made"))
    return found
