"""Names of metadata as names of XML elements."""

from __future__ import annotations

import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given, settings
from hypothesis import strategies as st

from eureka.wire.xml_names import escaped, unescaped


@pytest.mark.parametrize(
    ("name", "element"),
    [
        ("zone", "zone"),
        ("management.port", "management.port"),
        ("a b", "a_.0020b"),
        ("a_b", "a__b"),
        ("$a$", "_-a_-"),
        ("1a", "_.0031a"),
        ("-a", "_.002da"),
        ("k:v", "k_.003av"),
        ("<&>", "_.003c_.0026_.003e"),
        ("\u00e9", "\u00e9"),
        ("\u0e01", "_.0e01"),
        ("\U0001f600", "_.d83d_.de00"),
        ("\x00", "_.0000"),
        ("_", "__"),
        ("", "_"),
    ],
)
def test_a_name_is_escaped_as_xstream_does(name: str, element: str) -> None:
    """And back; what XStream has no name for is a single underscore."""
    assert escaped(name) == element
    assert unescaped(element) == name


@settings(deadline=None)  # other work on the machine is no fault
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_name_survives_and_is_legal(name: str) -> None:
    """A parser accepts it, whatever it is."""
    element = fromstring(f"<{escaped(name)}/>")

    assert unescaped(element.tag) == name


@pytest.mark.parametrize("element", ["a_b", "_.zz", "a_.12", "_.d83d"])
def test_what_is_no_escape_is_read_as_it_is(element: str) -> None:
    """Half a character of two code units is none."""
    expected = {"_.d83d": "\ufffd"}
    assert unescaped(element) == expected.get(element, element)
