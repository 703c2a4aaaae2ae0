"""
Chapter 15, starting: what a registry copies from its peers, and what it says until it has.

The tests read recordings of profile `copy`: the node is started beside peers that are ours
(`eureka_tck.observe.copying`), and, for SYNC-05, of `mesh`: a node is killed and comes back empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.observe.traffic import COMPLETE_WITHIN
from eureka_tck.verdict import Inconclusive, NotApplicable, expect, requirement

if TYPE_CHECKING:
    from eureka_tck.observe.copying import Copied, Hopeless, Large
    from eureka_tck.observe.traffic import Comeback

NEEDS = {"settings", "peers", "counters"}


# SYNC-01, SYNC-02, SYNC-06: what is copied


@requirement("SYNC-01", profile="copy", needs=NEEDS, seconds=20)
@pytest.mark.parametrize("name", ["up-0", "up-5", "told", "lifted"])
def test_a_node_copies_what_its_first_answering_peer_holds(start: Copied, name: str) -> None:
    """Once it has opened it holds the instances of the second peer; the first one refuses."""
    expect(f"the instance {name} of the peer", start.records[name]).is_present()


@requirement("SYNC-01", profile="copy", needs=NEEDS, seconds=20)
def test_a_node_expects_what_it_has_copied(start: Copied) -> None:
    """Nine instances copied make a threshold of int(9 × 2 × 0.85), all twelve one of 20."""
    if start.held not in {9, 12}:
        raise Inconclusive(f"{start.held} instances were copied, neither all nor all that are UP.")

    expect(f"the threshold of a node that copied {start.held}", start.threshold).equals(
        {9: 15, 12: 20}[start.held], because=f"int({start.held} × 2 × 0.85)"
    )


@requirement("SYNC-02", profile="copy", needs=NEEDS, seconds=20)
@pytest.mark.parametrize(
    ("name", "status", "override"),
    [
        ("up-0", "UP", "UNKNOWN"),
        ("lifted", "UP", "UP"),
        ("down", "DOWN", "UNKNOWN"),
        ("starting", "STARTING", "UNKNOWN"),
        ("out", "OUT_OF_SERVICE", "OUT_OF_SERVICE"),
    ],
)
def test_the_copy_keeps_statuses_and_overrides(
    start: Copied, name: str, status: str, override: str
) -> None:
    """What is copied has the status and the override that it has at the peer."""
    record = start.records[name]
    if record is None:
        raise NotApplicable(f"the instance {name} is not copied at all, which SYNC-06 judges.")

    expect(f"status and override of {name}", (record.status, record.overridden_status)).equals(
        (status, override)
    )


@requirement("SYNC-02", profile="copy", needs=NEEDS, seconds=20)
def test_the_copy_keeps_metadata(start: Copied) -> None:
    """Metadata are copied with the instance."""
    record = start.records["told"]

    expect("the metadata of the instance", record and record.user_metadata).equals(
        {"colour": "blue"}
    )


@requirement("SYNC-06", profile="copy", needs=NEEDS, seconds=20)
@pytest.mark.parametrize("name", ["down", "starting", "out"])
def test_the_copy_includes_what_is_not_up(start: Copied, name: str) -> None:
    """Instances that are DOWN, STARTING or out of service are copied like the others."""
    expect(f"the instance {name} of the peer", start.records[name]).is_present()


# SYNC-08: leases


@requirement("SYNC-08", profile="copy", needs=NEEDS | {"stamps"}, seconds=20)
def test_a_copied_lease_is_fresh(start: Copied) -> None:
    """A lease that began an hour ago at the peer begins anew here, with its own duration."""
    record = start.records["short"]
    if record is None:
        raise Inconclusive("the instance was not copied, so its lease is not known.")

    age = (record.leased.registered_ms - start.started_ms) / 1000
    expect("the time from the node's start to the lease's begin", age).is_at_least(-1.0)
    expect("the duration of the lease", record.leased.duration).equals(10)


@requirement("SYNC-08", profile="copy", needs=NEEDS | {"stamps"}, seconds=20)
def test_a_copied_lease_runs_out_after_its_duration(start: Copied) -> None:
    """Not renewed, a lease of 10 s is evicted 10 s after the copy."""
    record = start.records["short"]
    if record is None:
        raise Inconclusive("the instance was not copied, so its lease does not run.")

    expect("the instant of its eviction", start.evicted_ms).is_more_than(0, because="it ran out")
    lived = (start.evicted_ms - record.leased.registered_ms) / 1000
    expect("the time from the copy to the eviction", lived).is_between(9.9, 13.0, margin=1.0)


# SYNC-03, SYNC-07, SYNC-09: nobody to copy from


@requirement("SYNC-03", profile="copy", needs=NEEDS, seconds=15)
def test_a_node_opens_when_its_peers_are_all_down(hopeless: Hopeless) -> None:
    """Three tries 2 s apart take 4 s; 6 s more are for what a start costs on a busy machine."""
    expect("the time from its first answer until it opened", hopeless.took).is_at_most(
        10.0, because="(3 - 1) × 2 s, and 6 s for a busy machine", margin=2.0
    )


@requirement("SYNC-03", profile="copy", needs=NEEDS, seconds=15)
def test_a_node_without_peers_serves(hopeless: Hopeless) -> None:
    """Once it has opened it lists, registers, and reads what it has registered."""
    expect("the statuses of list, registration and read", list(hopeless.serves)).equals(
        [200, 204, 200]
    )


@requirement("SYNC-07", profile="copy", needs=NEEDS, seconds=15)
def test_lists_are_refused_until_the_copy_is_made_or_given_up(hopeless: Hopeless) -> None:
    """While the node still tries to copy, no list read is answered 200."""
    if not hopeless.early:
        raise Inconclusive("the node had opened before a list could be read.")

    expect("the set of statuses of list reads meanwhile", set(hopeless.early)).lacks(200)


@requirement("SYNC-09", profile="copy", needs=NEEDS, seconds=15)
def test_what_was_registered_before_opening_is_not_expected(hopeless: Hopeless) -> None:
    """
    With some registered before it, the count at opening is that of the copy: the seed of 1.

    A registration that is answered after the count was set is one more client, rightly: a JVM's
    first answers take seconds, so one may fall into the opening.
    """
    if not hopeless.registered:
        raise Inconclusive("the node took no registration before it opened.")
    if hopeless.straddling:
        raise Inconclusive(
            f"{hopeless.straddling} of {hopeless.registered} registrations were answered when the "
            "node was about to open: it may have counted them.",
            late=True,
        )

    expect("the threshold at opening", hopeless.threshold).equals(1, because="int(1 × 2 × 0.85)")


# SYNC-04: the first list


@requirement("SYNC-04", profile="copy", needs=NEEDS, seconds=15)
def test_the_first_list_after_a_start_is_complete(large: Large) -> None:
    """The first list that each of four readers is given holds all 3000 instances of the peer."""
    expect("the size of the smallest first list", min(large.first.values())).equals(3000)


# SYNC-05: without a copy


@requirement(
    "SYNC-05", profile="mesh", needs={"settings", "peers", "kill"}, seconds=35, depth="full"
)
def test_a_node_that_comes_back_empty_is_complete_soon(comeback: Comeback) -> None:
    """Renewals that its peers pass on, and that it answers 404, bring everything back."""
    expect("the list of what it lacks", comeback.missing).is_absent()
    expect("the time from its first answer until it held all", comeback.seconds).is_at_most(
        COMPLETE_WITHIN, because="R + 2 × 0.5 s + a time-out of 3 s + 1 s", margin=1.0
    )
