"""Whatever bytes a registry sends, they are read or refused in words."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eureka_tck.wire.markup import instance_xml
from eureka_tck.wire.reading import (
    UnreadableBodyError,
    read_application,
    read_applications,
    read_batch,
    read_instance,
    read_json,
)
from eureka_tck.wire.sample import Json, sample

if TYPE_CHECKING:
    from collections.abc import Callable

    Reader: TypeAlias = Callable[[bytes, str], object]

# How long an example takes says more about the neighbours on this machine than about a reader.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
READERS = pytest.mark.parametrize(
    "read", [read_instance, read_application, read_applications, read_batch]
)
KINDS = st.sampled_from(["application/json", "application/xml", "text/html", ""])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES: st.SearchStrategy[Json] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
FIELDS = sorted([*sample("A", "1"), "actionType", "overriddenstatus"])


@READERS
@unhurried
@given(body=st.binary(), kind=KINDS)
def test_any_bytes_are_read_or_refused(read: Reader, body: bytes, kind: str) -> None:
    """Bytes at random never leave a reader with anything but its own refusal."""
    with suppress(UnreadableBodyError):
        read(body, kind)


@READERS
@unhurried
@given(
    root=st.sampled_from(["instance", "application", "applications", "responseList", "x"]),
    value=VALUES,
)
def test_any_json_is_read_or_refused(read: Reader, root: str, value: Json) -> None:
    """Any JSON below any root never leaves a reader with anything but its own refusal."""
    with suppress(UnreadableBodyError):
        read(msgspec.json.encode({root: value}), "application/json")


@unhurried
@given(field=st.sampled_from(FIELDS), value=VALUES)
def test_any_field_is_read_or_refused(field: str, value: Json) -> None:
    """An instance with anything in one of its fields is read, or refused in words."""
    with suppress(UnreadableBodyError):
        read_instance(
            msgspec.json.encode({"instance": sample("A", "1") | {field: value}}),
            "application/json",
        )


@pytest.mark.parametrize(
    "body",
    [b"[" * 100_000, b'{"instance":' * 100_000, b'{"instance":{"port":' + b'{"x":' * 100_000],
    ids=["arrays", "objects", "in-a-field"],
)
def test_json_without_a_bottom_is_refused(body: bytes) -> None:
    """Nesting of a hundred thousand levels is refused, not a recursion of ours."""
    with pytest.raises(UnreadableBodyError):
        read_instance(body, "application/json")


@pytest.mark.parametrize(
    "encoding", ["nobody-knows-it", "utf-16", "utf-7"], ids=["unknown", "utf-16", "utf-7"]
)
def test_xml_in_a_strange_encoding_is_refused(encoding: str) -> None:
    """An XML declaration that lies about its encoding is refused in words."""
    body = f"<?xml version='1.0' encoding='{encoding}'?><instance/>".encode()

    with pytest.raises(UnreadableBodyError, match="not Eureka's XML"):
        read_instance(body, "application/xml")


@unhurried
@given(
    metadata=st.dictionaries(
        st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1),
        st.text(st.characters(codec="utf-8", exclude_categories=["C"])),
    )
)
def test_metadata_survive_both_formats(metadata: dict[str, str]) -> None:
    """Metadata read back from our XML and from our JSON are the same."""
    fields = sample("A", "1", metadata={f"k{key}": value for key, value in metadata.items()})
    json_body = msgspec.json.encode({"instance": fields})

    by_json = read_instance(json_body, "application/json").metadata
    by_xml = read_instance(instance_xml(fields), "application/xml").metadata

    assert by_xml == by_json


def test_bytes_that_are_no_json_are_refused() -> None:
    """The plain reader of JSON refuses in the same words."""
    with pytest.raises(UnreadableBodyError, match="not JSON"):
        read_json(b"{" * 100_000)
