"""Hand-written histories: a run of three nodes told in a few lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import pytest
from msgspec.structs import replace

from eureka_tck.history import History
from eureka_tck.history.event import (
    ClockRead,
    Completed,
    Counted,
    Ended,
    Event,
    FaultBegan,
    FaultBit,
    FaultEnded,
    Header,
    Invoked,
    Outcome,
    Sampled,
    Seen,
    Verb,
)

NODES = ("a", "b", "c")
CUT_B = ("a>b", "b>a", "b>c", "c>b")
SETTINGS = {
    "eureka.server.evictionIntervalTimerInMs": "7000",
    "eureka.server.expectedClientRenewalIntervalSeconds": "10",
    "eureka.server.enableSelfPreservation": "true",
    "eureka.server.peerNodeReadTimeoutMs": "3000",
    "eureka.server.useReadOnlyResponseCache": "false",
}
UP = Seen("UP", "UNKNOWN", 1_700_000_000_000, "m1")
SAMPLED_EVERY = 2.0


@dataclass
class Story:
    """
    A run from 0 to `end`; instants are registry seconds.

    Unless something else is told, every instance renews every 10 s at its home with a lease of
    60 s, is shown by every node from its registration on, and all nodes are sampled every 2 s.
    """

    end: float = 400.0
    settings: dict[str, str] = field(default_factory=lambda: dict(SETTINGS))
    events: list[Event] = field(default_factory=list)
    shown: dict[tuple[str, str], list[tuple[float, Seen | None]]] = field(default_factory=dict)
    unread: dict[str, tuple[float, float]] = field(default_factory=dict)
    slow: list[tuple[str, float, float]] = field(default_factory=list)
    ended: bool = True
    _ops: int = 0

    def call(  # noqa: PLR0913 - a call has as many parts as its line in a history
        self,
        at: float,
        node: str,
        verb: Verb,
        instance: str,
        *,
        status: int | None = 200,
        lease: float | None = None,
        interval: float | None = None,
        value: str = "",
        dirty_ms: int | None = None,
    ) -> Self:
        """Tell of one call, which takes 0.1 s; without a status no answer came."""
        self._ops += 1
        op = self._ops
        outcome: Outcome = "unknown" if status is None else "ok" if status == 200 else "refused"
        self.events += [
            Invoked(
                at=at,
                op=op,
                who="fleet",
                node=node,
                verb=verb,
                instance=instance,
                lease=lease,
                interval=interval,
                value=value,
                dirty_ms=dirty_ms,
            ),
            Completed(at=at + 0.1, op=op, outcome=outcome, status=status),
        ]
        return self

    def lives(
        self,
        instance: str,
        home: str,
        since: float = 1.0,
        until: float | None = None,
        lease: float = 60.0,
    ) -> Self:
        """Tell that the instance registers at its home and renews every 10 s, and all show it."""
        self.call(since, home, "register", instance, lease=lease, interval=10.0)
        at = since + 10.0
        while at < (self.end if until is None else until):
            self.call(at, home, "renew", instance)
            at += 10.0
        for node in NODES:
            self.shows(node, instance, since + (0.05 if node == home else 1.0), UP)
        return self

    def dies(
        self, instance: str, registered: float, gone: float | None, lease: float = 5.0
    ) -> Self:
        """Tell that an instance registers at a, never renews, and goes from every node."""
        self.call(registered, "a", "register", instance, lease=lease, interval=10.0)
        for node in NODES:
            self.shows(node, instance, registered + 0.5, UP)
            if gone is not None:
                self.shows(node, instance, gone, None)
        return self

    def shows(self, node: str, instance: str, since: float, seen: Seen | None) -> Self:
        """Tell what a node shows of the instance from an instant on."""
        self.shown.setdefault((node, instance), []).append((since, seen))
        return self

    def cut(  # noqa: PLR0913 - a fault has as many parts as its line in a history
        self,
        began: float,
        ended: float,
        *,
        links: tuple[str, ...] = CUT_B,
        nodes: tuple[str, ...] = (),
        forgets: tuple[str, ...] = (),
        kind: str = "partition",
        bit: bool = True,
        healed: bool = True,
        fault: str = "cut",
    ) -> Self:
        """Tell of a partition, or of another fault by its name."""
        self.events.append(
            FaultBegan(
                at=began,
                fault=fault,
                kind=kind,
                said="node b is cut off",
                links=links,
                nodes=nodes,
                forgets=forgets,
            )
        )
        if bit:
            self.events.append(FaultBit(at=began + 3, fault=fault, proof=("refused",)))
        if healed:
            self.events.append(FaultEnded(at=ended, fault=fault, since=ended - 0.1))
        return self

    def late(self, at: float, seconds: float) -> Self:
        """Tell that the harness was late."""
        self.events.append(ClockRead(at=at, epoch_ms=0, late=seconds))
        return self

    def takes_long(self, node: str, began: float, ended: float) -> Self:
        """Tell that a sample of a node took so long, and tells what the node showed at its end."""
        self.slow.append((node, began, ended))
        return self

    def counts(
        self,
        node: str,
        renewals: int,
        *,
        threshold: int = 153,
        since: float = 5.0,
        until: float | None = None,
        expires: bool = True,
    ) -> Self:
        """Tell what a node's page says every 5 s."""
        at = since
        while at <= (self.end if until is None else until):
            self.events.append(
                Counted(
                    at=at,
                    node=node,
                    threshold=threshold,
                    renewals=renewals,
                    expiration_enabled=expires,
                    self_preservation=True,
                )
            )
            at += 5.0
        return self

    def told(self) -> History:
        """Return the history."""
        header = Header(
            run="0123abcd",
            scenario="story",
            target="told",
            backend="process",
            speed=1,
            seed=1,
            started="",
            command="",
            nodes=NODES,
            settings=dict.fromkeys(NODES, self.settings),
        )
        before_end = [event for event in self.events if event.at <= self.end]
        events = [*before_end, *self._samples(), *([Ended(at=self.end)] if self.ended else [])]
        return History(header, tuple(sorted(events, key=lambda event: event.at)))

    def _samples(self) -> list[Event]:
        found: list[Event] = []
        at = SAMPLED_EVERY
        while at <= self.end:
            found += [
                self._sample(node, at)
                for node in NODES
                if not any(one == node and began < at <= ended for one, began, ended in self.slow)
            ]
            at += SAMPLED_EVERY
        late = [replace(self._sample(node, ended), began=began) for node, began, ended in self.slow]
        return found + late

    def _sample(self, node: str, at: float) -> Sampled:
        began, ended = self.unread.get(node, (0.0, -1.0))
        if began <= at <= ended:
            return Sampled(at=at, began=at - 0.05, node=node, error="refused")
        present: dict[str, Seen] = {}
        for (where, instance), changes in self.shown.items():
            told = sorted((since, order) for order, (since, _) in enumerate(changes))
            last = next((order for since, order in reversed(told) if since <= at - 0.05), None)
            seen = None if last is None else changes[last][1]
            if where == node and seen is not None:
                present[instance] = seen
        return Sampled(at=at, began=at - 0.05, node=node, whole=True, present=present)


@pytest.fixture
def story() -> Story:
    """Return a run in which nothing has happened yet."""
    return Story()


@pytest.fixture
def partition(story: Story) -> Story:
    """
    Return the run that a right registry makes of the partition of node b, from 100 to 240 s.

    30 instances, ten a node; two join at a and at b during the cut and are missing across it until
    1 s after the heal; something that died goes from all nodes before and after.
    """
    for number in range(30):
        story.lives(f"CART/{number:02}", NODES[number % 3], since=1.0 + number / 10)
    story.dies("CANARY/1", registered=20.0, gone=71.0)
    story.cut(100.0, 240.0)
    for instance, home, others in (("CART/new-a", "a", "b"), ("CART/new-b", "b", "ac")):
        story.lives(instance, home, since=120.0)
        for node in others:
            story.shown[node, instance] = [(241.0, UP)]
    return story.dies("CANARY/2", registered=245.0, gone=365.0)
