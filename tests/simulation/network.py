"""The links between the nodes: what becomes of one request and its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from random import Random

    from tests.simulation.schedule import Fault, Lie, Stream

Fate: TypeAlias = Literal["arrives", "refused", "vanishes"]

REFUSED_AFTER: Final = 0.001  # s


class Network:
    """All links of a cluster, as the faults have made them."""

    def __init__(self, delay: float, chance: Random) -> None:
        self._delay = delay
        self._chance = chance
        self._faults: dict[str, list[Fault]] = {}
        self.bites: dict[str, int] = {}
        """How often something that was sent over a link was not carried as over a sound one."""

    def breaks(self, fault: Fault) -> None:
        """Let a fault begin."""
        for link in fault.links:
            self._faults.setdefault(link, []).append(fault)

    def heals(self, fault: Fault) -> None:
        """Let a fault end."""
        for link in fault.links:
            self._faults[link].remove(fault)

    def passes(self, link: str) -> bool:
        """Tell whether something sent now would certainly arrive, and its answer too."""
        return not any(
            fault.kind in ("cut", "lossy", "reset") for fault in self._faults.get(link, ())
        )

    def one_way(self, link: str, stream: Stream = "requests") -> tuple[Fate, float]:
        """Return whether something sent now arrives, and after how many seconds."""
        delay = self._chance.uniform(0, self._delay)
        for fault in self._faults.get(link, ()):
            if fault.stream not in ("both", stream):
                continue
            if fault.kind == "slow":
                more = fault.amount / (2 if fault.stream == "both" else 1)
                more += self._chance.uniform(-fault.jitter, fault.jitter) if fault.jitter else 0.0
                delay += max(0.0, more)
                self._bit(link)
            elif fault.kind == "reset":
                self._bit(link)
                return "refused", REFUSED_AFTER
            lost = fault.kind == "cut" or (
                fault.kind == "lossy" and self._chance.random() < fault.amount / 2
            )
            if lost:
                self._bit(link)
                vanishes = fault.stream != "both" or self._chance.random() >= 0.5
                return ("vanishes" if vanishes else "refused"), REFUSED_AFTER
        return "arrives", delay

    def copies(self, link: str) -> int:
        """Return how often a request arrives."""
        twice = any(fault.kind == "twice" for fault in self._faults.get(link, ()))
        return 2 if twice and self._chance.random() < 0.5 else 1

    def lie(self, link: str) -> Lie:
        """Return how batches over this link are answered wrongly now, if they are."""
        for fault in self._faults.get(link, ()):
            if fault.kind == "lie":
                return fault.lie
        return ""

    def lied(self, link: str) -> None:
        """Take note that a batch was answered wrongly."""
        self._bit(link)

    def _bit(self, link: str) -> None:
        self.bites[link] = self.bites.get(link, 0) + 1
