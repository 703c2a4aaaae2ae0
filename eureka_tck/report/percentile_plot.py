"""
Latencies by percentile: x is log(1/(1-p)), y log ms. Static SVG, complete without script. Pure.

Of one storm the truth is solid, what a paced client would report dashed, the gap between shaded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from eureka_tck.fleet.histogram import percentile_ms
from eureka_tck.report import drawing
from eureka_tck.report.drawing import (
    FRAMES,
    LINE,
    Chart,
    Frame,
    apart,
    line,
    ms,
    power_of_ten,
    text,
)
from eureka_tck.report.environment import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TOP: Final = 22
CURVE: Final = 220
"""Height of the plot."""
NINES: Final = (0.0, 0.5, 0.9, 0.99, 0.999, 0.9999)
STEPS_OF_A_CURVE: Final = 80


@dataclass(frozen=True, slots=True)
class Curve:
    """Latencies by percentile: what they are called, and the class of their line."""

    name: str
    latencies: Mapping[int, int]
    kind: str


def percentiles(
    intended: Mapping[int, int], reported: Mapping[int, int], budgets: Mapping[float, float]
) -> Chart | None:
    """Return the plot of renewals; `budgets` are ms by percentile. None without a renewal."""
    if not intended or not reported:
        return None
    two = (Curve("intended", intended, "s-a"), Curve("as reported", reported, "s-c"))
    worst = percentile_ms(intended, 0.99) or 0.0, percentile_ms(reported, 0.99) or 0.0
    return Chart(
        "Renewals: intended against reported",
        "Solid: from the instant a renewal was due. Dashed: from the instant it was sent, as a "
        "client that paces itself reports it. The shaded gap is what coordinated omission hides.",
        f"p99 of renewals is {worst[0]:.1f} ms from the intended send time "
        f"and {worst[1]:.1f} ms from the actual one.",
        Markup("").join(_curves(frame, two, budgets, has_gap=True) for frame in FRAMES),
    )


def beside(curves: Sequence[Curve], budgets: Mapping[float, float]) -> Chart | None:
    """Return the percentiles of several runs in one plot; None where one has no renewal."""
    if not all(curve.latencies for curve in curves):
        return None
    worst = [
        f"{curve.name}: {percentile_ms(curve.latencies, 0.99) or 0:.1f} ms" for curve in curves
    ]
    return Chart(
        "Renewals by percentile",
        "Both from the intended send time, on a logarithmic scale.",
        f"p99 of renewals, {'; '.join(worst)}.",
        Markup("").join(_curves(frame, curves, budgets, has_gap=False) for frame in FRAMES),
    )


def _curves(
    frame: Frame, curves: Sequence[Curve], budgets: Mapping[float, float], *, has_gap: bool
) -> Markup:
    shares = [1 - 10 ** (-4 * n / STEPS_OF_A_CURVE) for n in range(STEPS_OF_A_CURVE + 1)]
    read = [[percentile_ms(one.latencies, share) or 0.0 for share in shares] for one in curves]
    low, high = drawing.decades([*(value for one in read for value in one), *budgets.values()])
    y = drawing.logarithmic(low, high, TOP, CURVE)

    def x(share: float) -> float:
        return frame.x(-math.log10(max(1 - share, 1e-4)) / 4)

    parts = []
    for power in range(low, high + 1):
        parts.append(line("grid", frame.left, y(10.0**power), frame.end, y(10.0**power)))
        parts.append(text("tk", frame.left - 6, y(10.0**power) + 4, power_of_ten(power), "end"))
    for share in NINES:
        anchor = "end" if frame.is_narrow and share == NINES[-1] else "middle"
        parts.append(text("tk", x(share), TOP + CURVE + 16, _nines(share), anchor))
    places = [
        [(x(share), y(value)) for share, value in zip(shares, one, strict=True)] for one in read
    ]
    if has_gap:
        parts.append(drawing.path("gap", [*places[0], *reversed(places[1])], closed=True))
    parts += [
        drawing.path(curve.kind, one)
        for curve, one in reversed([*zip(curves, places, strict=True)])
    ]
    named = apart([one[-1][1] + 4 for one in places])
    for number, curve in enumerate(curves):
        kind = "tk" if number else "tt"
        if frame.is_narrow:  # within the plot, in its empty corner
            parts.append(_sample(curve.kind, frame.left + 8, TOP + 8 + LINE * number))
            at, height = frame.left + 36, TOP + 12.0 + LINE * number
        else:
            at, height = frame.end + 6, named[number]
        parts.append(text(kind, at, height, visible(curve.name)))
    for share, bound in budgets.items():
        parts.append(
            line("s-ink", x(share) - 16, y(bound), min(x(share) + 16, frame.end), y(bound))
        )
        parts.append(text("tk", x(share), y(bound) - 5, f"budget {ms(bound)}", "middle"))
    return drawing.svg(frame, TOP + CURVE + 26, parts)


def _sample(kind: str, x: float, y: float) -> Markup:
    return line(kind, x, y, x + 22, y)


def _nines(share: float) -> str:
    return f"p{share * 100:g}" if share else "min"
