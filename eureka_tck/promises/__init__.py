"""
Promises: what a registry must keep whatever happens to it, as pure functions over a history.

They read no file, no clock and no registry, so that a history can be judged again years later.
To add one: a module with a function of this shape, and its entry in `PROMISES`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.promises.convergence import peers_converge
from eureka_tck.promises.eviction import no_live_instance_is_evicted
from eureka_tck.promises.judgement import Judgement, Promise

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eureka_tck.history import History

__all__ = [
    "PROMISES",
    "Judgement",
    "Promise",
    "judge",
    "no_live_instance_is_evicted",
    "peers_converge",
]

PROMISES: Final[Mapping[str, Promise]] = {
    promise.__name__: promise for promise in (no_live_instance_is_evicted, peers_converge)
}


def judge(history: History, names: Iterable[str]) -> tuple[Judgement, ...]:
    """Return the judgement of each named promise."""
    return tuple(PROMISES[name](history) for name in names)
