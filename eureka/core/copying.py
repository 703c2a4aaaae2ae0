"""The copy of a peer's registry at start: whom to ask next, and when to give up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence


class Ask(msgspec.Struct, frozen=True, gc=False):
    """Ask this peer for all it has."""

    url: str


class Pause(msgspec.Struct, frozen=True, gc=False):
    """Wait so many seconds; then go on."""

    seconds: float


class Finished(msgspec.Struct, frozen=True, gc=False):
    """Open: a peer's registry is copied, or there is nothing to copy."""


Step = Ask | Pause | Finished


class StartUpCopy:
    """
    Rounds over the peers until one of them has instances to give.

    A peer that answers but has none, or is not open itself, is no reason to wait for it:
    when every peer answered so, the whole cluster is starting.
    Peers that do not answer are asked again after a pause.
    """

    def __init__(self, peers: Sequence[str], *, rounds: int, pause: float) -> None:
        self._peers = tuple(peers)
        self._rounds_left = rounds if peers else 0
        self._pause = pause
        self._to_ask: list[str] = []
        self._silent = False
        self._finished = self._rounds_left == 0
        self._paused = True

    def next_step(self) -> Step:
        """Return what to do now."""
        if self._to_ask:
            return Ask(self._to_ask[0])
        if self._finished:
            return Finished()
        if not self._paused:
            self._paused = True
            return Pause(self._pause)
        self._rounds_left -= 1
        self._to_ask = list(self._peers)
        self._silent = False
        return Ask(self._to_ask[0])

    def copied(self) -> None:
        """Tell that the peer asked last had instances, and that they are copied."""
        self._to_ask = []
        self._finished = True

    def nothing(self) -> None:
        """Tell that the peer asked last answered that it has nothing to give."""
        self._answered()

    def silent(self) -> None:
        """Tell that the peer asked last did not answer, or nothing that could be read."""
        self._silent = True
        self._answered()

    def _answered(self) -> None:
        del self._to_ask[0]
        if not self._to_ask:
            self._finished = not self._silent or self._rounds_left == 0
            self._paused = False
