"""
Whether a request is answered, and what it costs once it is answered or given up.

A node on which a request goes on burning is killed at once, and started again for the next one:
it would burn a core for as long as it lives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import Patience
from eureka_tck.observe.observer import Observer
from eureka_tck.wire import raw
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster
    from eureka_tck.node import Node
    from eureka_tck.observe.tape import Tape
    from eureka_tck.wire.client import WireClient

GIVEN_UP: Final = 3.0
"""Real seconds after which we give up; a right answer comes in milliseconds."""

SLOW: Final = 1.0
"""Real seconds above which a question is asked again: a stall of ours or of a JVM passes."""
ASKED_AT_MOST: Final = 3

WINDOW: Final = 0.5
"""Real seconds over which a node's processor time is looked at."""
QUIET: Final = 0.03
"""Processor seconds in a window that are no work: 6 % of a core. An idle JVM at speed 10 uses 1 %;
a spinning thread has its whole core, or a fifth of one where others compete for it."""
CALM_WITHIN: Final = 3.0
"""Real seconds within which one such window must come; compilers and collectors end before."""


@dataclass(frozen=True, slots=True)
class Spin:
    """
    What came of a request: its answer in a word, the real seconds of the fastest one, the cost.

    `calm` says whether the node came to rest afterwards, `busiest` the processor seconds of its
    last window that was looked at.
    """

    tape: Tape
    said: str
    seconds: float
    calm: bool
    used: float


class Spinner:
    """Asks one node questions that may keep it busy for good."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._node: Node = cluster["a"]
        self._killed = False

    def ask(self, name: str, method: str, path: str, content_type: str, body: bytes) -> Spin:
        """Ask, up to three times where it takes long; then see whether the node comes to rest."""
        if self._killed:
            self._node.start()
            self._killed = False
        with Observer(self._cluster) as observer:
            self._warm(observer.wire)
            headers = {"Content-Type": content_type, "Content-Length": str(len(body))}
            data = raw.request(observer.wire, method, path, headers=headers, body=body)
            fastest = raw.speak(observer.wire, data, seconds=GIVEN_UP)
            for _ in range(ASKED_AT_MOST - 1):
                if fastest.status is None or fastest.seconds <= SLOW:
                    break
                again = raw.speak(observer.wire, data, seconds=GIVEN_UP)
                fastest = min(fastest, again, key=lambda answer: answer.seconds)
            observer.note(f"{name}: {fastest.said} after {fastest.seconds:.3f} s of real time")
            calm, used = self._comes_to_rest()
            observer.note(f"{used:.2f} processor s in the last {WINDOW} s of real time")
            given = f"an idle node, and one request: {name}"
            spin = Spin(observer.tape(given), fastest.said, fastest.seconds, calm, used)
        if not calm or fastest.status is None:
            self._node.kill()
            self._killed = True
        return spin

    def _warm(self, wire: WireClient) -> None:
        """Register and cancel an ordinary instance, so that no first use is measured."""
        fields = sample("SPIN", "warm")
        wire.register(fields)
        wire.batch([{"appName": "SPIN", "id": "warm", "action": "Cancel"}])

    def _comes_to_rest(self) -> tuple[bool, float]:
        patience = Patience(CALM_WITHIN)
        used = QUIET
        while patience.left():
            before = self._node.cpu_seconds()
            Patience(WINDOW).pause(WINDOW)
            used = self._node.cpu_seconds() - before
            if used <= QUIET:
                return True, used
        return False, used
