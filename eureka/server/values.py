"""Single values of settings: text to what is meant, or a complaint that says what was expected."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

Parser = Callable[[str], object]
"""Makes a value of a text, or raises a `ValueError` whose text goes behind the setting's name."""

_LARGEST: Final = 2**63 - 1


def boolean(text: str) -> bool:
    """Return a flag."""
    if text.lower() not in ("true", "false"):
        raise _refusal("true or false", text)
    return text.lower() == "true"


def whole(lowest: int, highest: int = _LARGEST, unit: str = "") -> Callable[[str], int]:
    """Return a parser of whole numbers within limits."""
    limits = f"of {lowest} or more" if highest == _LARGEST else f"from {lowest} to {highest}"

    def parse(text: str) -> int:
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", text) or not lowest <= int(text) <= highest:
            raise _refusal(f"a whole number {limits}{unit}", text)
        return int(text)

    return parse


def milliseconds(lowest: int) -> Callable[[str], float]:
    """Return a parser of durations in milliseconds, that gives seconds."""
    parse = whole(lowest, unit=" (milliseconds)")
    return lambda text: parse(text) / 1000


def seconds(lowest: int) -> Callable[[str], float]:
    """Return a parser of durations in seconds."""
    parse = whole(lowest, unit=" (seconds)")
    return lambda text: float(parse(text))


def share(text: str) -> float:
    """Return a share of the whole."""
    try:
        found = float(text)
    except ValueError:
        raise _refusal("a number from 0 to 1", text) from None
    if not 0 <= found <= 1:
        raise _refusal("a number from 0 to 1", text)
    return found


def url(text: str) -> str:
    """Return the URL of a registry, with a slash at its end."""
    parts = urlsplit(text)
    try:
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise _refusal("a URL such as http://registry-b:8761/eureka/", text)
    return text if text.endswith("/") else f"{text}/"


def _refusal(expectation: str, text: str) -> ValueError:
    return ValueError(f"must be {expectation}, but is '{text}'")
