"""
Calls that are described by a body: it is read first, then done what it says.

To read a large body takes longer than others should wait, so that is done beside the loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from eureka.server.beside import beside

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from eureka.server.exchange import Request, Response

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Described(Generic[Read]):
    """
    A handler in two steps.

    `read` touches nothing but the request and its body; `act` does what they say;
    `act_slowly` does the same, serving others in between, where it may be very much.
    """

    read: Callable[[Request, bytes], Read]
    act: Callable[[Request, Read], Response]
    act_slowly: Callable[[Request, Read], Awaitable[Response]] | None = None

    def answer(self, request: Request, body: bytes) -> Response:
        """Answer at once."""
        return self.act(request, self.read(request, body))

    async def answer_slowly(self, request: Request, body: bytes) -> Response:
        """Answer while others are served."""
        read = await beside(partial(self.read, request, body), name="body")
        if self.act_slowly is None:
            return self.act(request, read)
        return await self.act_slowly(request, read)
