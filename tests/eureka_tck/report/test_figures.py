"""Figures as a reader meets them."""

from __future__ import annotations

import pytest

from eureka_tck.report.figures import counted, duration, listed, size


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.00 s"),
        (0.449, "0.45 s"),
        (12.66, "12.7 s"),
        (59.96, "1 min 0 s"),
        (451.0, "7 min 31 s"),
        (3599.7, "60 min 0 s"),
        (3900.0, "1 h 5 min"),
    ],
)
def test_a_duration_has_its_unit(seconds: float, text: str) -> None:
    """Durations are as precise as a reader needs, with units."""
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1536, "1.5 KiB"),
        (24 << 30, "24 GiB"),
        (5 << 40, "5 TiB"),
    ],
)
def test_a_size_is_in_binary_units(count: int, text: str) -> None:
    """Sizes are in powers of 1024, named so."""
    assert size(count) == text


def test_counts_agree_with_their_noun() -> None:
    """One is singular, all else plural, thousands are set apart."""
    assert [counted(count, "row") for count in (0, 1, 1024)] == ["0 rows", "1 row", "1,024 rows"]
    assert counted(2, "entry", "entries") == "2 entries"


def test_a_list_reads_as_prose() -> None:
    """Parts are joined by commas and one "and"."""
    assert [listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == [
        "a",
        "a and b",
        "a, b and c",
    ]
