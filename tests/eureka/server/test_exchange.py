"""Requests taken apart."""

from __future__ import annotations

import pytest

from eureka.server.exchange import Request, read_head
from eureka.wire.paths import Target

TARGET = Target("apps")


def test_headers_that_mean_something_are_read() -> None:
    """Several Accept headers are one list; others are ignored."""
    request = read_head(
        "GET",
        TARGET,
        b"a=b",
        [
            (b"accept", b"application/json"),
            (b"accept", b"application/xml"),
            (b"accept-encoding", b"gzip"),
            (b"content-type", b"text/plain"),
            (b"x-eureka-accept", b" COMPACT "),
            (b"x-netflix-discovery-replication", b" true "),
            (b"x-eureka-batch-id", b"7"),
            (b"x-eureka-node-id", b"n"),
            (b"host", b"\xff"),
        ],
    )

    assert request == Request(
        "GET",
        TARGET,
        b"a=b",
        accept="application/json,application/xml",
        accept_encoding="gzip",
        content_type="text/plain",
        compact=True,
        replicated=True,
        batch_id="7",
        sender="n",
    )


@pytest.mark.parametrize("value", [b"True", b"TRUE", b"1", b"false", b""])
def test_only_the_exact_word_makes_a_call_replicated(value: bytes) -> None:
    """In lower case."""
    headers = [(b"x-netflix-discovery-replication", value)]

    assert not read_head("PUT", TARGET, b"", headers).replicated


@pytest.mark.parametrize(
    ("query", "pairs"),
    [
        (b"", {}),
        (b"a=1&b=&c&a=2", {"a": "1", "b": "", "c": ""}),
        (b"k=v+w%2B%20%E2%82%AC", {"k": "v w+ €"}),
        (b"k=%ff&&=x", {"k": "�", "": "x"}),
    ],
)
def test_queries(query: bytes, pairs: dict[str, str]) -> None:
    """The first of repeated names counts, a plus is a blank, a name alone means an empty value."""
    assert Request("GET", TARGET, query).query() == pairs
