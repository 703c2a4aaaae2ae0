"""The rows of the table, a module each; a new one is added to `ROWS`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bench.rows import connections, flat, fleet, full_read, memory, peers, renewals, stall

if TYPE_CHECKING:
    from bench.row import Row

ROWS: Final[tuple[Row, ...]] = (
    renewals.AGAINST_JAVA,
    renewals.AGAINST_NGINX,
    full_read.ROW,
    memory.EMPTY,
    memory.FULL,
    flat.ROW,
    peers.ROW,
    connections.ROW,
    fleet.EVENTS,
    fleet.BULK,
    stall.ROW,
    fleet.AT_REST,
    fleet.MEMORY,
)
