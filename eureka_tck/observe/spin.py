"""
Whether a request is answered, and what it costs once it is answered or given up.

A node on which a request goes on burning is killed at once, and started again for the next one:
it would burn a core for as long as it lives.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol

from eureka_tck.clock import Patience
from eureka_tck.observe.observer import Observer
from eureka_tck.verdict.outcome import Inconclusive
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
QUIET: Final = 0.06
"""Share of a core that is no work. An idle JVM at speed 10 uses 1 %; a spinning thread has its
whole core, or a fifth of one where others compete for it."""
CALM_WITHIN: Final = 3.0
"""Real seconds within which one such window must come; compilers and collectors end before."""
WINDOWS_AT_LEAST: Final = 4
"""Windows that are looked at, however long: a busy Docker engine takes a second to tell the time
that a container has used."""
GLANCES: Final = 5
"""Looks at a node's threads in a window: one that is runnable at each of them is not at rest,
however little of a processor a busy machine gives it."""


class Worker(Protocol):
    """What can be kept busy: a node."""

    def cpu_seconds(self) -> float:
        """Return the processor seconds it has used."""

    def runnable(self) -> frozenset[int]:
        """Return its threads that run or wait for a processor now."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Whether a window of rest came, and the largest share of a core that a window had."""

    rested: bool
    most: float


@dataclass(frozen=True, slots=True)
class Spin:
    """What came of a request: its answer in a word, the real seconds of the fastest, the cost."""

    tape: Tape
    said: str
    seconds: float
    cost: Cost

    @property
    def calm(self) -> bool:
        """Say whether the node came to rest; Inconclusive if it wanted to work and never could."""
        if not self.cost.rested and self.cost.most <= QUIET:
            raise Inconclusive(
                f"a thread of the node waited for a processor for {CALM_WITHIN:g} s of real time: "
                "the machine is too busy to tell work from rest.",
                late=True,
            )
        return self.cost.rested


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
            observer.show(fastest.exchange)
            observer.note(f"{name}: {fastest.said} after {fastest.seconds:.3f} s of real time")
            cost = cost_of(self._node)
            observer.note(
                f"{'at rest' if cost.rested else 'not at rest'}; at most {cost.most:.0%} of a core "
                f"in {WINDOW} s of real time"
            )
            given = (
                f"an idle node, and one request: {method} {path}, {content_type}: {body.decode()}"
            )
            spin = Spin(observer.tape(given), fastest.said, fastest.seconds, cost)
        if not cost.rested or fastest.status is None:
            self._node.kill()
            self._killed = True
        return spin

    def _warm(self, wire: WireClient) -> None:
        """Register and cancel an ordinary instance, so that no first use is measured."""
        fields = sample("SPIN", "warm")
        wire.register(fields)
        wire.batch([{"appName": "SPIN", "id": "warm", "action": "Cancel"}])


def cost_of(
    worker: Worker, *, within: float = CALM_WITHIN, windows: int = WINDOWS_AT_LEAST
) -> Cost:
    """Look at it until it rests for a window, for so many real seconds and windows at least."""
    patience = Patience(within)
    most, looked = 0.0, 0
    while patience.left() or looked < windows:
        looked += 1
        began, before = monotonic(), worker.cpu_seconds()
        wanting = worker.runnable()
        for _ in range(GLANCES):
            Patience(WINDOW).pause(WINDOW / GLANCES)
            wanting &= worker.runnable()
        # The look itself may take long, so the share is that of the time that really passed.
        share = (worker.cpu_seconds() - before) / (monotonic() - began)
        most = max(most, share)
        if share <= QUIET and not wanting:
            return Cost(rested=True, most=most)
    return Cost(rested=False, most=most)
