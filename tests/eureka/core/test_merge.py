"""Two versions of one instance become one, the same whichever side is asked first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from eureka.core.instance import DataCenter, Instance, Key
from eureka.core.merge import Version, digest, merge, same_statement
from eureka.core.revision import NEVER, Revision, Stamp
from eureka.core.status import Status

if TYPE_CHECKING:
    from tests.eureka.conftest import Builder

EARLY, LATE = Stamp(10, "b"), Stamp(20, "a")
STATUSES = st.sampled_from(list(Status))
STAMPS = st.sampled_from([NEVER, EARLY, LATE])
VERSIONS = st.builds(
    lambda dirty_ms, status, override, metadata, data, overridden: Version(
        Instance(
            key=Key("CART", "1"),
            host_name="h",
            ip_address="i",
            data_center=DataCenter("MyOwn"),
            dirty_ms=dirty_ms,
            status=status,
            overridden_status=override,
            metadata={"of": metadata},
        ),
        Revision(data, overridden),
    ),
    st.integers(1, 2),
    STATUSES,
    STATUSES,
    st.sampled_from("xy"),
    STAMPS,
    STAMPS,
)


def version(
    instance: Instance, data: Stamp = NEVER, override: Stamp = NEVER, **changes: object
) -> Version:
    """Return a version of an instance."""
    return Version(replace(instance, **changes), Revision(data, override))


@given(one=VERSIONS, other=VERSIONS)
def test_both_sides_end_alike(one: Version, other: Version) -> None:
    """Whoever merges, the outcome is the same, and merging it again changes nothing."""
    outcome = merge(one, other)

    assert same_statement(outcome.instance, merge(other, one).instance)
    assert outcome.revision == merge(other, one).revision
    assert same_statement(merge(outcome, one).instance, outcome.instance)
    assert same_statement(merge(outcome, other).instance, outcome.instance)


@given(one=VERSIONS, other=VERSIONS)
def test_the_newest_t_wins(one: Version, other: Version) -> None:
    """However the stamps are."""
    newest = max(one.instance.dirty_ms, other.instance.dirty_ms)

    assert merge(one, other).instance.dirty_ms == newest


def test_of_equal_t_the_later_stamp_decides_about_data(build: Builder) -> None:
    """A change of metadata keeps T, so its stamp orders it."""
    one = version(build(metadata={"of": "z"}), EARLY)
    other = version(build(metadata={"of": "a"}), LATE)

    assert merge(one, other).instance.metadata == {"of": "a"}


def test_an_override_outlives_a_newer_registration(build: Builder) -> None:
    """Who registered anew did not know of it."""
    overridden = version(
        build(status=Status.OUT_OF_SERVICE, overridden_status=Status.OUT_OF_SERVICE),
        override=EARLY,
    )
    newer = version(build(dirty_ms=200, metadata={"a": "b"}))

    merged = merge(overridden, newer).instance

    assert (merged.status, merged.overridden_status) == (Status.OUT_OF_SERVICE,) * 2
    assert (merged.dirty_ms, merged.metadata) == (200, {"a": "b"})


def test_a_later_removal_beats_an_override_and_the_status_it_forced(build: Builder) -> None:
    """Removed is known; never set is not."""
    overridden = version(
        build(status=Status.OUT_OF_SERVICE, overridden_status=Status.OUT_OF_SERVICE),
        override=EARLY,
    )
    removed = version(build(), override=LATE)

    merged = merge(overridden, removed).instance

    assert (merged.status, merged.overridden_status) == (Status.UP, Status.UNKNOWN)


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ({"status": Status.DOWN}, True),
        ({"overridden_status": Status.DOWN}, True),
        ({"dirty_ms": 101}, True),
        ({"metadata": {"a": "c"}}, True),
        ({"vip_address": "other"}, True),
        ({"updated_ms": 7}, False),
        ({"registered_ms": 7}, False),
        ({"service_up_ms": 7}, False),
    ],
)
def test_a_digest_tells_what_nodes_have_to_agree_about(
    build: Builder, change: dict[str, object], differs: bool
) -> None:
    """The stamps a node puts on a record are its own."""
    instance = build(metadata={"a": "b"})

    assert (digest(instance) != digest(replace(instance, **change))) is differs


def test_the_order_of_metadata_does_not_matter_to_a_digest(build: Builder) -> None:
    """Maps have none."""
    one, other = build(metadata={"a": "1", "b": "2"}), build(metadata={"b": "2", "a": "1"})

    assert digest(one) == digest(other)
