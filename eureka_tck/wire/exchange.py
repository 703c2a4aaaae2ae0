"""
One HTTP exchange as it is recorded: the evidence of every verdict.

A value only: whoever makes one has cut the bodies, made them text and removed credentials
(`BODY_LIMIT`).
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

BODY_LIMIT: Final = 4096
"""Characters of a body that are kept; what is cut away is said at its end."""


class Exchange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    A request and what came back; `status` is None where no answer came, `error` then says why.

    `started_at` is in registry seconds since the cluster's birth (None without a cluster),
    `seconds` is real time. Headers are pairs, since one may come twice.
    """

    method: str
    url: str
    request_headers: tuple[tuple[str, str], ...] = ()
    request_body: str = ""
    status: int | None = None
    response_headers: tuple[tuple[str, str], ...] = ()
    response_body: str = ""
    started_at: float | None = None
    seconds: float = 0.0
    error: str | None = None
    curl: str = ""
