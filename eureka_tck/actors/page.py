"""What a status page says of replicas, as a person reads it: the text beside a caption."""

from __future__ import annotations

import html
import re

_CAPTION = re.compile(r"(?<!un)\bavailable-replicas\b(.*?)(?=\b[a-z]+-replicas\b|\Z)", re.DOTALL)


def replicas(page: str) -> frozenset[str]:
    """Return the URLs that a page lists as available replicas, none where it has no such list."""
    text = html.unescape(re.sub(r"<[^>]*>", " ", page))
    found = _CAPTION.search(text)
    return frozenset(re.findall(r"https?://[^\s,]+", found[1])) if found else frozenset()
