"""
How a call ended that got no answer, from the exceptions of four libraries.

`requests` wraps urllib3, which wraps http.client, which wraps sockets; the one that says what
happened lies at some depth of the chain. This file knows that chain and nobody else does.
"""

from __future__ import annotations

import http.client
import ssl
import zlib
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import requests
from urllib3 import exceptions as urllib3_says

from eureka_tck.wire.errors import Ending  # noqa: TC001 - the table below is annotated with it


class TooLargeError(ValueError):
    """The answer goes beyond the budget of bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"its body is larger than {limit:,} bytes")


def ending(why: BaseException, seconds: float) -> tuple[Ending, str]:
    """Return how it ended, as a word and as a phrase; `seconds` is the budget it had."""
    chain = list(_chain(why))
    for kinds, word, phrase in _SIGNS:
        for link in chain:
            if isinstance(link, kinds):
                return word, phrase(link, seconds)
    return "unreachable", f"the connection failed: {chain[-1]}"


def _chain(why: BaseException) -> Iterator[BaseException]:
    """Yield the exception and all it was made from, the outermost first."""
    waiting, seen = [why], set[int]()
    while waiting:
        link = waiting.pop(0)
        if id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        inner = (*link.args, getattr(link, "reason", None), link.__cause__, link.__context__)
        waiting += [each for each in inner if isinstance(each, BaseException)]


def _itself(link: BaseException, _seconds: float) -> str:
    return str(link)


def _cut_short(link: BaseException, _seconds: float) -> str:
    # http.client keeps the bytes that came, urllib3 their number
    partial, more = getattr(link, "partial", b""), getattr(link, "expected", None)
    read = len(partial) if isinstance(partial, bytes) else partial
    announced = "" if more is None else f", {more:,} more were announced"
    return f"the connection was closed after {read:,} bytes of the body{announced}"


def _late(_link: BaseException, seconds: float) -> str:
    return f"timed out, not complete after {seconds:g} s"


def _says(phrase: str) -> Callable[[BaseException, float], str]:
    return lambda link, _seconds: phrase.format(link=link, kind=type(link).__name__)


_Kinds: TypeAlias = type[BaseException] | tuple[type[BaseException], ...]
_Phrase: TypeAlias = Callable[[BaseException, float], str]

_SIGNS: Final[tuple[tuple[_Kinds, Ending, _Phrase], ...]] = (
    # the first sign found anywhere in the chain decides, so the special stand before the general
    (TooLargeError, "too large", _itself),
    (zlib.error, "malformed", _says("its gzip body cannot be decompressed: {link}")),
    (ConnectionRefusedError, "refused", _says("the connection was refused")),
    (
        http.client.RemoteDisconnected,
        "closed",
        _says("the connection was closed without an answer"),
    ),
    ((ConnectionResetError, BrokenPipeError), "reset", _says("the connection was reset")),
    (urllib3_says.NameResolutionError, "unreachable", _says("its host is not known")),
    (urllib3_says.InvalidChunkLength, "malformed", _says("a chunk of its body has no length")),
    (http.client.IncompleteRead, "closed", _cut_short),
    ((TimeoutError, urllib3_says.TimeoutError, requests.Timeout), "timed out", _late),
    (ssl.SSLError, "unreachable", _says("TLS was not agreed: {link}")),
    (http.client.HTTPException, "malformed", _says("what came is not HTTP: {kind}: {link}")),
    (
        urllib3_says.ProtocolError,
        "closed",
        _says("the connection was closed in the middle of a chunked body"),
    ),
    (ValueError, "malformed", _says("what came is not HTTP: {link}")),
)
