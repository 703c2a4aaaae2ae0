"""Which format is read, which is written."""

from __future__ import annotations

import pytest

from eureka.wire.negotiation import Format, accepted_formats, accepts_gzip, content_format


@pytest.mark.parametrize(
    ("accept", "formats"),
    [
        ("", ("xml", "json")),
        ("*/*", ("xml", "json")),
        ("application/*;q=0.3", ("xml", "json")),
        ("application/json", ("json",)),
        ("APPLICATION/JSON; charset=utf-8", ("json",)),
        ("application/json, application/*+json", ("json",)),
        ("application/xml;q=0.9, application/json;q=0.5", ("json", "xml")),
        ("application/json, */*", ("json", "xml")),
        ("application/xml", ("xml",)),
        ("application/json;q=0, application/xml", ("xml",)),
        ("text/html", ()),
        ("text/json, json", ()),
    ],
)
def test_formats_an_accept_header_admits(accept: str, formats: tuple[Format, ...]) -> None:
    """JSON where it is named, else XML first; neither is no format at all."""
    assert accepted_formats(accept) == formats


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("application/json", "json"),
        ("Application/JSON;charset=UTF-8", "json"),
        ("application/xml", "xml"),
        ("text/xml", None),
        ("", None),
    ],
)
def test_format_of_a_body(content_type: str, expected: Format | None) -> None:
    """Parameters and case do not matter, any other type is no format."""
    assert content_format(content_type) == expected


@pytest.mark.parametrize(
    ("accept_encoding", "accepted"),
    [
        ("gzip", True),
        ("gzip, deflate", True),
        ("gzip, x-gzip, deflate", True),
        ("GZIP;q=0.1", True),
        ("gzip;q=0", False),
        ("gzip;q=0.000", False),
        ("x-gzip", False),
        ("identity", False),
        ("", False),
    ],
)
def test_gzip_is_given_where_it_is_named(accept_encoding: str, accepted: bool) -> None:
    """A weight of 0 refuses it."""
    assert accepts_gzip(accept_encoding) is accepted
