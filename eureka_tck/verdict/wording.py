"""
The wording of values in sentences: short, in one line, the same in failures, pages and progress.

Their texts are pinned by tests: a stranger reads them in a report without our code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

SHOWN: Final = 200
"""Characters of a value that a sentence shows; the exchange beside it has the rest."""


def show(value: object) -> str:
    """Render a value for a sentence: short, in one line, text without quotes where it is plain."""
    if isinstance(value, float):
        return figure(value)
    if value is None:
        return "nothing"
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if isinstance(value, str):
        text = value if value and not re.search(r"\s{2}|[\n\r\t]|^\s|\s$", value) else repr(value)
    elif isinstance(value, (set, frozenset, list, tuple)):
        text = listed(sorted(value, key=str) if isinstance(value, (set, frozenset)) else value)
    else:
        text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)} characters)"


def listed(values: Iterable[object]) -> str:
    """Render several values, separated by commas; none is `nothing`."""
    return ", ".join(show(value) for value in values) or "nothing"


def figure(value: float, unit: str = "") -> str:
    """Render a figure with its unit: at most three decimals, no trailing zeros."""
    text = f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
    return f"{text} {unit}" if unit else text
