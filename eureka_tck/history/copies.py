"""The copies of the registry that clients hold, each made whole again from what was stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eureka_tck.history.event import Copied

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.history.reader import History


@dataclass(frozen=True, slots=True)
class Copy:
    """What a client told its callers at `at`: the status of each instance it knew of."""

    client: str
    node: str
    at: float
    read_at: float
    present: Mapping[str, str]


def copies(history: History) -> dict[str, tuple[Copy, ...]]:
    """Return the copies of each client in the order of time."""
    known: dict[str, Mapping[str, str]] = {}
    held: dict[str, list[Copy]] = {}
    for event in history.events:
        if not isinstance(event, Copied):
            continue
        now = dict({} if event.whole else known.get(event.client, {}))
        for gone in event.absent:
            now.pop(gone, None)
        now.update(event.present)
        known[event.client] = now
        held.setdefault(event.client, []).append(
            Copy(event.client, event.node, event.at, event.read_at, now)
        )
    return {client: tuple(of_client) for client, of_client in held.items()}
