"""
How much metadata a record may collect.

A registration brings all of its metadata, and no more than a body holds;
but each metadata call adds to what is there, and such calls may come without end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka.core.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_KEYS: Final = 50_000
"""Of one record; one with more could not be read by a peer: as many are read of a body in XML."""


def check_growth(held: Mapping[str, str], merged: Mapping[str, str], *, most: int) -> None:
    """
    Refuse metadata that would be more than `most` bytes, or more than `MOST_KEYS` keys.

    What was registered with more may still be changed, as long as it grows no further.
    """
    if len(merged) > max(MOST_KEYS, len(held)):
        raise InvalidRequest(f"The metadata of an instance may have {MOST_KEYS} keys.")
    size = _size(merged)
    if size > most and size > _size(held):
        raise InvalidRequest(
            f"The metadata of an instance may have {most} bytes, and would have {size}."
        )


def _size(metadata: Mapping[str, str]) -> int:
    """Return the bytes of all keys and values."""
    return len("".join((*metadata, *metadata.values())).encode(errors="replace"))
