"""
Waiting for what a row demands: in vain is a failure, not an accident.

A wait of the clock that runs out of its budget is inconclusive by itself
(the arrangement did not come about). Where the awaited thing is the very thing judged, say so:

    with due("the lease is evicted within one interval of its expiry", margin=2.0):
        cluster.clock.wait_until(gone, within=17.0, what="the renewal to be answered 404")
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from eureka_tck.clock import WaitedInVain
from eureka_tck.verdict.case import current_case
from eureka_tck.verdict.outcome import Inconclusive, RequirementFailed
from eureka_tck.verdict.wording import figure, show

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def due(statement: str, *, margin: float | None = None) -> Iterator[None]:
    """
    Require that what is awaited within the block comes about.

    Args:
        statement: what must happen, as a whole clause: "a renewal registers the instance again".
        margin: what the wait's budget leaves for the harness, in registry seconds;
            where it was later than that, a wait in vain is inconclusive.
    """
    __tracebackhide__ = True
    try:
        yield
    except WaitedInVain as vain:
        case = current_case()
        lateness = case.lateness() if case and margin is not None else 0.0
        waited = figure(float(vain.within), "s")
        if margin is not None and lateness > margin:
            raise Inconclusive(
                f"the harness was {figure(lateness, 's')} late, {figure(margin, 's')} is the "
                f"margin; it waited {waited} in vain for {vain.what}.",
                late=True,
            ) from None
        raise RequirementFailed(
            f"it must be that {statement}; {waited} of waiting for {vain.what} were in vain.",
            expected=statement,
            actual=f"last seen after {waited}: {show(vain.last)}",
        ) from None
