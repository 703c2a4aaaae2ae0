"""Words for what was found: names and beginnings of sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def listed(names: Sequence[str], most: int = 4) -> str:
    """Return names as prose: "a, b and c", cut after `most` with the number of those left out."""
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else "none"


def at_nodes(names: Sequence[str]) -> str:
    """Return "node a", "nodes a and b"."""
    return f"node{'' if len(names) == 1 else 's'} {listed(names)}"


def capital(text: str) -> str:
    """Return the text with its first letter large, as a sentence begins."""
    return text[:1].upper() + text[1:]
