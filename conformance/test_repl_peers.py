"""
Chapter 13, the sending side of replication: odd lists of peers, a full queue, a slow link.

The tests read recordings of profile `peer-odd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.verdict import Inconclusive, expect, requirement

if TYPE_CHECKING:
    from eureka_tck.observe.odd_peers import NewList, OddPeers

NEEDS = {"settings", "peers", "counters"}
RELOADED = NEEDS | {"reload"}


# REPL-11: a full queue


@requirement("REPL-11", profile="peer-odd", needs=NEEDS, seconds=25)
def test_the_queue_for_a_peer_is_bounded(odd_peers: OddPeers) -> None:
    """
    Of 200 changes for a busy peer and a queue of 50 at most 100 come in the end.

    Those of a batch that is on its way when the queue overflows may come beside the 50.
    """
    expect("the number of changes that came", len(odd_peers.kept)).is_at_most(
        100, unit="of 200", because="a queue of 50, and a batch on its way"
    )


@requirement("REPL-11", profile="peer-odd", needs=NEEDS, seconds=25)
def test_a_full_queue_drops_the_oldest(odd_peers: OddPeers) -> None:
    """
    The newest changes come: of the last 45 at most five are missing.

    A batch on its way keeps the places of some, which may be older.
    """
    missing = set(range(155, 200)) - set(odd_peers.kept)

    expect("the number of the newest changes that did not come", len(missing)).is_at_most(
        5, unit="of 45", because="the oldest are dropped"
    )


# REPL-12: a changed list


@requirement("REPL-12", profile="peer-odd", needs=NEEDS, seconds=25)
def test_a_url_listed_twice_counts_once(odd_peers: OddPeers) -> None:
    """The peer is told of one registration once."""
    expect("the tasks for one registration", list(odd_peers.listed_twice)).equals(["Register"])


@requirement("REPL-12", profile="peer-odd", needs=RELOADED, seconds=25)
def test_a_peer_that_is_added_is_told(new_list: NewList) -> None:
    """After the list was changed, and read again, the new peer gets what happens then."""
    expect("the added peer is told of a change", new_list.added).is_true()


@requirement("REPL-12", profile="peer-odd", needs=RELOADED, seconds=25)
def test_a_peer_that_is_removed_is_told_nothing_more(new_list: NewList) -> None:
    """The peer that the list no longer has gets nothing of what happens then."""
    if not new_list.added:
        raise Inconclusive("the changed list was not followed, so nothing was removed.")

    expect("the removed peer is told of a change", new_list.removed).is_false()


@requirement("REPL-12", profile="peer-odd", needs=RELOADED, seconds=25)
def test_an_empty_list_changes_nothing(new_list: NewList) -> None:
    """A list without any peer leaves the one before it in force."""
    if not new_list.added:
        raise Inconclusive(
            "the changed list was not followed, so nobody knows what an empty one does."
        )

    expect("the peer of the list before is told of a change", new_list.emptied).is_true()


# REPL-13, REPL-24: itself


@requirement("REPL-13", profile="peer-odd", needs=NEEDS, seconds=25)
def test_a_url_with_the_nodes_own_host_is_told_nothing(odd_peers: OddPeers) -> None:
    """A peer on the node's own host, at another port, gets no task; another peer got all."""
    expect("the number of tasks that it got", odd_peers.beside).equals(0)


@requirement("REPL-13", profile="peer-odd", needs=NEEDS, seconds=25)
def test_the_url_that_a_node_takes_for_its_own_is_told_nothing(odd_peers: OddPeers) -> None:
    """A peer at the URL of `eureka.server.my-url` gets no task; another peer got all."""
    expect("the number of tasks that it got", odd_peers.own).equals(0)


@requirement("REPL-24", profile="peer-odd", needs=NEEDS, seconds=25)
def test_a_node_does_not_replicate_to_itself_under_another_name(odd_peers: OddPeers) -> None:
    """Of five renewals at most the first reaches the node again: one try may tell it so."""
    expect("the number of renewals that it sent to itself", odd_peers.to_itself).is_at_most(
        1, unit="of 5"
    )


# REPL-18: repeated deliveries


@requirement("REPL-18", profile="peer-odd", needs=NEEDS, seconds=130, depth="full")
def test_a_renewal_delivered_again_counts_once(odd_peers: OddPeers) -> None:
    """One renewal, delivered again since the answers come late, is one at the other node."""
    if odd_peers.delivered < 2:
        raise Inconclusive(
            f"the renewal was delivered {odd_peers.delivered} times, so nothing was repeated."
        )

    expect(
        f"the renewals counted, of one that was delivered {odd_peers.delivered} times",
        odd_peers.counted,
    ).equals(1)
