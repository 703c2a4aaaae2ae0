"""
Which form a body has and which one the caller reads:
`Accept`, `Content-Type`, `Accept-Encoding`.

A charset named by either means nothing here: all is UTF-8, both ways.
The reference obeys one in Accept, and then writes question marks for what that charset lacks.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

Format = Literal["json", "xml"]

_ANY = ("*/*", "application/*")
_JSON = "application/json"
_XML = "application/xml"


@lru_cache(maxsize=64)
def accepted_formats(accept: str) -> tuple[Format, ...]:
    """
    Return the formats an Accept header admits, the preferred one first; none at all is a 406.

    JSON goes before XML wherever it is named, whatever the weights, as in the reference.
    Who names neither gets XML first:
    the oldest clients send no Accept at all and read nothing else.
    """
    types = _weighted(accept)
    if not types:
        return ("xml", "json")
    if _JSON in types:
        return ("json", "xml") if _XML in types or any(one in types for one in _ANY) else ("json",)
    if any(one in types for one in _ANY):
        return ("xml", "json")
    return ("xml",) if _XML in types else ()


@lru_cache(maxsize=64)
def content_format(content_type: str) -> Format | None:
    """Return the format a Content-Type names, None for any other than the two."""
    name = content_type.partition(";")[0].strip().lower()
    if name == _JSON:
        return "json"
    return "xml" if name == _XML else None


@lru_cache(maxsize=64)
def accepts_gzip(accept_encoding: str) -> bool:
    """Tell whether an Accept-Encoding names gzip with a weight above 0."""
    return "gzip" in _weighted(accept_encoding)


def _weighted(header: str) -> frozenset[str]:
    """Return the names in a header, lower-cased, without those of weight 0."""
    names = set()
    for part in header.split(","):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        weight = next((p[2:] for p in parameters if p.startswith("q=")), "1")
        if name and weight.strip("0.") != "":
            names.add(name)
    return frozenset(names)
