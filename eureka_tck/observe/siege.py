"""
What others notice while somebody sends a registry what is huge, deep or slow.

The attack runs in a thread of its own; meanwhile an ordinary instance renews, again and again.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import Patience
from eureka_tck.verdict.outcome import Inconclusive
from eureka_tck.wire import raw
from eureka_tck.wire.client import JSON, WireClient
from eureka_tck.wire.errors import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.actors.instance import Instance

PACE: Final = 0.05
"""Real seconds between two renewals."""
ATTACK_BUDGET: Final = 30.0
"""Real seconds that one attack may take; a registry that reads 20 MB takes some."""
SLOW_FOR: Final = 3.0
"""Real seconds for which slow senders go on."""
RENEWALS: Final = 5
"""Renewals at least, after the attack where it was over sooner: the node must still serve."""


@dataclass(frozen=True, slots=True)
class Siege:
    """The codes of the renewals made meanwhile, or how they ended, and what the attack got."""

    codes: tuple[str, ...]
    said: str

    @property
    def refused(self) -> list[str]:
        """What was answered otherwise than 200."""
        return [code for code in self.codes if code != "200"]


def besieged(bystander: Instance, attack: Callable[[WireClient], str]) -> Siege:
    """Let the instance renew while the attack is made, on connections of its own, and once more."""
    with ThreadPoolExecutor(1) as thread, WireClientOf(bystander) as client:
        under_way = thread.submit(attack, client)
        codes = [_renewed(bystander)]
        patience = Patience(2 * ATTACK_BUDGET)
        while not under_way.done() and patience.pause(PACE):
            codes.append(_renewed(bystander))
        said = under_way.result(ATTACK_BUDGET)
        while len(codes) < RENEWALS:
            codes.append(_renewed(bystander))
    return Siege(tuple(codes), said)


class WireClientOf:
    """A second client of an instance's registry: recorders are not for two threads."""

    def __init__(self, instance: Instance) -> None:
        registry = instance.registry
        self._client = WireClient(registry.root, base=registry.base)

    def __enter__(self) -> WireClient:
        return self._client

    def __exit__(self, *_: object) -> None:
        self._client.close()


def huge(client: WireClient, data: bytes) -> str:
    """Send it all at once."""
    return raw.speak(client, data, seconds=ATTACK_BUDGET).said


def slow(client: WireClient, beginning: bytes, connections: int) -> str:
    """Begin on so many connections and send a byte now and then on each, never the end."""
    with ExitStack() as stack:
        lines = [
            stack.enter_context(raw.RawConnection(client, seconds=ATTACK_BUDGET))
            for _ in range(connections)
        ]
        begun = sum(line.send(beginning) for line in lines)
        if not begun:
            raise Inconclusive("no slow sender could begin: nothing was learned.")
        patience = Patience(SLOW_FOR)
        while patience.pause(SLOW_FOR / 6):
            for line in lines:
                line.send(b"x")
    return f"{begun} slow senders"


def posting(client: WireClient, app: str, body: bytes, *, declared: int | None = None) -> bytes:
    """Return a registration as bytes; `declared` is the length it claims to have."""
    length = str(len(body) if declared is None else declared)
    headers = {"Content-Type": JSON, "Content-Length": length}
    return raw.request(client, "POST", f"/apps/{app}", headers=headers, body=body)


def _renewed(instance: Instance) -> str:
    try:
        return str(instance.renew().status)
    except NoAnswer as problem:
        return problem.kind
