"""
The charts of a storm's page: static SVG, complete without script, drawn from figures alone. Pure.

Percentiles: x is log(1/(1-p)), y log ms; the truth solid, what a paced client would report dashed,
the gap between them shaded. Over time: a panel for each measurement, all on one axis, what was done
to nodes as bands. A value holds until the next sample, so lines are steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from eureka_tck.fleet.histogram import percentile_ms
from eureka_tck.report.environment import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WIDTH: Final = 960
LEFT, RIGHT, TOP = 150, 110, 22
CURVE: Final = 220  # height of the percentile plot
PANEL: Final = 84  # height of a panel over time
NINES: Final = (0.0, 0.5, 0.9, 0.99, 0.999, 0.9999)
STEPS_OF_A_CURVE: Final = 80
CLASSES: Final = ("s-a", "s-b", "s-c")


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture with its title, what it says in words, and the SVG."""

    title: str
    lead: str
    said: str
    svg: Markup


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a panel: its name, and its values by seconds; dotted where it is a reference."""

    name: str
    points: Sequence[tuple[float, float]]
    is_reference: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines that share a scale, from 0 on; `unit` stands below the title."""

    title: str
    unit: str
    lines: Sequence[Series]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Something that was done, from and to the seconds."""

    begins: float
    ends: float
    said: str


def percentiles(
    intended: Mapping[int, int], reported: Mapping[int, int], budgets: Mapping[float, float]
) -> Chart | None:
    """Return the plot of renewals; `budgets` are ms by percentile. None without a renewal."""
    if not intended or not reported:
        return None
    shares = [1 - 10 ** (-4 * n / STEPS_OF_A_CURVE) for n in range(STEPS_OF_A_CURVE + 1)]
    true = [max(percentile_ms(intended, share) or 0.0, 0.01) for share in shares]
    told = [max(percentile_ms(reported, share) or 0.0, 0.01) for share in shares]
    low = math.floor(math.log10(min(*true, *told)))
    high = math.ceil(math.log10(max(*true, *told, *budgets.values())))
    span = max(1, high - low)

    def x(share: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * -math.log10(max(1 - share, 1e-4)) / 4

    def y(ms: float) -> float:
        return TOP + CURVE * (1 - (math.log10(ms) - low) / span)

    parts = [
        _line("grid", LEFT, y(10.0**n), WIDTH - RIGHT, y(10.0**n)) for n in range(low, high + 1)
    ]
    parts += [
        _text("tk", LEFT - 6, y(10.0**n) + 4, f"{10.0**n:g} ms", "end")
        for n in range(low, high + 1)
    ]
    parts += [_text("tk", x(one), TOP + CURVE + 16, _nines(one), "middle") for one in NINES]
    upper = [(x(share), y(ms)) for share, ms in zip(shares, true, strict=True)]
    lower = [(x(share), y(ms)) for share, ms in zip(shares, told, strict=True)]
    parts.append(Markup('<path class="gap" d="{}Z"/>').format(_path([*upper, *reversed(lower)])))
    parts.append(Markup('<path class="s-a" d="{}"/>').format(_path(upper)))
    parts.append(Markup('<path class="s-c" d="{}"/>').format(_path(lower)))
    ends = _apart([upper[-1][1] + 4, lower[-1][1] + 4])
    parts.append(_text("tt", WIDTH - RIGHT + 6, ends[0], "intended"))
    parts.append(_text("tk", WIDTH - RIGHT + 6, ends[1], "as reported"))
    for share, ms in budgets.items():
        parts.append(_line("vio", x(share) - 24, y(ms), x(share) + 24, y(ms)))
        parts.append(_text("tk", x(share), y(ms) - 5, f"budget {ms:,.0f} ms", "middle"))
    worst = percentile_ms(intended, 0.99) or 0.0, percentile_ms(reported, 0.99) or 0.0
    return Chart(
        "Renewals: intended against reported",
        "Solid: from the instant a renewal was due. Dashed: from the instant it was sent, as a "
        "client that paces itself reports it. The shaded gap is what coordinated omission hides.",
        f"p99 of renewals is {worst[0]:.1f} ms from the intended send time "
        f"and {worst[1]:.1f} ms from the actual one.",
        _svg(parts, TOP + CURVE + 26),
    )


def over_time(panels: Sequence[Panel], stretches: Sequence[Stretch], end: float) -> Chart | None:
    """Return the panels on one axis of seconds from 0 to `end`; None where nothing was sampled."""
    drawn = [panel for panel in panels if any(line.points for line in panel.lines)]
    if not drawn:
        return None
    gap = 26
    bottom = TOP + len(drawn) * (PANEL + gap)

    def x(seconds: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * min(max(seconds / max(end, 1.0), 0.0), 1.0)

    parts: list[Markup] = []
    for stretch in stretches:
        width = max(2.0, x(stretch.ends) - x(stretch.begins))
        parts.append(
            Markup('<rect class="band" x="{:.1f}" y="0" width="{:.1f}" height="{}"/>').format(
                x(stretch.begins), width, bottom
            )
        )
        parts.append(_text("tk", x(stretch.begins) + 4, 12, visible(stretch.said)))
    for number, panel in enumerate(drawn):
        top = TOP + number * (PANEL + gap)
        most = max((value for line in panel.lines for _, value in line.points), default=0) or 1.0
        parts.append(_text("tt", 0, top + 12, panel.title))
        parts.append(_text("tk", 0, top + 27, panel.unit))
        parts += [_line("grid", LEFT, top, WIDTH - RIGHT, top)]
        parts += [_line("axis", LEFT, top + PANEL, WIDTH - RIGHT, top + PANEL)]
        parts.append(_text("tk", LEFT - 6, top + 4, _figure(most), "end"))
        parts.append(_text("tk", LEFT - 6, top + PANEL + 4, "0", "end"))
        shown = [line for line in panel.lines if line.points]
        labels = _apart([top + PANEL * (1 - line.points[-1][1] / most) + 4 for line in shown])
        for place, line in enumerate(shown):
            places = [(x(at), top + PANEL * (1 - value / most)) for at, value in line.points]
            kind = "s-ref" if line.is_reference else CLASSES[place % len(CLASSES)]
            parts.append(Markup('<path class="{}" d="{}"/>').format(kind, _steps(places, x(end))))
            parts.append(_text("tk", WIDTH - RIGHT + 6, labels[place], visible(line.name)))
    ticks = _ticks(end)
    parts += [_text("tk", x(at), bottom + 8, f"{at:g} s", "middle") for at in ticks]
    said = "; ".join(
        f"{panel.title}, {line.name}: {_figure(line.points[-1][1])} {panel.unit} at the end"
        for panel in drawn
        for line in panel.lines
        if line.points
    )
    return Chart(
        "Over time",
        "Seconds since the fleet began to register; every value holds until the next sample.",
        f"{said}. {' '.join(f'{one.said} at {one.begins:.0f} s.' for one in stretches)}".strip(),
        _svg(parts, bottom + 16),
    )


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004 - digits to show


def _ticks(end: float) -> list[float]:
    step = next((s for s in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800) if end / s <= 10), 3600)  # noqa: PLR2004 - ticks at most
    return [step * n for n in range(int(end // step) + 1)]


def _apart(places: list[float]) -> list[float]:
    """Return the places of labels, moved so that none lies on another: 13 units for a line."""
    found = list(places)
    order = sorted(range(len(places)), key=lambda n: places[n])
    for before, after in pairwise(order):
        found[after] = max(found[after], found[before] + 13)
    return found


def _nines(share: float) -> str:
    return f"p{share * 100:g}" if share else "min"


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _steps(points: Sequence[tuple[float, float]], end: float) -> str:
    text = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for x, y in points[1:]:
        text += f"H{x:.1f}V{y:.1f}"
    return f"{text}H{end:.1f}"


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    return Markup('<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>').format(
        kind, x1, y1, x2, y2
    )


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> Markup:
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(
        kind, x, y, anchor, text
    )


def _svg(parts: Sequence[Markup], height: float) -> Markup:
    return Markup('<svg class="plot" viewBox="0 0 {} {:.0f}" aria-hidden="true">{}</svg>').format(
        WIDTH, height, Markup("").join(parts)
    )
