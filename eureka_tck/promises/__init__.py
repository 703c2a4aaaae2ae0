"""
Promises: what a registry must keep whatever happens to it, as pure functions over a history.

They read no file, no clock and no registry, so that a history can be judged again years later.
To add one: a module with a function of this shape, and its entry in `PROMISES`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.promises.cancelled import cancelled_stays_gone
from eureka_tck.promises.clients import client_copies_follow
from eureka_tck.promises.convergence import peers_converge
from eureka_tck.promises.dead import dead_instances_go
from eureka_tck.promises.divergence import no_divergence_without_cause
from eureka_tck.promises.eviction import no_live_instance_is_evicted
from eureka_tck.promises.judgement import Judgement, Promise
from eureka_tck.promises.linear import replication_is_linear
from eureka_tck.promises.newest import newest_write_wins
from eureka_tck.promises.overrides import overrides_survive
from eureka_tck.promises.protection import protection_follows_renewals
from eureka_tck.promises.reads import reads_are_answered
from eureka_tck.promises.restarted import restarted_node_serves_all
from eureka_tck.promises.share import no_run_evicts_too_many

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
    promise.__name__: promise
    for promise in (
        no_live_instance_is_evicted,
        peers_converge,
        no_divergence_without_cause,
        cancelled_stays_gone,
        dead_instances_go,
        newest_write_wins,
        overrides_survive,
        no_run_evicts_too_many,
        protection_follows_renewals,
        replication_is_linear,
        restarted_node_serves_all,
        client_copies_follow,
        reads_are_answered,
    )
}
"""Every promise by its name, in the order in which pages list them."""


def judge(history: History, names: Iterable[str]) -> tuple[Judgement, ...]:
    """Return the judgement of each named promise."""
    return tuple(PROMISES[name](history) for name in names)
