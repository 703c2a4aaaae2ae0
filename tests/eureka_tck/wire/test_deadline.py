"""A socket's time-out, as a deadline."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from eureka_tck.wire.deadline import DeadlineSocket

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def pair() -> Iterator[tuple[DeadlineSocket, socket.socket]]:
    """Give both ends of a connection; ours keeps a deadline of a tenth of a second."""
    ours, theirs = socket.socketpair()
    with DeadlineSocket.around(ours, 0.1) as bounded, theirs:
        yield bounded, theirs


def test_what_came_before_the_deadline_is_read(pair: tuple[DeadlineSocket, socket.socket]) -> None:
    """Within the deadline a read is a read."""
    ours, theirs = pair
    theirs.sendall(b"abc")

    assert ours.recv(3) == b"abc"


def test_nothing_is_read_after_the_deadline(pair: tuple[DeadlineSocket, socket.socket]) -> None:
    """Once the deadline is over even what has arrived is not read."""
    ours, theirs = pair
    with pytest.raises(TimeoutError):
        ours.recv(1)
    theirs.sendall(b"abc")

    with pytest.raises(TimeoutError):
        ours.recv(1)


def test_nothing_is_sent_after_the_deadline(pair: tuple[DeadlineSocket, socket.socket]) -> None:
    """Once the deadline is over nothing is sent either."""
    ours, _ = pair
    with pytest.raises(TimeoutError):
        ours.recv(1)

    with pytest.raises(TimeoutError):
        ours.sendall(b"abc")


def test_a_new_time_out_is_a_new_deadline(pair: tuple[DeadlineSocket, socket.socket]) -> None:
    """Setting the time-out again gives the socket its time back; None takes the bound away."""
    ours, theirs = pair
    with pytest.raises(TimeoutError):
        ours.recv(1)
    theirs.sendall(b"abc")

    ours.settimeout(None)

    assert ours.recv(3) == b"abc"


def test_a_deadline_socket_is_connected_as_before() -> None:
    """Taking a socket over keeps its connection and leaves the plain one empty."""
    plain, other = socket.socketpair()
    with DeadlineSocket.around(plain, 1.0) as bounded, other:
        bounded.sendall(b"abc")

        assert (other.recv(3), plain.fileno()) == (b"abc", -1)
