"""No credential reaches what is kept."""

from __future__ import annotations

import pytest

from eureka_tck.wire.exchange import BODY_LIMIT
from eureka_tck.wire.redaction import kept_body, redacted, redacted_headers


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param("http://ann:pw@h/", "http://***@h/", id="user-and-password"),
        pytest.param("https://ann@h/", "https://***@h/", id="user"),
        pytest.param("http://h/a@b", "http://h/a@b", id="at-in-path"),
        pytest.param("http://h/?a=1&token=x&b=2", "http://h/?a=1&token=***&b=2", id="token"),
        pytest.param("http://h/?PassWord=x", "http://h/?PassWord=***", id="password-in-any-case"),
        pytest.param("ann@example.org", "ann@example.org", id="mail-address"),
        pytest.param(
            '"http://a:b@h/","http://c:d@i/"', '"http://***@h/","http://***@i/"', id="two"
        ),
    ],
)
def test_credentials_of_a_text_are_masked(text: str, kept: str) -> None:
    """Users, passwords and tokens of URLs are masked wherever they stand; the rest stays."""
    assert redacted(text) == kept


@pytest.mark.parametrize(
    "name",
    ["Authorization", "proxy-authorization", "Cookie", "SET-COOKIE", "X-Api-Key", "x-auth-token"],
)
def test_a_secret_header_is_masked(name: str) -> None:
    """A header that carries a credential is kept with its name only, in whatever case."""
    assert redacted_headers([(name, "secret")]) == ((name, "***"),)


def test_another_header_is_kept() -> None:
    """A header that carries none is kept as it is."""
    assert redacted_headers([("Accept", "*/*")]) == (("Accept", "*/*"),)


def test_a_short_body_is_kept_whole() -> None:
    """A body within the limit is kept to its last character."""
    assert kept_body("é".encode() * BODY_LIMIT) == "é" * BODY_LIMIT


def test_a_long_body_is_cut_and_says_so() -> None:
    """A body beyond the limit ends in its size."""
    assert kept_body(b"x" * 5000) == "x" * BODY_LIMIT + " … (5,000 bytes in all)"


def test_a_huge_body_is_cut_before_it_is_read() -> None:
    """What is kept of a body of megabytes is its beginning."""
    assert kept_body(b"x" * 20_000_000).endswith("x … (20,000,000 bytes in all)")


def test_a_body_that_is_no_text_is_kept_readable() -> None:
    """Bytes that are not UTF-8 are shown as replaced."""
    assert kept_body(b"a\xffb") == "a\ufffdb"
