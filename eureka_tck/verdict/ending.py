"""
What the exception that left a test says about the row: its outcome and its sentence.

Decided here, once, for all tests:

- `RequirementFailed`: failed.
- A `WireError` that nobody caught: the registry did not answer, or not readably, where an answer
  was due: failed. So is an answer without what every full one carries (`LeftOut`).
  Only where we could not even reach the machine, or were ourselves so late that the time-out may
  be our own, it is inconclusive.
- A wait of the clock in vain: inconclusive, the arrangement did not come about
  (`due` makes it a failure where the awaited thing is the judged one).
- Anything else: the harness failed, inconclusive. Never a pass.
- A node that died meanwhile is named with the end of its log, whatever the exception was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.errors import CannotRun
from eureka_tck.verdict.outcome import Inconclusive, NotApplicable, RequirementFailed
from eureka_tck.verdict.wording import figure, show
from eureka_tck.wire.errors import NoAnswer, WireError
from eureka_tck.wire.record import LeftOut

if TYPE_CHECKING:
    from collections.abc import Collection

    from eureka_tck.report.model import Outcome

OUR_OWN_STALL: Final = 1.0
"""Real seconds of harness lateness from which a time-out (5 s) may be our own: single stalls of
1 s were seen on two busy cores."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a test ended; `traceback_matters` where the fault is the harness's own."""

    outcome: Outcome
    sentence: str = ""
    expected: str = ""
    actual: str = ""
    late: bool = False
    traceback_matters: bool = False
    rows: tuple[str, ...] = ()
    script: str = ""


def ending_of(
    error: BaseException | None, *, stalled: float = 0.0, dead: Collection[str] = ()
) -> Ending:
    """
    Return what a test's end means.

    Args:
        error: the exception that left it, None if none did.
        stalled: the harness's worst lateness during the test, in real seconds.
        dead: names of nodes that ended by themselves meanwhile.
    """
    if dead and not isinstance(error, NotApplicable | RequirementFailed):
        names = " and ".join(sorted(dead))
        return Ending(
            "failed",
            f"the registry on node {names} ended by itself during the test.",
            expected="a registry that goes on running",
            actual=str(error) if error else f"node {names} is no longer running",
        )
    return Ending("passed") if error is None else _ending_by(error, stalled)


def _ending_by(error: BaseException, stalled: float) -> Ending:
    match error:
        case RequirementFailed():
            return Ending(
                "failed",
                error.sentence,
                error.expected,
                error.actual,
                rows=error.rows,
                script=error.script,
            )
        case Inconclusive():
            return Ending("inconclusive", error.sentence, late=error.late)
        case NotApplicable():
            return Ending("not applicable", error.reason)
        case WireError():
            return _wire_ending(error, stalled)
        case LeftOut():
            return Ending("failed", f"{error}.", expected="a full answer", actual=str(error))
    return _harness_ending(error, stalled)


def _harness_ending(error: BaseException, stalled: float) -> Ending:
    match error:
        case WaitedInVain():
            waited = figure(float(error.within), "s")
            seen = show(error.last)
            return Ending(
                "inconclusive",
                f"{waited} of waiting for {error.what} were in vain; last seen: {seen}.",
                late=stalled > OUR_OWN_STALL,
            )
        case CannotRun():
            return Ending("inconclusive", f"it could not run: {error}")
    kind = type(error).__name__
    text = str(error) or "without a word"
    return Ending("inconclusive", f"the harness failed: {kind}: {text}", traceback_matters=True)


def _wire_ending(error: WireError, stalled: float) -> Ending:
    if isinstance(error, NoAnswer):
        if error.kind == "unreachable":
            return Ending("inconclusive", f"the harness could not reach the registry: {error}")
        if error.kind == "timed out" and stalled > OUR_OWN_STALL:
            return Ending(
                "inconclusive",
                f"the harness stalled for {figure(stalled, 's')} of real time, so the time-out "
                f"may be its own: {error}",
                late=True,
            )
        return Ending(
            "failed",
            f"the registry did not answer: {error}.",
            expected="a complete answer",
            actual=error.detail,
        )
    return Ending("failed", f"{error}.", expected="an answer that can be read", actual=str(error))
