"""
From an answer's bytes to values; every refusal names the place in the document.

JSON and XML are told apart by the Content-Type, and by the first character where there is none.
XML is brought into JSON's shape first, so one description of the values serves both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar
from xml.etree.ElementTree import ParseError

import msgspec
from defusedxml.common import DefusedXmlException

from eureka_tck.wire.markup import as_json_shape
from eureka_tck.wire.record import Application, Applications, Record, TaskAnswer

if TYPE_CHECKING:
    from eureka_tck.wire.sample import Json

_Value = TypeVar("_Value")

SHOWN: int = 80
"""Characters of an unreadable body that its refusal quotes."""


class UnreadableBodyError(ValueError):
    """The bytes are not the document that was asked for; the text says where and why."""


def read_json(body: bytes) -> Json:
    """Return a JSON document as plain values."""
    try:
        decoded: Json = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise UnreadableBodyError(f"not JSON: {problem}{_beginning(body)}") from problem
    return decoded


def read_instance(body: bytes, content_type: str) -> Record:
    """Return the one instance of a single read or of a refused renewal."""
    document = _document(body, content_type)
    if isinstance(document, dict) and "instance" in document:
        return _convert(document["instance"], Record, "$.instance")
    return _convert(document, Record, "$")  # the entity of a batch answer stands bare


def read_application(body: bytes, content_type: str) -> Application:
    """Return one application."""
    return _convert(_member(body, content_type, "application"), Application, "$.application")


def read_applications(body: bytes, content_type: str) -> Applications:
    """Return a list of applications."""
    return _convert(_member(body, content_type, "applications"), Applications, "$.applications")


def read_batch(body: bytes, content_type: str) -> tuple[TaskAnswer, ...]:
    """Return the answers to the tasks of a batch, in their order."""
    answers = _member(body, content_type, "responseList")
    return _convert(answers, tuple[TaskAnswer, ...], "$.responseList")


def _member(body: bytes, content_type: str, name: str) -> Json:
    document = _document(body, content_type)
    if not isinstance(document, dict) or name not in document:
        raise UnreadableBodyError(f"it has no `{name}` at its root{_beginning(body)}")
    return document[name]


def _document(body: bytes, content_type: str) -> Json:
    if not body.strip():
        raise UnreadableBodyError("it has no body")
    if "xml" not in content_type.lower() and (
        "json" in content_type.lower() or not body.lstrip().startswith(b"<")
    ):
        return read_json(body)
    try:
        return as_json_shape(body)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as problem:
        # LookupError: it declares an encoding that nobody knows
        raise UnreadableBodyError(f"not Eureka's XML: {problem}{_beginning(body)}") from problem


def _convert(document: Json, kind: type[_Value], at: str) -> _Value:
    try:
        # not strict: numbers and flags come as text in XML, and in parts of JSON too
        return msgspec.convert(document, kind, strict=False)
    except (msgspec.ValidationError, RecursionError) as problem:
        raise UnreadableBodyError(f"{problem}, below `{at}`") from problem


def _beginning(body: bytes) -> str:
    shown = body[: 4 * SHOWN].decode("utf-8", errors="replace")[:SHOWN]
    return f"; it begins {shown!r}" if shown else "; it is empty"
