"""Lists as gzip: the same bytes for any reader, however much of them was squeezed before."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eureka.server import zipping
from eureka.server.zipping import Zipper, unzipped, zipped_from

PIECES = st.lists(st.binary(max_size=40), min_size=1, max_size=12)


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a few bytes be a group."""
    monkeypatch.setattr(zipping, "LEAST", 50)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(lists=st.lists(PIECES, min_size=1, max_size=4), data=st.data())
def test_any_reader_finds_the_pieces(lists: list[list[bytes]], data: st.DataObject) -> None:
    """Of a first list, and of later ones that share pieces with it in any order."""
    zipper = Zipper()
    known = [piece for pieces in lists for piece in pieces]
    for pieces in lists:
        shared = data.draw(st.lists(st.sampled_from(known), max_size=12))
        for found in (pieces, [*shared, *pieces], [*pieces, *shared]):
            assert gzip.decompress(zipper.zipped(found)) == b"".join(found)
            assert gzip.decompress(zipped_from(found)) == b"".join(found)


def test_what_did_not_change_is_not_squeezed_again() -> None:
    """One piece of ten changes: its group alone is squeezed."""
    zipper = Zipper()
    pieces = [bytes([number]) * 60 for number in range(10)]
    first = zipper.zipped(pieces)
    assert zipper.squeezed == 10

    assert zipper.zipped(pieces) == first
    changed = [*pieces[:4], b"x" * 60, *pieces[5:]]

    assert gzip.decompress(zipper.zipped(changed)) == b"".join(changed)
    assert zipper.squeezed == 11


def test_an_equal_piece_that_is_another_object_is_squeezed_anew() -> None:
    """Identity is all that is looked at; to compare would take as long."""
    zipper = Zipper()
    zipper.zipped([b"a" * 60])

    zipper.zipped([bytes(bytearray(b"a" * 60))])

    assert zipper.squeezed == 2


def test_what_was_zipped_is_unzipped_in_pieces() -> None:
    """Of no more than the size that is asked for."""
    body = bytes(range(256)) * 8

    pieces = list(unzipped(Zipper().zipped([body]), piece=100))

    assert b"".join(pieces) == body
    assert max(map(len, pieces)) <= 100
