"""The command line that asks the same question again: the evidence a reader can run."""

from __future__ import annotations

import base64
import shlex
from typing import TYPE_CHECKING, Final

from eureka_tck.wire.redaction import redacted, redacted_headers

if TYPE_CHECKING:
    from collections.abc import Sequence

BODY_ON_THE_LINE: Final = 8192
"""Bytes of a body that a command line carries; Linux allows 131072 for one argument."""

_OURS: Final = frozenset({"user-agent", "content-length", "connection"})
"""Headers that curl sets by itself, or that say nothing about the question."""


def curl_line(method: str, url: str, headers: Sequence[tuple[str, str]], body: bytes) -> str:
    """Return a shell line that sends this request; credentials are masked."""
    named = {name.lower() for name, _ in headers}
    words = ["curl", "-sS", "-i", "--globoff", "--path-as-is"]
    words += ["--head"] if method == "HEAD" else ["-X", method]
    for name, value in redacted_headers(headers):
        if name.lower() not in _OURS:
            # "name;" is how curl sends a header without a value
            words += ["-H", f"{name}: {value}" if value else f"{name};"]
    words += [word for name in ("Accept", "Content-Type") if name.lower() not in named
              for word in ("-H", f"{name}:")]  # fmt: skip
    feed = ""
    if len(body) > BODY_ON_THE_LINE:
        words += ["--data-binary", "@BODY"]
    elif body:
        text = _as_text(body)
        if text is None:
            feed = f"printf %s {base64.b64encode(body).decode()} | base64 -d | "
            words += ["--data-binary", "@-"]
        else:
            words += ["--data-raw", redacted(text)]
    elif "content-length" in named:
        words += ["--data-raw", ""]
    line = feed + shlex.join([*words, redacted(url)])
    if len(body) > BODY_ON_THE_LINE:
        line += f"  # BODY: a file with the {len(body):,} bytes of the request's body"
    return line


def _as_text(body: bytes) -> str | None:
    """Return the body as text if a command line can carry it unchanged."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
