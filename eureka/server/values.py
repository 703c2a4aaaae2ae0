"""Single values of settings: text to what is meant, or a complaint that says what was expected."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from eureka.server.redaction import redacted

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
    try:
        parts = urlsplit(text)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        # Whatever stands before an @ may be somebody's password.
        raise _refusal("a URL such as http://registry-b:8761/eureka/", text.rpartition("@")[2])
    return text if text.endswith("/") else f"{text}/"


def names(text: str) -> frozenset[str]:
    """Return a set of names that are parted by commas."""
    return frozenset(part.strip() for part in text.split(",") if part.strip())


def choice(*allowed: str) -> Callable[[str], str]:
    """Return a parser of one of some words, in whatever case."""

    def parse(text: str) -> str:
        if text.lower() not in allowed:
            raise _refusal(" or ".join(allowed), text)
        return text.lower()

    return parse


def status(text: str) -> str:
    """Return the status an instance may start with."""
    return choice("up", "down", "starting", "out_of_service")(text).upper()


def readable_file(text: str) -> str:
    """Return the path of a file that can be read."""
    path = text.removeprefix("file:")
    if path.startswith("classpath:"):
        raise ValueError(f"must be a file outside of any jar, but is '{text}'")
    try:
        with Path(path).open("rb"):
            return path
    except OSError as error:
        raise ValueError(
            f"must be a file that can be read, but '{path}': {error.strerror}"
        ) from None


def no_dns(text: str) -> bool:
    """Return False; peers are never looked for in the DNS."""
    if boolean(text):
        raise ValueError("must be false: this server reads its peers from service-url only")
    return False


def pem(text: str) -> str:
    """Return the one type of key store that is read."""
    if text.lower() != "pem":
        raise _refusal("PEM: Java key stores are not read here", text)
    return text


def page_path(text: str) -> str:
    """Return the path of a page on this server."""
    if not text.startswith("/"):
        raise _refusal("a path such as /status", text)
    return text if text == "/" else text.rstrip("/")


def _refusal(expectation: str, text: str) -> ValueError:
    return ValueError(f"must be {expectation}, but is '{redacted(text)}'")
