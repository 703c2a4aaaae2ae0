"""
Registrations in XML, read into the same values as those in JSON.

The parser is expat behind `defusedxml`: a DOCTYPE is refused before anything in it counts, so there
are no entities and nothing is fetched. Depth and number of elements are bounded here, the size
of a body where it comes in. Elements and attributes that mean nothing here are ignored.

A data centre without a class is a plain one, or Amazon's if it is named so: only JSON must say it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol
from xml.etree.ElementTree import ParseError

import msgspec
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from eureka.core.errors import InvalidRequest
from eureka.wire.reading import AMAZON, PLAIN, InstanceBody, read_instance
from eureka.wire.xml_names import unescaped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka.core.instance import Instance

DEEPEST: Final = 64
"""Elements inside each other; a registration needs four."""
MOST: Final = 100_000
"""Elements of a body; 20,000 keys of metadata are read, and what 16 MiB can hold is not kept."""

_BROKEN: Final = (ParseError, ValueError, LookupError)


class _Element:
    """An element: its attributes, its text, and what is inside it."""

    __slots__ = ("attributes", "children", "name", "texts")

    def __init__(self, name: str, attributes: Mapping[str, str]) -> None:
        self.name = name
        self.attributes = attributes
        self.children: list[_Element] = []
        self.texts: list[str] = []

    @property
    def text(self) -> str:
        """What stands in it, byte for byte; blanks between elements inside it do not count."""
        return "".join(self.texts)


class _Tree:
    """What the parser fills: a tree, within bounds."""

    def __init__(self) -> None:
        self.root: _Element | None = None
        self._open: list[_Element] = []
        self._count = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take an opening tag."""
        self._count += 1
        if len(self._open) >= DEEPEST:
            raise InvalidRequest(f"cannot parse the request body: more than {DEEPEST} levels")
        if self._count > MOST:
            raise InvalidRequest(f"cannot parse the request body: more than {MOST} elements")
        element = _Element(name, attributes)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)

    def data(self, text: str) -> None:
        """Take some text."""
        self._open[-1].texts.append(text)

    def end(self, name: str) -> None:  # noqa: ARG002 - the parser's interface
        """Take a closing tag."""
        self._open.pop()

    def close(self) -> _Element | None:
        """Return the root."""
        return self.root


class _Parser(Protocol):
    """What is used of a parser."""

    def feed(self, data: bytes) -> None:
        """Take bytes."""

    def close(self) -> object:
        """End."""


def read_xml_registration(body: bytes, *, arrived_ms: int) -> Instance:
    """Return the instance that a registration's body describes."""
    root = _parse(body)
    if root is None or root.name != "instance":
        raise InvalidRequest("cannot parse the request body: its root is no instance")
    fields = {
        unescaped(child.name): _FIELDS.get(child.name, _leaf)(child) for child in root.children
    }
    return read_instance(msgspec.convert(fields, InstanceBody), arrived_ms=arrived_ms)


def _parse(body: bytes) -> _Element | None:
    tree = _Tree()
    try:
        parser: _Parser = DefusedXMLParser(target=tree, encoding="utf-8", forbid_dtd=True)
        parser.feed(body)
        parser.close()
    except DefusedXmlException as error:
        problem = "cannot parse the request body: a document type is not accepted"
        raise InvalidRequest(problem) from error
    except _BROKEN as error:
        raise InvalidRequest(f"cannot parse the request body: {error}") from error
    return tree.root


def _leaf(element: _Element) -> object:
    return element.text


def _number(element: _Element) -> object:
    """Return a text that is a number; an element without text is as if absent."""
    return element.text.strip() or None


def _port(element: _Element) -> object:
    return {"$": _number(element), "@enabled": element.attributes.get("enabled")}


def _lease_info(element: _Element) -> object:
    return {child.name: child.text.strip() for child in element.children}


def _metadata(element: _Element) -> object:
    return {unescaped(child.name): child.text for child in element.children}


def _data_center(element: _Element) -> object:
    fields: dict[str, object] = {}
    for child in element.children:
        fields[child.name] = _metadata(child) if child.name == "metadata" else child.text
    kind = PLAIN if fields.get("name") != "Amazon" else AMAZON
    fields["@class"] = element.attributes.get("class", kind)
    return fields


_FIELDS: Final = {
    "port": _port,
    "securePort": _port,
    "countryId": _number,
    "lastDirtyTimestamp": _number,
    "leaseInfo": _lease_info,
    "metadata": _metadata,
    "dataCenterInfo": _data_center,
}
