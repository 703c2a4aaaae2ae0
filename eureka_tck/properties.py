"""
Settings in Java's notation, an application.properties: `name = value`, with escapes.

Knows the notation, not one setting.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eureka_tck.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def read_properties(text: str, source: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values of a file; SettingsError names the source and the line."""
    for number, line in _logical_lines(text.splitlines()):
        found = re.match(r"((?:\\.|[^\\=:\s])+)\s*[=:\s]?\s*(.*)", line, re.DOTALL)
        if found is None:
            raise SettingsError(f"{source}: line {number} is {line!r}, but it must be name=value.")
        yield _unescape(found[1]), _unescape(found[2])


def as_properties(settings: Mapping[str, str]) -> str:
    """Return the settings as an application.properties."""
    return "".join(f"{_escape(k, ' :=')}={_escape(v, '')}\n" for k, v in sorted(settings.items()))


def _logical_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers, continued ones joined."""
    joined, start = "", 0
    for number, line in enumerate(lines, 1):
        stripped = line.lstrip()
        if not joined and (not stripped or stripped[0] in "#!"):
            continue
        start = start if joined else number
        joined += stripped
        if re.search(r"(?<!\\)(\\\\)*\\$", joined):
            joined = joined[:-1]
            continue
        yield start, joined
        joined = ""
    if joined:
        yield start, joined


def _unescape(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else ESCAPES.get(match[2], match[2])

    units = re.sub(r"\\(?:u([0-9a-fA-F]{4})|(.))", plain, text, flags=re.DOTALL)
    return units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escape(text: str, special: str) -> str:
    """Return the text as a properties file says it, in ASCII: Java reads those as Latin-1."""
    backwards = {value: key for key, value in ESCAPES.items()}
    written = []
    for index, char in enumerate(text):
        if char in backwards:
            written.append(f"\\{backwards[char]}")
        elif char == "\\" or char in special or (index == 0 and char in " #!"):
            written.append(f"\\{char}")
        elif char.isascii():
            written.append(char)
        else:
            units = char.encode("utf-16-be")
            written.extend(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
    return "".join(written)
