"""How a call ended, where no server can provoke it here."""

from __future__ import annotations

from eureka_tck.wire.failure import ending


def test_an_end_nobody_foresaw_keeps_its_own_words() -> None:
    """An error of the network without a sign of its own is told in the system's words."""
    assert ending(OSError(113, "No route to host"), 5.0) == (
        "unreachable",
        "the connection failed: [Errno 113] No route to host",
    )


def test_an_exception_that_contains_itself_is_read_once() -> None:
    """A chain of causes that runs in a circle comes to an end."""
    first, second = OSError("first"), OSError("second")
    first.__cause__, second.__cause__ = second, first

    assert ending(first, 5.0)[0] == "unreachable"
