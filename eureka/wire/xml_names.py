"""
Names of metadata as names of XML elements, escaped as XStream does in Java's registries:
`_` is `__`, `$` is `_-`, any other character that a name must not have is `_.` and four hex digits
of its UTF-16 code units.

More is escaped than XStream does, which whoever undoes its escapes understands:
`:`, since a reader that knows namespaces takes it for a prefix,
and letters that older parsers refuse.
A name without any character, for which XStream writes no name at all, is a single `_`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

# Letters that every edition of XML 1.0 allows in a name: Latin, Greek, Cyrillic, Kana, Han, Hangul.
# The parsers of many clients know the fourth edition's; what it lacks is escaped, so all can read.
_START: Final = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u0131\u0134-\u013e\u0141-\u0148\u014a-\u017e"
    "\u0391-\u03a1\u03a3-\u03ce\u0401-\u040c\u040e-\u044f\u3041-\u3094\u30a1-\u30fa"
    "\u4e00-\u9fa5\uac00-\ud7a3"
)
_LATER: Final = _START + "\\-.0-9"
_PLAIN: Final = re.compile(f"[{_START}][{_LATER}]*\\Z")
_ILLEGAL_START: Final = re.compile(f"[^{_START}]")
_ILLEGAL: Final = re.compile(f"[^{_LATER}]")
_ESCAPE: Final = re.compile(r"__|_-|(?:_\.[0-9a-fA-F]{4})+")
_NAMELESS: Final = "_"


@lru_cache(maxsize=1024)
def escaped(name: str) -> str:
    """
    Return the name of the element.

    >>> escaped("a b_c")
    'a_.0020b__c'
    """
    if _PLAIN.match(name):
        return name
    if not name:
        return _NAMELESS
    return _ILLEGAL_START.sub(_escape, name[0]) + _ILLEGAL.sub(_escape, name[1:])


def unescaped(name: str) -> str:
    """
    Return what an element's name stands for.

    >>> unescaped("a_.0020b__c")
    'a b_c'
    """
    if "_" not in name:
        return name
    return "" if name == _NAMELESS else _ESCAPE.sub(_unescape, name)


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if character == "_":
        return "__"
    if character == "$":
        return "_-"
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"_.{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _unescape(found: re.Match[str]) -> str:
    escape = found[0]
    if escape == "__":
        return "_"
    if escape == "_-":
        return "$"
    return bytes.fromhex(escape.replace("_.", "")).decode("utf-16-be", "replace")
