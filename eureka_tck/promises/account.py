"""
The account of a chaos run: all that its report says, from its history and its verdicts.

The schema of a chaos run's `report.json`, version 1; `page.py` renders it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from eureka_tck.errors import CannotRun
from eureka_tck.history.event import Counted, Marked
from eureka_tck.history.operations import operations
from eureka_tck.history.spans import FaultSpan, fault_spans, tick_lateness
from eureka_tck.promises.expectation import Judged, Verdict, exit_code, notes_on
from eureka_tck.promises.fates import Fates, fates
from eureka_tck.promises.howlong import HowLong, how_long
from eureka_tck.promises.words import capital
from eureka_tck.report.figures import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from eureka_tck.history import History

SCHEMA: Final = 1
FILE: Final = "report.json"


class Told(Struct, frozen=True, kw_only=True):
    """One line of the run's story; `where` is a node, a fault, or empty for the run itself."""

    at: float
    where: str
    what: str


class FaultFacts(Struct, frozen=True, kw_only=True):
    """A fault as it was: `ended` is None where it was not healed, `proof` empty without a bite."""

    name: str
    kind: str
    said: str
    began: float
    ended: float | None
    links: tuple[str, ...]
    proof: tuple[str, ...]


class Calls(Struct, frozen=True, kw_only=True):
    """How many calls of one kind ended how."""

    verb: str
    outcomes: dict[str, int]


class ChaosReport(Struct, frozen=True, kw_only=True):
    """A chaos run; instants are registry seconds, `seconds` real ones (None when judged again)."""

    schema: int = SCHEMA
    suite: str = "chaos"
    scenario: str
    title: str
    why: str
    target: str
    backend: str
    speed: float
    seed: int
    started: str
    seconds: float | None
    registry_seconds: float
    exit_code: int
    verdict: Verdict
    headline: str
    verdict_sentence: str
    lead: str
    promises: tuple[Judged, ...]
    faults: tuple[FaultFacts, ...]
    story: tuple[Told, ...]
    calls: tuple[Calls, ...]
    lateness: float
    settings: dict[str, dict[str, str]]
    versions: dict[str, str]
    machine: str
    command: str
    how_long: tuple[HowLong, ...] = ()
    fates: Fates | None = None


ATTENTION: Final[tuple[Verdict, ...]] = (
    "broken",
    "unexpected pass",
    "inconclusive",
    "known deviation",
    "kept",
)
"""Verdicts in the order in which a reader's attention is due."""


def account(
    history: History, judged: Sequence[Judged], seconds: float | None = None
) -> ChaosReport:
    """Return the report of a run."""
    header, spans = history.header, fault_spans(history)
    verdicts: list[Verdict] = [one.verdict for one in judged]
    worst: Verdict = min(verdicts, key=ATTENTION.index, default="kept")
    return ChaosReport(
        scenario=header.scenario,
        title=header.title,
        why=header.why,
        target=header.target,
        backend=header.backend,
        speed=header.speed,
        seed=header.seed,
        started=header.started,
        seconds=seconds,
        registry_seconds=history.events[-1].at if history.events else 0.0,
        exit_code=exit_code(judged),
        verdict=worst,
        headline=_headline(header.target, judged),
        verdict_sentence=_sentence(header.target, judged),
        lead=_lead(judged, spans),
        promises=tuple(sorted(judged, key=lambda one: ATTENTION.index(one.verdict))),
        faults=tuple(_fault(span) for span in spans),
        story=_story(history, spans),
        calls=_calls(history),
        lateness=tick_lateness(history, 0.0),
        settings=header.settings,
        versions=header.versions,
        machine=header.machine,
        command=header.command,
        how_long=how_long(history),
        fates=fates(history),
    )


def save(report: ChaosReport, folder: Path) -> Path:
    """Write `report.json` into the folder and return its path."""
    file = folder / FILE
    try:
        file.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n")
    except OSError as error:
        raise CannotRun(f"{file} cannot be written: {error.strerror}.") from error
    return file


def _headline(target: str, judged: Sequence[Judged]) -> str:
    """Return the verdict with its numbers: the worst first."""
    number = Counter(one.verdict for one in judged)
    of = f"of {len(judged)}"
    if broken := number["broken"]:
        return f"{target} breaks {counted(broken, 'promise')} {of}"
    if kept := number["unexpected pass"]:
        return f"{target} does not break {counted(kept, 'promise')} {of} as it is known to"
    if open_ones := number["inconclusive"]:
        return f"{counted(open_ones, 'promise')} {of} could not be judged on {target}"
    if known := number["known deviation"]:
        return f"{target} breaks {counted(known, 'promise')} {of} in a way that is known"
    return f"{target} keeps {counted(len(judged), 'promise')} {of}"


def _sentence(target: str, judged: Sequence[Judged]) -> str:
    """Return the verdict with what was found of the worst promise."""
    worst = min(judged, key=lambda one: ATTENTION.index(one.verdict), default=None)
    headline = _headline(target, judged)
    if worst is None or worst.verdict == "kept":
        return f"{headline}."
    if worst.verdict == "unexpected pass":
        return f"{headline}. {notes_on(worst)[-1]}"
    return f"{headline}. {worst.unexplained or worst.judgement.said}"


def _lead(judged: Sequence[Judged], spans: Sequence[FaultSpan]) -> str:
    faults = [
        f"{capital(span.said)} for {span.ended - span.began:.1f} s."
        for span in spans
        if span.ended < float("inf")
    ]
    kept = [one for one in judged if one.verdict == "kept"]
    said = [one.judgement.said for one in kept] if len(kept) == len(judged) else []
    if said:
        return " ".join(said)
    held = f"{counted(len(kept), 'promise')} held." if kept else ""
    return " ".join([*faults, held]).strip()


def _fault(span: FaultSpan) -> FaultFacts:
    return FaultFacts(
        name=span.fault,
        kind=span.kind,
        said=span.said,
        began=span.began,
        ended=span.ended if span.ended < float("inf") else None,
        links=tuple(sorted(span.links)),
        proof=span.proof,
    )


def _story(history: History, spans: Sequence[FaultSpan]) -> tuple[Told, ...]:
    told = [
        Told(
            at=event.at, where="", what=f"{event.name}: {event.said}" if event.said else event.name
        )
        for event in history.events
        if isinstance(event, Marked)
    ]
    for span in spans:
        told.append(Told(at=span.began, where=span.fault, what=span.said))
        if span.bit is not None:
            told.append(Told(at=span.bit, where=span.fault, what="proven to have bitten"))
        if span.ended < float("inf"):
            told.append(Told(at=span.ended, where=span.fault, what="healed"))
    told += _protection(history)
    return tuple(sorted(told, key=lambda one: one.at))


def _protection(history: History) -> list[Told]:
    """Return when each node was seen to begin and to end protecting itself."""
    told: list[Told] = []
    before: dict[str, bool] = {}
    for event in history.events:
        if not isinstance(event, Counted):
            continue
        if before.get(event.node) != event.expiration_enabled:
            figures = f"{event.renewals} renewals in the last minute, threshold {event.threshold}"
            state = "leases expire" if event.expiration_enabled else "protects itself"
            told.append(Told(at=event.at, where=f"node {event.node}", what=f"{state}: {figures}"))
        before[event.node] = event.expiration_enabled
    return told


def _calls(history: History) -> tuple[Calls, ...]:
    found: dict[str, Counter[str]] = {}
    for operation in operations(history):
        found.setdefault(operation.verb, Counter())[operation.outcome] += 1
    return tuple(Calls(verb=verb, outcomes=dict(ends)) for verb, ends in sorted(found.items()))
