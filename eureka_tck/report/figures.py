"""Figures as a reader meets them: durations, sizes and counts, always with their unit."""

from __future__ import annotations

from typing import Final

MINUTE: Final = 60.0
HOUR: Final = 3600.0
PRECISE_BELOW: Final = 10.0
"""Seconds below which a duration is given to the hundredth."""


def duration(seconds: float) -> str:
    """Say a duration: "0.45 s", "12.7 s", "7 min 31 s", "1 h 5 min"."""
    if seconds >= HOUR:
        minutes = round(seconds / MINUTE)
        return f"{minutes // 60:,} h {minutes % 60} min"
    if round(seconds, 1) >= MINUTE:
        whole = round(seconds)
        return f"{whole // 60} min {whole % 60} s"
    return f"{seconds:.2f} s" if seconds < PRECISE_BELOW else f"{seconds:.1f} s"


def size(count: int) -> str:
    """Say a number of bytes in binary units: "24 GiB", "4.0 KiB"."""
    value = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if value < 1024:  # noqa: PLR2004 - the step between binary units
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.3g} {unit}"
        value /= 1024
    return f"{value:.3g} TiB"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Say how many: "1 row", "3 rows", "1,024 rows"."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def listed(parts: list[str]) -> str:
    """Join parts as prose does: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
