"""One request of a fleet and its fate."""

from __future__ import annotations

import msgspec

from eureka_tck.fleet.request import Kind


class Call(msgspec.Struct, gc=False):
    """
    One request and its fate: `status` 0 says that no answer came, `problem` why.

    `intended` and `sent` are monotonic seconds. No reference cycle goes through a call.
    """

    kind: Kind
    member: int
    node: int
    intended: float
    wire: bytes
    sent: float = 0.0
    status: int = 0
    body: bytes = b""
    size: int = 0
    problem: str = ""
    resent: bool = False
