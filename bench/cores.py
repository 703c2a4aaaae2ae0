"""Which core serves and which one asks: two that share nothing where the machine has them."""

from __future__ import annotations

import os
from dataclasses import dataclass

from eureka_tck.errors import CannotRun


@dataclass(frozen=True, slots=True)
class Cores:
    """The numbers of the two cores."""

    server: int
    generator: int


def choose() -> Cores:
    """Return the first and the last core this process may use."""
    if not hasattr(os, "sched_getaffinity"):
        raise CannotRun("the bench pins processes to cores, and this system cannot (Linux can).")
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:  # noqa: PLR2004 - one that serves, one that asks
        raise CannotRun(
            "the bench needs two cores, one that serves and one that asks, "
            f"and this process may use {len(usable)}."
        )
    return Cores(server=usable[-1], generator=usable[0])
