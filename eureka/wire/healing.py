"""Comparisons between nodes of our own kind, in JSON; what they say is `eureka.core.comparison`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from eureka.core.comparison import Digest, Exchange, Holdings
from eureka.core.errors import InvalidRequest
from eureka.core.merge import DIALECT

if TYPE_CHECKING:
    from eureka.core.comparison import Question, Reply

ANNOUNCEMENT: Final = (b"x-eureka-healing", DIALECT.encode())
"""
On every batch, comparison and answer to a batch: this node compares, in this dialect.
Nodes of another dialect, in the midst of an upgrade, replicate as ever and do not compare.
"""

_encode: Final = msgspec.json.Encoder().encode
_question: Final = msgspec.json.Decoder(Digest | Exchange)
_reply: Final = msgspec.json.Decoder(Holdings | Exchange)
_BROKEN: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def write_message(message: Question | Reply) -> bytes:
    """Return the body of a question or a reply."""
    return _encode(message)


def read_question(body: bytes) -> Question:
    """Return what another node asks."""
    try:
        question: Digest | Exchange = _question.decode(body)
    except _BROKEN as error:
        raise InvalidRequest(f"cannot parse the comparison: {error}") from error
    if isinstance(question, Exchange):
        _check(question)
    return question


def read_reply(body: bytes) -> Reply:
    """Return what another node replied."""
    try:
        reply: Holdings | Exchange = _reply.decode(body)
    except _BROKEN as error:
        raise InvalidRequest(f"cannot parse the reply to a comparison: {error}") from error
    if isinstance(reply, Exchange):
        _check(reply)
    return reply


def _check(exchange: Exchange) -> None:
    """Refuse what no registration could have made."""
    for held in exchange.records:
        key = held.instance.key
        if not key.id or not key.app or key.app != key.app.upper():
            raise InvalidRequest(f"{key} is no instance that could be registered")
