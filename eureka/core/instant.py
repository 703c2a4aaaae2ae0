"""A moment as the registry sees it: two times that are never mixed."""

from __future__ import annotations

import msgspec


class Instant(msgspec.Struct, frozen=True, gc=False):
    """Monotonic seconds decide about leases; epoch milliseconds only stamp what is shown."""

    monotonic: float
    epoch_ms: int
