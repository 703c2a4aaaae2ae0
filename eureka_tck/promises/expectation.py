"""
What a target is known to break: the seam between a judgement and the verdict of a run.

A known deviation is an entry of `chaos/expectations/<target>.toml`, never a looser budget:

    [[deviation]]
    promise = "peers_converge"
    scenario = "partition-one"
    said = "did not agree"                 # text that the judgement must contain
    reason = "why the target does so"
    hurts = "whom it hurts, and when"
    frequency = "always"                   # or "sometimes", for what a race decides

An entry whose promise is kept is as unexpected as a broken promise without one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct

from eureka_tck.complaint import read_toml
from eureka_tck.promises.judgement import Finding, Judgement

if TYPE_CHECKING:
    from collections.abc import Iterable
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
    hurts: str = ""
    frequency: Literal["always", "sometimes"] = "always"


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    deviation: tuple[Deviation, ...] = ()


class Judged(Struct, frozen=True, kw_only=True):
    """A judgement and what it means once the target's known deviations are applied."""

    judgement: Judgement
    verdict: Verdict
    deviation: Deviation | None = None


def load_deviations(file: Path) -> tuple[Deviation, ...]:
    """Read a target's known deviations; none if there is no such file."""
    if not file.exists():
        return ()
    return read_toml(file, _File).deviation


def apply_deviations(
    judgements: Iterable[Judgement], deviations: Iterable[Deviation], scenario: str
) -> tuple[Judged, ...]:
    """Return the verdicts of a run of the scenario."""
    known = {one.promise: one for one in deviations if one.scenario == scenario}
    return tuple(_judge(judgement, known.get(judgement.promise)) for judgement in judgements)


def exit_code(judged: Iterable[Judged]) -> int:
    """Return 1 if a promise is broken or unexpectedly kept, 2 if one is inconclusive, else 0."""
    codes = {EXIT_CODES[one.verdict] for one in judged}
    return min(codes - {0}, default=0)


def _judge(judgement: Judgement, deviation: Deviation | None) -> Judged:
    verdict: Verdict = judgement.finding
    if deviation is None:
        return Judged(judgement=judgement, verdict=verdict)
    if verdict == "broken" and deviation.said in judgement.said:
        verdict = "known deviation"
    elif verdict == "kept" and deviation.frequency == "always":
        verdict = "unexpected pass"
    return Judged(judgement=judgement, verdict=verdict, deviation=deviation)
