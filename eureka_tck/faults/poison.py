"""
Links that carry badly: slow, narrow, hanging, resetting, broken off after some bytes.

Toxiproxy counts in real time and knows nothing of speed; the data here are in registry seconds.
Its proof is a call over a poisoned link, beside the same call while the link was whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Literal

from eureka_tck.faults.dial import ANSWERED, NO_WAY_THERE, PATIENCE, closing, ending, fastest
from eureka_tck.faults.fault import Fault, mend_all
from eureka_tck.faults.shape import crossing, way

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.links import ToxicHandle
    from eureka_tck.schedules import scenario
    from eureka_tck.workloads.site import Site

TYPES: Final[Mapping[str, str]] = {
    "latency": "latency",
    "bandwidth": "bandwidth",
    "slow-close": "slow_close",
    "timeout": "timeout",
    "reset": "reset_peer",
    "limit-data": "limit_data",
}
"""Toxiproxy's own names."""

SLOWING: Final = frozenset({"latency", "bandwidth"})
"""Those under which a call is answered, only later."""

SHARE: Final = 0.5
"""How much of the delay that follows from the data has to be seen: the rest is the machine's."""

LOAD: Final = b"x" * 16384
"""A body that a narrow link takes long for; no registry can read it as a registration."""


class Poison(Fault):
    """Poisons the links between a node and its peers."""

    kind: ClassVar[str] = "poison"
    needs: ClassVar[frozenset[str]] = frozenset({"links", "peers"})

    def __init__(self, data: scenario.Poison, site: Site) -> None:
        super().__init__(data.name, site)
        self._data = data
        others = [node for node in site.nodes if node != data.node]
        self._links = crossing(data.node, others, data.direction)
        self._toxics: list[ToxicHandle] = []
        self._before: float | None = None

    def said(self) -> str:
        """Return what it does."""
        data = self._data
        what = {
            "latency": f"wait {data.delay:g} ± {data.jitter:g} s",
            "bandwidth": f"pass at {data.rate:g} KB/s",
            "slow-close": f"are closed {data.delay:g} s late",
            "timeout": "do not pass",
            "reset": "are reset",
            "limit-data": f"are broken off after {data.bytes} bytes",
        }[data.toxic]
        return f"{data.stream} {way(data.node, data.direction)} {what}"

    def links(self) -> tuple[str, ...]:
        """Return the links it poisons."""
        return self._links

    def prepare(self) -> None:
        """See how long a call takes while the link is whole: the control of the proof."""
        self._before = fastest(self.site, self._links[0], self._body())

    def strike(self) -> None:
        """Poison the links."""
        stream: Literal["downstream", "upstream"] = (
            "upstream" if self._data.stream == "requests" else "downstream"
        )
        for link in self._links:
            self._toxics.append(
                self.site.cluster.links.toxic(
                    link, TYPES[self._data.toxic], self._attributes(), stream=stream
                )
            )

    def heal(self) -> None:
        """Take every toxic away, each of them even if another one cannot be."""
        toxics, self._toxics = self._toxics, []
        mend_all(toxic.remove for toxic in toxics)

    def proof(self) -> tuple[str, ...]:
        """Return how a call over the first link fared, if worse than before by enough."""
        link = self._links[0]
        if self._before is None:
            self.doubt(f"no call over {link} was answered before it was poisoned")
            return ()
        if self._data.toxic == "slow-close":
            return self._closes_late(link)
        return self._slowed(link) if self._data.toxic in SLOWING else self._unanswered(link)

    def _attributes(self) -> Mapping[str, float]:
        """Return Toxiproxy's attributes: real milliseconds, KB a real second, bytes."""
        data, clock = self._data, self.site.clock
        delay = round(clock.real(data.delay) * 1000)
        kinds: Mapping[str, Mapping[str, float]] = {
            "latency": {"latency": delay, "jitter": round(clock.real(data.jitter) * 1000)},
            "bandwidth": {"rate": max(1, round(data.rate * clock.speed))},
            "slow-close": {"delay": delay},
            "timeout": {"timeout": delay},
            "reset": {"timeout": delay},
            "limit-data": {"bytes": data.bytes},
        }
        return kinds[data.toxic]

    def _body(self) -> bytes:
        """Return what a call carries: a narrow link for requests is seen by a long one only."""
        narrow = self._data.toxic == "bandwidth" and self._data.stream == "requests"
        return LOAD if narrow else b""

    def _owed(self) -> float:
        """Return the real seconds by which a call over the link is longer, on average."""
        data, clock = self._data, self.site.clock
        if data.toxic == "latency":
            return clock.real(data.delay)
        return len(self._body()) / 1024 / (data.rate * clock.speed)

    def _slowed(self, link: str) -> tuple[str, ...]:
        now = fastest(self.site, link, self._body())
        if now is None or self._before is None or now < self._before + SHARE * self._owed():
            self.doubt(f"a call over {link} took {now} real s, and {self._before} before")
            return ()
        real = self.site.clock.speed
        return (
            (
                f"a call over {link} took {now * real:.2f} s at least, {self._before * real:.2f} s "
                f"before, asked at {self.site.now():.1f} s"
            ),
        )

    def _unanswered(self, link: str) -> tuple[str, ...]:
        ended = ending(self.site, link, PATIENCE)
        if ended in (ANSWERED, NO_WAY_THERE):
            self.doubt(f"a call over {link} ended with {ended}")
            return ()
        return (f"a call over {link} had no answer ({ended}), asked at {self.site.now():.1f} s",)

    def _closes_late(self, link: str) -> tuple[str, ...]:
        took, clock = closing(self.site, link), self.site.clock
        if took is None or took < SHARE * clock.real(self._data.delay):
            self.doubt(f"a connection over {link} was closed {took} real s after the answer")
            return ()
        return (
            (
                f"a connection over {link} was closed {took * clock.speed:.2f} s after its answer, "
                f"asked at {self.site.now():.1f} s"
            ),
        )
