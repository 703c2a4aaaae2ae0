"""Which status an instance has: what it reports, what an operator set, and what it had before."""

from __future__ import annotations

from eureka.core.status import Status

_SERVING = (Status.UP, Status.OUT_OF_SERVICE)


def effective_status(
    reported: Status, *, override: Status, held: Status | None, replicated: bool
) -> Status:
    """
    Return the status that counts, by eureka-core's rules in their order.

    1. A report other than UP and OUT_OF_SERVICE wins: the instance knows best that it cannot serve.
    2. Else the override, if there is one.
    3. Else, for a client's call, an instance that is held as UP or OUT_OF_SERVICE stays so:
       an override may have been lost here that a peer still knows.
    4. Else the report.
    """
    if reported not in _SERVING:
        return reported
    if override is not Status.UNKNOWN:
        return override
    if not replicated and held is not None and held in _SERVING:
        return held
    return reported


def renews_plainly(held: Status, *, override: Status) -> bool:
    """Tell whether a client's renewal leaves this status as it is; it never does UNKNOWN."""
    after = effective_status(held, override=override, held=held, replicated=False)
    return after is held and held is not Status.UNKNOWN
