"""
Shapes of charts as SVG text: lines, steps, labels, scales, in a wide and in a narrow frame. Pure.

Both frames stand on the page and its style shows the one that fits, so a phone needs no script.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LINE: Final = 13
"""Units between two lines of small text."""
MOST_POINTS: Final = 600
"""Points of a line that are drawn: more than there are columns to see them in."""
AWAY: Final = 3
"""As many usual distances between two values are a gap, in which there was nothing to see."""
SMALLEST: Final = 0.01
"""ms: where a logarithmic axis of latencies begins, as zero has no place on one."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture's width and margins; in a narrow one titles and labels stand within it."""

    name: str
    width: int
    left: int
    right: int
    is_narrow: bool = False

    @property
    def end(self) -> int:
        """Where the drawing ends on the right."""
        return self.width - self.right

    def x(self, share: float) -> float:
        """Return the place of a share of the axis."""
        return self.left + (self.end - self.left) * min(max(share, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture with its title, its lead, what it says in words, the SVGs, and what marks mean."""

    title: str
    lead: str
    said: str
    svg: Markup
    legend: Sequence[tuple[str, str]] = ()


WIDE: Final = Frame("wide", 960, 150, 110)
NARROW: Final = Frame("narrow", 358, 52, 6, is_narrow=True)
FRAMES: Final = (WIDE, NARROW)


def line(kind: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    """Return a straight line."""
    return Markup('<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>').format(
        kind, x1, y1, x2, y2
    )


def text(kind: str, x: float, y: float, words: str, anchor: str = "start") -> Markup:
    """Return words."""
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(
        kind, x, y, anchor, words
    )


def box(kind: str, x: float, y: float, width: float, height: float, said: str = "") -> Markup:
    """Return a rectangle, with a sentence for the pointer where there is one."""
    title = Markup("<title>{}</title>").format(said) if said else Markup()
    return Markup(
        '<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}">{}</rect>'
    ).format(kind, x, y, width, max(height, 0.0), title)


def path(kind: str, points: Sequence[tuple[float, float]], *, closed: bool = False) -> Markup:
    """Return a line through the points, or the area within them."""
    places = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return Markup('<path class="{}" d="M{}{}"/>').format(kind, places, "Z" if closed else "")


def steps(kind: str, points: Sequence[tuple[float, float]], end: float) -> Markup:
    """Return a line whose values hold until the next one, the last to `end`."""
    places = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for x, y in points[1:]:
        places += f"H{x:.1f}V{y:.1f}"
    return Markup('<path class="{}" d="{}H{:.1f}"/>').format(kind, places, end)


def svg(frame: Frame, height: float, parts: Sequence[Markup]) -> Markup:
    """Return the whole picture."""
    return Markup(
        '<svg class="plot {}" viewBox="0 0 {} {:.0f}" aria-hidden="true">{}</svg>'
    ).format(frame.name, frame.width, height, Markup("").join(parts))


def thinned(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """Return the points, or of many the least and the largest of each stretch, in their order."""
    if len(points) <= MOST_POINTS:
        return points
    kept, each = [], math.ceil(2 * len(points) / MOST_POINTS)
    for first in range(0, len(points), each):
        part = points[first : first + each]
        least = min(part, key=lambda point: point[1])
        largest = max(part, key=lambda point: point[1])
        kept += sorted({least, largest})
    return kept


def stretches(
    points: Sequence[tuple[float, float]], end: float
) -> list[tuple[Sequence[tuple[float, float]], float]]:
    """Return the stretches in which there were values, and where each ends: gaps are no values."""
    gaps = sorted(late[0] - early[0] for early, late in pairwise(points))
    usual = gaps[len(gaps) // 2] if gaps else end
    found, first = [], 0
    for place in range(1, len(points) + 1):
        is_last = place == len(points)
        if is_last or points[place][0] - points[place - 1][0] > AWAY * usual:
            after = points[place - 1][0] + AWAY * usual
            found.append((points[first:place], end if after >= end else after - usual))
            first = place
    return found


def apart(places: Sequence[float]) -> list[float]:
    """Return the places of labels, moved so that none lies on another."""
    found = list(places)
    order = sorted(range(len(places)), key=lambda n: places[n])
    for before, after in pairwise(order):
        found[after] = max(found[after], found[before] + LINE)
    return found


def decades(values: Sequence[float]) -> tuple[int, int]:
    """Return the powers of ten between which the values lie, at least one apart."""
    low = math.floor(math.log10(max(min(values), SMALLEST)))
    return low, max(low + 1, math.ceil(math.log10(max(*values, SMALLEST))))


def logarithmic(low: int, high: int, top: float, height: float) -> Callable[[float], float]:
    """Return the scale that puts ten to `low` at the bottom and ten to `high` at the top."""
    return lambda value: (
        top
        + height
        * (1 - (min(max(math.log10(max(value, SMALLEST)), low), high) - low) / (high - low))
    )


def ticks(end: float, most: int) -> list[float]:
    """Return instants for an axis from 0 to `end`, at most so many."""
    every = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)
    step = next((one for one in every if end / one <= most), 4 * 3600)
    return [float(step * n) for n in range(int(end // step) + 1)]


def figure(value: float) -> str:
    """Say a value with the digits that a reader needs."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004 - digits to show


def power_of_ten(ten_to: int) -> str:
    """Say a power of ten of ms: "10 ms", "1 s"."""
    seconds = ten_to - 3
    return f"{10.0**ten_to:g} ms" if seconds < 0 else f"{10.0**seconds:g} s"


def ms(value: float) -> str:
    """Say a duration that is given in ms: "412 ms", "1.52 s", "4.7 ms"."""
    if value >= 1000:  # noqa: PLR2004 - a second
        return f"{value / 1000:.3g} s"
    return f"{value:.0f} ms" if value >= 100 else f"{value:.1f} ms"  # noqa: PLR2004 - digits
