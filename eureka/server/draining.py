"""The last words to the peers: what they were not told yet when the server ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka.server.peers import PeerSender

_LOOK: Final = 0.02  # real seconds between two looks


async def drained(senders: Iterable[PeerSender], *, within: float) -> None:
    """
    Wait until every peer that answers was told everything, but no longer than so many real seconds.

    What a failing peer misses it learns by the next renewals; nobody waits for it here.
    """
    senders = list(senders)
    loop = asyncio.get_running_loop()
    end = loop.time() + within
    # Looking is enough for one second in a server's life.
    while any(map(_has_words_left, senders)) and loop.time() < end:  # noqa: ASYNC110 - see above
        await asyncio.sleep(_LOOK)


def _has_words_left(sender: PeerSender) -> bool:
    outbox = sender.outbox
    return outbox is not None and outbox.waiting > 0 and not sender.standing.last_error
