"""
Eureka's XML, brought into the shape of its JSON, and an instance written as XML.

Reads with `defusedxml`, so a document type, an entity or an external reference is refused;
the standard library only writes.
Names of metadata keys are escaped as XStream does: `__` is `_`, `_-` is `$`, `_.hhhh` any other
character that an element's name cannot hold.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from defusedxml.ElementTree import fromstring

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from xml.etree.ElementTree import Element

    from eureka_tck.wire.sample import Json

BATCH_ROOT: Final = "com.netflix.eureka.cluster.protocol.ReplicationListResponse"
"""The root of a batch's answer in XML, as eureka-core 2.0.6 writes it."""

_ESCAPED = re.compile(r"__|_-|_\.([0-9a-fA-F]{4})")
_ILLEGAL_IN_NAME = re.compile(r"[^\w.\-]|^[\d.\-]", re.ASCII)
_PORTS: Final = ("port", "securePort")
_RENAMED: Final = {"overriddenstatus": "overriddenStatus"}


def as_json_shape(body: bytes) -> dict[str, Json]:
    """Return the document as the JSON answer with the same content; ValueError if it cannot be."""
    root = document(body)
    readers: dict[str, Callable[[Element], Json]] = {
        "instance": _instance,
        "application": _application,
        "applications": _applications,
        BATCH_ROOT: _answers,
    }
    if root.tag not in readers:
        raise ValueError(f"its root is <{root.tag}>, not one of {', '.join(readers)}")
    name = "responseList" if root.tag == BATCH_ROOT else root.tag
    return {name: readers[root.tag](root)}


def document(body: bytes) -> Element:
    """Return the root of any document without a document type; ParseError if it is ill-formed."""
    root: Element = fromstring(body, forbid_dtd=True)
    return root


def unescaped(name: str) -> str:
    """Return the metadata key that an element's name stands for."""

    def meant(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        return "_" if match[0] == "__" else "$"

    return _ESCAPED.sub(meant, name)


def escaped(key: str) -> str:
    """Return the element's name that stands for a metadata key."""
    doubled = key.replace("_", "__").replace("$", "_-")
    return _ILLEGAL_IN_NAME.sub(lambda match: f"_.{ord(match[0]):04x}", doubled)


def instance_xml(fields: Mapping[str, Json]) -> bytes:
    """Return an instance's JSON fields as the body of a registration by XML."""
    root = ET.Element("instance")
    for name, value in fields.items():
        _append(root, name, value)
    written: bytes = ET.tostring(root, encoding="utf-8")
    return written


def _append(parent: Element, name: str, value: Json) -> None:
    if value is None:
        return
    xml_name = "overriddenstatus" if name == "overriddenStatus" else name
    element = ET.SubElement(parent, xml_name)
    if not isinstance(value, dict):
        element.text = _as_text(value)
    elif name in _PORTS:
        element.set("enabled", _as_text(value.get("@enabled", "true")))
        element.text = _as_text(value.get("$", ""))
    else:
        for key, inner in value.items():
            if key == "@class":
                element.set("class", _as_text(inner))
            else:
                _append(element, escaped(key) if name == "metadata" else key, inner)


def _as_text(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _answers(element: Element) -> Json:
    return [_task_answer(child) for child in element.findall("responseList/*")]


def _task_answer(element: Element) -> Json:
    answer: dict[str, Json] = {"statusCode": element.findtext("statusCode", "")}
    if (entity := element.find("responseEntity")) is not None:
        answer["responseEntity"] = _instance(entity)
    return answer


def _applications(element: Element) -> Json:
    shape: dict[str, Json] = {
        child.tag: child.text or "" for child in element if child.tag != "application"
    }
    shape["application"] = [_application(child) for child in element.findall("application")]
    return shape


def _application(element: Element) -> Json:
    return {
        "name": element.findtext("name", ""),
        "instance": [_instance(child) for child in element.findall("instance")],
    }


def _instance(element: Element) -> Json:
    shape: dict[str, Json] = {}
    for child in element:
        if child.tag in _PORTS:
            shape[child.tag] = {"$": child.text or "", "@enabled": child.get("enabled", "true")}
        elif child.tag == "metadata":
            shape["metadata"] = _map(child)
        elif child.tag == "dataCenterInfo":
            shape["dataCenterInfo"] = _data_center(child)
        elif child.tag == "leaseInfo":
            shape["leaseInfo"] = {inner.tag: inner.text or "" for inner in child}
        else:
            shape[_RENAMED.get(child.tag, child.tag)] = child.text or ""
    return shape


def _data_center(element: Element) -> Json:
    shape: dict[str, Json] = {"name": element.findtext("name", "")}
    if (kind := element.get("class")) is not None:
        shape["@class"] = kind
    if (metadata := element.find("metadata")) is not None:
        shape["metadata"] = _map(metadata)
    return shape


def _map(element: Element) -> Json:
    return {unescaped(child.tag): child.text or "" for child in element}
