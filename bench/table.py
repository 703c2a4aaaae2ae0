"""The table, for eyes and for programs."""

from __future__ import annotations

import msgspec

from bench.trial import Result


class Document(msgspec.Struct, frozen=True):
    """A whole bench as JSON."""

    schema: int
    at: str
    machine: dict[str, str]
    quick: bool
    met: bool
    rows: list[Result]
    not_measured: dict[str, str]
    """Rows without a figure, and why."""


def header() -> str:
    """Return the first two lines."""
    line = _line("row", "what against what", "goal", "then", "ratio", "spread", "ours", "theirs")
    return f"{line}\n{'-' * len(line)}"


def line(result: Result) -> str:
    """Return the line of a row."""
    sign = "≥" if result.direction == "at least" else "≤"
    text = _line(
        result.name,
        f"{result.what} | {result.against}",
        f"{sign} {result.goal:.3g}",
        f"{sign} {result.second:.3g}",
        f"{result.ratio:.3g}",
        f"{result.spread:.0%}",
        f"{_figure(result.ours)} {result.unit}".rstrip(),
        f"{_figure(result.theirs)} {result.unit}".rstrip(),
    )
    second = ", second goal too" if result.verdict == "met" and result.reaches_second else ""
    return f"{text}  {result.verdict}{second}"


def _line(*cells: str) -> str:
    widths = (12, 88, 8, 8, 7, 6, 12, 12)
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004 - three digits
