"""
How long until …: the questions of whoever runs a registry, answered from settings and a run.

Worst case computed, from the effective settings; worst case measured in the run, undisturbed by
faults but where the question is about one; and the setting that makes up most of what is computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from eureka_tck.history.event import PROBE
from eureka_tck.promises.convergence import peers_converge
from eureka_tck.promises.delays import Delay, delays
from eureka_tck.promises.evidence import Evidence
from eureka_tck.promises.lives import DURATION, INTERVAL
from eureka_tck.promises.overrides import overrides_survive
from eureka_tck.promises.rules import BATCHING, LEASE_FACTOR, RETRY, SLACK

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eureka_tck.history.reader import History
    from eureka_tck.promises.delays import Kind
    from eureka_tck.promises.judgement import Judgement


class HowLong(Struct, frozen=True, kw_only=True):
    """
    One question; `computed` is None where nothing bounds it, `measured` where nothing was seen.

    `measured` is known to the time between two readings: it certainly took more than `surely`.
    `setting` is the one that dominates, with its value, `formula` the sum of `computed`.
    """

    until: str
    computed: float | None
    formula: str
    measured: float | None
    setting: str
    surely: float = 0.0
    note: str = ""

    @property
    def is_over(self) -> bool:
        """Whether it certainly took longer than what was computed."""
        return self.computed is not None and self.surely > self.computed


@dataclass(frozen=True, slots=True)
class _Term:
    """A part of a worst case: its name in the formula, its seconds, and what sets it."""

    name: str
    seconds: float
    setting: str


FIXED: Final = "none: the protocol's own delays"


def how_long(history: History) -> tuple[HowLong, ...]:
    """Return the table of a run."""
    evidence = Evidence.of(history)
    if not evidence.rules:
        return ()
    terms = _terms(evidence)
    seen = delays(evidence)
    b, s, u, fetch = terms["b"], terms["s"], terms["U"], terms["fetch"]
    d, e, r, peer = terms["D"], terms["E"], terms["R"], terms["peer"]
    travel, reading = (b, s, u), (b, s, u, fetch)
    dying = (d, e, s, u)
    back = (r, _Term("2·b", 2 * BATCHING, FIXED), peer, _Term("1", RETRY, FIXED), s, u)
    override = (_Term("2·R", 2 * r.seconds, r.setting), *back[1:])
    return (
        _row("a new instance is seen at every node", travel, _worst(seen, "register")),
        _row("… and by a client", reading, _worst(seen, "register", clients=True)),
        _row("a cancelled instance is gone from every node", travel, _worst(seen, "cancel")),
        _row("… and for a client", reading, _worst(seen, "cancel", clients=True)),
        _row("a status change is seen at every node", travel, _worst(seen, "status")),
        _row("… and by a client", reading, _worst(seen, "status", clients=True)),
        _row(
            "a killed instance is gone from every node",
            dying,
            _worst(seen, "death"),
            "while leases expire; one eviction run",
        ),
        _row("… and for a client", (*dying, fetch), _worst(seen, "death", clients=True)),
        HowLong(
            until="an overdue lease is gone from a node that protects itself",
            computed=None,
            formula="no bound",
            measured=None,
            setting=_named(evidence, "eureka.server.renewalPercentThreshold", "0.85"),
            note="it goes when enough of those that are registered renew again",
        ),
        _row(
            "peers agree after a cut about what lives",
            back,
            _judged(peers_converge(history), is_seen=bool(evidence.spans)),
        ),
        _row(
            "peers agree after a cut about overrides",
            override,
            _judged(overrides_survive(history), is_seen=_has_overrides(evidence)),
        ),
    )


def measured_of(row: HowLong) -> str:
    """Return what was measured in words: a figure, or the two that it lies between."""
    if row.measured is None:
        return "not seen"
    if row.surely > 0.0:
        return f"{row.surely:.1f} to {row.measured:.1f} s"
    return f"at most {row.measured:.1f} s"


def table_of(rows: Sequence[HowLong]) -> list[str]:
    """Return the table as lines for the terminal."""
    cells = [
        (
            row.until,
            "no bound" if row.computed is None else f"{row.computed:.1f} s",
            measured_of(row),
            row.setting,
        )
        for row in rows
    ]
    head = ("how long until …", "computed", "measured", "dominated by")
    width = [max(len(row[column]) for row in (head, *cells)) for column in range(3)]
    return [
        f"{until:<{width[0]}}  {computed:>{width[1]}}  {measured:>{width[2]}}  {setting}"
        for until, computed, measured, setting in (head, *cells)
    ]


def worst_of(rows: Iterable[HowLong]) -> float:
    """Return the longest of all computed and measured times: the scale of a picture."""
    times = [time for row in rows for time in (row.computed, row.measured) if time is not None]
    return max(times, default=1.0)


def _terms(evidence: Evidence) -> dict[str, _Term]:
    rules = list(evidence.rules.values())
    fleet = [call for call in evidence.calls if call.who != PROBE]
    lease = max((call.lease for call in fleet if call.lease), default=DURATION)
    interval = max((call.interval for call in fleet if call.interval), default=INTERVAL)
    eviction = max(one.eviction_interval for one in rules)
    cache = max(one.cache for one in rules)
    fetch = max(one.fetch for one in rules)
    peer = max(one.peer_timeout for one in rules)
    client = "eureka.instance.lease"
    return {
        "b": _Term("b", BATCHING, FIXED),
        "s": _Term("s", SLACK, FIXED),
        "U": _Term("U", cache, f"eureka.server.responseCacheUpdateIntervalMs = {cache * 1000:g}"),
        "fetch": _Term("fetch", fetch, f"eureka.client.registryFetchIntervalSeconds = {fetch:g}"),
        "D": _Term(
            f"{LEASE_FACTOR}·D",
            LEASE_FACTOR * lease,
            f"{client}ExpirationDurationInSeconds = {lease:g}",
        ),
        "E": _Term("E", eviction, f"eureka.server.evictionIntervalTimerInMs = {eviction * 1000:g}"),
        "R": _Term("R", interval, f"{client}RenewalIntervalInSeconds = {interval:g}"),
        "peer": _Term(
            "peer time-out", peer, f"eureka.server.peerNodeReadTimeoutMs = {peer * 1000:g}"
        ),
    }


def _row(
    until: str, terms: Sequence[_Term], measured: tuple[float, float] | None, note: str = ""
) -> HowLong:
    biggest = max(terms, key=lambda term: term.seconds)
    names = " + ".join(term.name for term in terms)
    figures = " + ".join(f"{term.seconds:g}" for term in terms)
    return HowLong(
        until=until,
        computed=sum(term.seconds for term in terms),
        formula=f"{names} = {figures} s",
        measured=None if measured is None else round(measured[1], 2),
        surely=0.0 if measured is None else round(measured[0], 2),
        setting=biggest.setting,
        note=note,
    )


def _worst(
    seen: Sequence[Delay], kind: Kind, *, clients: bool = False
) -> tuple[float, float] | None:
    """Return the worst delay: what it certainly took, and when it was seen to be over."""
    times = [
        (one.surely, one.seconds)
        for one in seen
        if one.kind == kind
        and one.is_client is clients
        and not one.is_disturbed
        and one.seconds is not None
    ]
    return max(times, key=lambda one: one[1], default=None)


def _judged(judgement: Judgement, *, is_seen: bool) -> tuple[float, float] | None:
    """Return what a promise measured, where it had something to measure."""
    if not is_seen or judgement.measured is None:
        return None
    return (0.0, judgement.measured)


def _named(evidence: Evidence, setting: str, default: str) -> str:
    settings = next(iter(evidence.history.header.settings.values()), {})
    return f"{setting} = {settings.get(setting, default)}"


def _has_overrides(evidence: Evidence) -> bool:
    return any(call.verb in {"status", "remove-status"} for call in evidence.calls)
