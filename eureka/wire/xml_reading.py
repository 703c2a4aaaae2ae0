"""
Registrations in XML, read into the same values as those in JSON.

The parser is expat. A DOCTYPE is refused where it begins, before anything in it counts,
so there are no entities and nothing is fetched. Depth, numbers of elements and attributes and the
length of a tag are bounded here, the size of a body where it comes in: a million attributes would
hold up everybody for seconds. Elements and attributes that mean nothing here are ignored.

A data centre without a class is a plain one, or Amazon's if it is named so: only JSON must say it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.parsers import expat

import msgspec

from eureka.core.errors import InvalidRequest
from eureka.wire.reading import AMAZON, PLAIN, InstanceBody, read_instance
from eureka.wire.xml_names import unescaped

if TYPE_CHECKING:
    from eureka.core.instance import Instance

DEEPEST: Final = 64
"""Elements inside each other; a registration needs four."""
MOST: Final = 50_000
"""Elements and attributes of a body; 20,000 keys of metadata are read."""
LONGEST: Final = 64 * 1024
"""Bytes of a tag, a comment or an instruction; texts may be as long as a body."""

_REFUSED: Final = "cannot parse the request body"


class _Element:
    """An element: its attributes (names and values in turn), its text, and what is inside it."""

    __slots__ = ("attributes", "children", "name", "texts")

    def __init__(self, name: str, attributes: list[str]) -> None:
        self.name = name
        self.attributes = attributes
        self.children: list[_Element] = []
        self.texts: list[str] = []

    @property
    def text(self) -> str:
        """What stands in it, byte for byte; blanks between elements inside it do not count."""
        return "".join(self.texts)

    def attribute(self, name: str) -> str | None:
        """Return the value of an attribute."""
        names = self.attributes[::2]
        return self.attributes[2 * names.index(name) + 1] if name in names else None


class _Tree:
    """What the parser fills: a tree, within bounds."""

    def __init__(self) -> None:
        self.root: _Element | None = None
        self._open: list[_Element] = []
        self._count = 0

    def start(self, name: str, attributes: list[str]) -> None:
        """Take an opening tag."""
        self._count += 1 + len(attributes) // 2
        if len(self._open) >= DEEPEST:
            raise InvalidRequest(f"{_REFUSED}: more than {DEEPEST} levels")
        if self._count > MOST:
            raise InvalidRequest(f"{_REFUSED}: more than {MOST} elements and attributes")
        element = _Element(name, attributes)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)

    def data(self, text: str) -> None:
        """Take some text."""
        self._open[-1].texts.append(text)

    def end(self, _: str) -> None:
        """Take a closing tag."""
        self._open.pop()


def read_xml_registration(body: bytes, *, arrived_ms: int) -> Instance:
    """Return the instance that a registration's body describes."""
    root = _parse(body)
    if root is None or root.name != "instance":
        raise InvalidRequest(f"{_REFUSED}: its root is no instance")
    fields = {
        unescaped(child.name): _FIELDS.get(child.name, _leaf)(child) for child in root.children
    }
    return read_instance(msgspec.convert(fields, InstanceBody), arrived_ms=arrived_ms)


def _parse(body: bytes) -> _Element | None:
    tree = _Tree()
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.ordered_attributes = True
    parser.StartDoctypeDeclHandler = _refuse_document_type
    parser.StartElementHandler = tree.start
    parser.EndElementHandler = tree.end
    parser.CharacterDataHandler = tree.data
    try:
        for at in range(0, len(body), LONGEST):
            parser.Parse(body[at : at + LONGEST], False)
            # What the parser is not through with yet is one thing: a long text comes in pieces.
            if min(at + LONGEST, len(body)) - parser.CurrentByteIndex > LONGEST:
                raise InvalidRequest(f"{_REFUSED}: a tag has more than {LONGEST} bytes")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise InvalidRequest(f"{_REFUSED}: {error}") from error
    return tree.root


def _refuse_document_type(*_: object) -> None:
    raise InvalidRequest(f"{_REFUSED}: a document type is not accepted")


def _leaf(element: _Element) -> object:
    return element.text


def _number(element: _Element) -> object:
    """Return a text that is a number; an element without text is as if absent."""
    return element.text.strip() or None


def _port(element: _Element) -> object:
    return {"$": _number(element), "@enabled": element.attribute("enabled")}


def _lease_info(element: _Element) -> object:
    return {child.name: child.text.strip() for child in element.children}


def _metadata(element: _Element) -> object:
    return {unescaped(child.name): child.text for child in element.children}


def _data_center(element: _Element) -> object:
    fields: dict[str, object] = {}
    for child in element.children:
        fields[child.name] = _metadata(child) if child.name == "metadata" else child.text
    kind = PLAIN if fields.get("name") != "Amazon" else AMAZON
    fields["@class"] = element.attribute("class") or kind
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
