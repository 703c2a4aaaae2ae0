"""
What can go wrong between a question to a registry and a value to judge.

    WireError
    ├── NoAnswer      no complete answer came; `kind` says how it ended
    └── Unreadable    an answer came, but its body is not what was asked for

Both carry the recorded exchange, both say in one sentence what happened:
they are what a registry did, so a test may judge them. Neither is an error of the harness.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from eureka_tck.wire.exchange import Exchange

Ending: TypeAlias = Literal[
    "unreachable",  # the host is not known or there is no way to it
    "refused",  # nobody listens
    "reset",  # the connection was torn down
    "closed",  # the connection was closed before the answer was complete
    "timed out",  # the answer was not complete within the budget of seconds
    "too large",  # the answer went beyond the budget of bytes
    "malformed",  # what came is not HTTP, or not the encoding it says
]


class WireError(Exception):
    """The registry gave nothing that can be read; `exchange` is the evidence."""

    def __init__(self, sentence: str, exchange: Exchange) -> None:
        super().__init__(sentence)
        self.exchange = exchange


class NoAnswer(WireError):  # noqa: N818 - it is an observation, not a fault of the harness
    """No complete answer came; `kind` is how it ended, `detail` what was seen of it."""

    def __init__(self, kind: Ending, detail: str, exchange: Exchange) -> None:
        super().__init__(f"{exchange.method} {exchange.url} got no answer: {detail}", exchange)
        self.kind = kind
        self.detail = detail


class Unreadable(WireError):  # noqa: N818 - the same
    """An answer's body is not what it has to be; `detail` names the place."""

    def __init__(self, detail: str, exchange: Exchange) -> None:
        super().__init__(
            f"the answer {exchange.status} to {exchange.method} {exchange.url} cannot be read: "
            f"{detail}",
            exchange,
        )
        self.detail = detail
