"""Which links a partition cuts."""

from __future__ import annotations

import pytest

from eureka_tck.faults.shape import cut_links, still_joined, told
from eureka_tck.schedules.scenario import Partition


def partition(**said: object) -> Partition:
    """Return a partition about node b."""
    return Partition(name="cut", node="b", at=0, lasts=1, **said)  # type: ignore[arg-type] # a story is told in plain words


@pytest.mark.parametrize(
    ("data", "nodes", "links", "sentence"),
    [
        (partition(), "abc", "b>a b>c a>b c>b", "node b is cut off from its peers"),
        (partition(direction="in"), "abc", "a>b c>b", "what the peers send node b is cut off"),
        (
            partition(shape="halves"),
            "abcd",
            "b>d b>a d>b a>b c>d c>a d>c a>c",
            "nodes b, c are cut off from nodes d, a",
        ),
        (
            partition(shape="halves", direction="out"),
            "abc",
            "b>c b>a",
            "what node b sends nodes c, a is cut off",
        ),
        (
            partition(shape="bridge"),
            "abc",
            "c>a a>c",
            "node c and node a speak to node b only",
        ),
        (
            partition(shape="ring"),
            "abcd",
            "b>d c>a d>b a>c",
            "each node is cut off from all but its two neighbours",
        ),
        (partition(shape="clients"), "abc", "client>b", "node b is cut off from its clients"),
        (
            partition(clients=True),
            "ab",
            "b>a a>b client>b",
            "node b is cut off from its peers, and the node from its clients",
        ),
    ],
    ids=["one", "one-way", "halves", "halves-one-way", "bridge", "ring", "clients", "both"],
)
def test_shape_says_what_is_cut(data: Partition, nodes: str, links: str, sentence: str) -> None:
    """Each shape cuts its links, no other, and says so."""
    assert cut_links(data, tuple(nodes)) == tuple(links.split())
    assert told(data, tuple(nodes)) == sentence


@pytest.mark.parametrize(
    ("cut", "joined"),
    [("a>b b>a a>c c>a", "a"), ("a>b a>c", "abc"), ("a>b b>a", "abc"), ("", "abc")],
    ids=["cut-off", "one-way", "by-the-third", "whole"],
)
def test_way_that_is_left_joins(cut: str, joined: str) -> None:
    """A link that is whole one way joins its ends, and so does a third node."""
    assert still_joined("a", "abc", cut.split()) == frozenset(joined)
