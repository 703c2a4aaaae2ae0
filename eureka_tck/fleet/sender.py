"""What a fleet sends, and to which node: the requests of its instances, put on its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.fleet import request
from eureka_tck.fleet.call import Call
from eureka_tck.fleet.lines import Lines
from eureka_tck.fleet.member import RENEWS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eureka_tck.fleet.member import Members
    from eureka_tck.fleet.request import Kind
    from eureka_tck.fleet.storm import Storm

MOST_TURNS_AT_ONCE: Final = 64
"""Turns taken before answers are looked at again, so that these do not wait for a wave to end."""


class Sender:
    """Sends the calls of a storm's instances, each to its own node as long as that is there."""

    def __init__(
        self,
        storm: Storm,
        nodes: Sequence[tuple[str, int]],
        base: str,
        members: Members,
        answered: Callable[[Sequence[Call], float], None],
    ) -> None:
        self._members = members
        self._requests = [request.Requests(storm, _host(host, port), base) for host, port in nodes]
        self.lines = Lines(nodes, max(1, storm.connections // len(nodes)), answered)

    def near(self, member: int) -> int:
        """Return the node that a member turns to now."""
        nodes = len(self._requests)
        return self.lines.node_for(member % nodes) if nodes > 1 else 0

    def renew(self, turns: Sequence[tuple[float, int]], now: float, noticed: list[float]) -> int:
        """
        Send the renewals of these turns, and return how many were missed.

        A turn of a member that does not renew is none; how late each other was noticed goes to
        `noticed`. Where the renewal before is unanswered, it is missed.
        """
        members, lines, requests = self._members, self.lines, self._requests
        state, busy, dirty = members.state, members.busy, members.dirty
        several, node, missed = len(requests) > 1, 0, 0
        renews, kind, made = RENEWS, request.RENEW, requests[0]
        for begin in range(0, len(turns), MOST_TURNS_AT_ONCE):
            if begin:
                lines.wait(0)
            calls = []
            for at, member in turns[begin : begin + MOST_TURNS_AT_ONCE]:
                if not renews[state[member]]:
                    continue
                noticed.append(now - at)
                if busy[member]:
                    missed += 1
                    continue
                busy[member] = 1
                if several:
                    node = self.near(member)
                    made = requests[node]
                calls.append(Call(kind, member, node, at, made.renew(member, dirty[member])))
            lines.send_all(calls)
        return missed

    def read(self, kind: Kind, member: int, at: float) -> None:
        """Send the read of a list."""
        node = self.near(member)
        made = self._requests[node]
        wire = made.full() if kind is request.FULL else made.delta()
        self.lines.send(Call(kind, member, node, at, wire))

    def call(self, kind: Kind, member: int, at: float) -> None:
        """Send a call of an instance that was due at that instant."""
        node = self.near(member)
        made, dirty = self._requests[node], self._members.dirty[member]
        if kind is request.RENEW:
            wire = made.renew(member, dirty)
        elif kind is request.REGISTER:
            wire = made.register(member, dirty)
        elif kind is request.AUDIT:
            wire = made.read(member)
        elif kind is request.CANCEL:
            wire = made.cancel(member)
        else:
            wire = made.status(member) if kind is request.STATUS else made.back(member)
        self.lines.send(Call(kind, member, node, at, wire))


def _host(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
