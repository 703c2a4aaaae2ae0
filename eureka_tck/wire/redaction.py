"""
Taking credentials out of what is kept as evidence.

Owns the list of what counts as one; whatever is recorded passes through here first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from eureka_tck.wire.exchange import BODY_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterable

MASK: Final = "***"
SECRET_HEADERS: Final = frozenset(
    {"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token"}
)
_USER_IN_URL = re.compile(r"(?<=://)[^/\s\"'<>@]+(?=@)")
_SECRET_PARAMETER = re.compile(
    r"(?i)([?&](?:password|passwd|pwd|secret|token|access_token|api_key|apikey)=)[^&\s\"'<>]*"
)


def redacted(text: str) -> str:
    """Return the text with user names, passwords and tokens in its URLs masked."""
    return _SECRET_PARAMETER.sub(rf"\1{MASK}", _USER_IN_URL.sub(MASK, text))


def redacted_headers(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the headers with the values of the secret ones masked."""
    return tuple(
        (name, MASK if name.lower() in SECRET_HEADERS else redacted(value))
        for name, value in headers
    )


def kept_body(body: bytes) -> str:
    """Return a body as the text that is kept: redacted, `BODY_LIMIT` characters, the rest told."""
    # A character has at most four bytes; cutting first keeps a body of megabytes cheap.
    text = redacted(body[: 4 * BODY_LIMIT].decode("utf-8", errors="replace"))
    if len(text) <= BODY_LIMIT and len(body) <= 4 * BODY_LIMIT:
        return text
    return f"{text[:BODY_LIMIT]} … ({len(body):,} bytes in all)"
