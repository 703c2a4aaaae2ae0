"""How a value stands in a sentence."""

from __future__ import annotations

import pytest

from eureka_tck.verdict.wording import SHOWN, figure, show


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "nothing"),
        ("", "''"),
        ("UP", "UP"),
        (" two  blanks", "' two  blanks'"),
        (b"\xffa", "�a"),
        (2.0, "2"),
        (2.12345, "2.123"),
        ({"b", "a"}, "a, b"),
        ((), "nothing"),
        ({"a": 1}, "{'a': 1}"),
        ("x" * (SHOWN + 1), "x" * SHOWN + "… (201 characters)"),
    ],
)
def test_values_are_shown_in_one_short_line(value: object, shown: str) -> None:
    """A value in a sentence is short, in one line, and quoted only where it must be."""
    assert show(value) == shown


def test_a_figure_has_its_unit_and_no_empty_decimals() -> None:
    """Figures carry their unit and at most three decimals."""
    assert [figure(3), figure(3.0, "s"), figure(0.12349, "s")] == ["3", "3 s", "0.123 s"]
