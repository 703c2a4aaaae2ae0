"""How text reaches a page: visible, escaped, never as markup."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eureka_tck.report.environment import visible, with_code


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext", "plain\n\ttext"),
        ("a\r\nb", "a\nb"),
        ("\x1b[31mred", "⟨U+001B⟩[31mred"),
        ("cart\x00", "cart⟨U+0000⟩"),
        ("evil\u202etxt", "evil⟨U+202E⟩txt"),
        ("half \ud83d", "half ⟨U+D83D⟩"),
        ("ganz 😀 é", "ganz 😀 é"),
    ],
    ids=["plain", "line ends", "escape", "zero", "bidi", "surrogate", "unicode"],
)
def test_what_cannot_be_seen_is_spelt_out(text: str, shown: str) -> None:
    """Controls, direction marks and half characters appear as their code points."""
    assert visible(text) == shown


@given(st.text(st.characters(codec=None)))
def test_visible_text_always_fits_into_xml(text: str) -> None:
    """No text keeps a character that UTF-8 or XML 1.0 forbids."""
    shown = visible(text)

    shown.encode()
    assert all(letter in "\t\n" or letter >= " " for letter in shown)
    assert not {"\ufffe", "\uffff"} & set(shown)


def test_backticks_become_code_and_the_rest_is_escaped() -> None:
    """The catalogue's code is marked up, what stands inside and outside is text."""
    assert with_code("`<b>` & <i> `open") == "<code>&lt;b&gt;</code> &amp; &lt;i&gt; `open"
