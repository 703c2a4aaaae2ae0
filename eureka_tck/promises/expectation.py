"""
What a target is known to break: the seam between a judgement and the verdict of a run.

A known deviation is an entry of `chaos/expectations/<target>.toml`, never a looser budget:

    [[deviation]]
    promise = "peers_converge"
    scenario = "partition-one"
    said = "told override"                 # text that stands in the sentence of each breach
    reason = "why the target does so"
    hurts = "whom it hurts, and when"
    frequency = "always"                   # or "sometimes", for what a race decides

Strict both ways: a breach that no entry explains makes the promise broken, whatever else is known,
and an entry that shows always and was not seen is as unexpected as such a breach.
Several entries of one promise and scenario explain breaches of several kinds.
A mixed cluster has the entries of its targets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from eureka_tck.complaint import read_toml
from eureka_tck.errors import SettingsError
from eureka_tck.promises import PROMISES
from eureka_tck.promises.judgement import Finding, Judgement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

Verdict: TypeAlias = Literal["known deviation", "unexpected pass"] | Finding

EXIT_CODES: Final[dict[Verdict, int]] = {
    "broken": 1,
    "unexpected pass": 1,
    "inconclusive": 2,
    "known deviation": 0,
    "kept": 0,
}


class Deviation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a target is known to break a promise in a scenario."""

    promise: str
    scenario: str
    said: str
    reason: str
    hurts: str
    frequency: Literal["always", "sometimes"] = "always"


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    deviation: tuple[Deviation, ...] = ()


class Judged(Struct, frozen=True, kw_only=True):
    """
    A judgement and what it means once the target's known deviations are applied.

    `seen` are those of them that a breach showed, `unseen` the others; `unexplained` is the first
    breach that none of them explains, empty where there is none, or none was known.
    """

    judgement: Judgement
    verdict: Verdict
    seen: tuple[Deviation, ...] = ()
    unseen: tuple[Deviation, ...] = ()
    unexplained: str = ""


def load_deviations(file: Path) -> tuple[Deviation, ...]:
    """Read a target's known deviations; SettingsError names file, entry and fault."""
    if not file.exists():
        return ()
    entries = read_toml(file, _File).deviation
    keys = [(one.promise, one.scenario, one.said) for one in entries]
    for number, entry in enumerate(entries):
        if fault := _fault(entry) or ("stands twice" if keys[number] in keys[:number] else ""):
            named = f"deviation[{number}] ({entry.promise} in {entry.scenario})"
            raise SettingsError(f"{file}: {named} {fault}.")
    return entries


def deviations_of(target: str, file_of: Callable[[str], Path]) -> tuple[Deviation, ...]:
    """
    Return what is known of a target; `file_of` says where the entries of one stand.

    A mixed cluster has those of all its targets, and each shows sometimes: which node a fault
    meets is drawn.
    """
    members = dict.fromkeys(target.split(","))
    if len(members) == 1:
        return load_deviations(file_of(next(iter(members))))
    found = {
        (one.promise, one.scenario, one.said): replace(one, frequency="sometimes")
        for member in members
        for one in load_deviations(file_of(member))
    }
    return tuple(found.values())


def apply_deviations(
    judgements: Iterable[Judgement], deviations: Iterable[Deviation], scenario: str
) -> tuple[Judged, ...]:
    """Return the verdicts of a run of the scenario."""
    known = [one for one in deviations if one.scenario == scenario]
    return tuple(
        _judge(judgement, [one for one in known if one.promise == judgement.promise])
        for judgement in judgements
    )


def exit_code(judged: Iterable[Judged]) -> int:
    """Return 1 if a promise is broken or unexpectedly kept, 2 if one is inconclusive, else 0."""
    codes = {EXIT_CODES[one.verdict] for one in judged}
    return min(codes - {0}, default=0)


def notes_on(judged: Judged) -> list[str]:
    """Return what a reader has to know of the deviations behind a verdict, a sentence each."""
    notes = [f"Known: {_closed(one.reason)} {one.hurts}".strip() for one in judged.seen]
    if judged.unexplained:
        notes.append(f"Not known of it: {_closed(judged.unexplained)}")
    if judged.verdict == "inconclusive":
        return notes
    for one in judged.unseen:
        often = "always" if one.frequency == "always" else "sometimes"
        notes.append(f"Known to break it {often}, and not seen in this run: {_closed(one.reason)}")
    return notes


def _fault(entry: Deviation) -> str:
    if entry.promise not in PROMISES:
        return f"names no promise; the promises are: {', '.join(PROMISES)}"
    for key in ("scenario", "said", "reason", "hurts"):
        if not getattr(entry, key).strip():
            return f"has no {key}: it says what is seen where, why, and whom it hurts"
    return ""


def _judge(judgement: Judgement, known: Sequence[Deviation]) -> Judged:
    breaches = _breaches(judgement)
    seen = tuple(one for one in known if any(one.said in breach for breach in breaches))
    unseen = tuple(one for one in known if one not in seen)
    strange = [breach for breach in breaches if not any(one.said in breach for one in seen)]
    verdict: Verdict = judgement.finding
    if verdict == "broken" and not strange:
        verdict = "known deviation"
    if verdict in ("kept", "known deviation") and any(one.frequency == "always" for one in unseen):
        verdict = "unexpected pass"
    return Judged(
        judgement=judgement,
        verdict=verdict,
        seen=seen,
        unseen=unseen,
        unexplained=strange[0] if known and strange else "",
    )


def _breaches(judgement: Judgement) -> list[str]:
    """Return the sentence of each breach; of a judgement that lists none, its own."""
    if judgement.finding != "broken":
        return []
    return [one.said for one in judgement.violations] or [judgement.said]


def _closed(sentence: str) -> str:
    return f"{sentence.strip().removesuffix('.')}."
