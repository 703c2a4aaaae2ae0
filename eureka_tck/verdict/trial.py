"""
From a test that ran to its result as data: what the pytest plugin gathers and hands on.

No pytest here: an exception and a case come in, a `TestResult` goes out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from eureka_tck.report.model import Mark, TestResult
from eureka_tck.verdict.ending import Ending, ending_of
from eureka_tck.verdict.outcome import RequirementFailed
from eureka_tck.verdict.wording import figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eureka_tck.verdict.case import Case
    from eureka_tck.verdict.order import Order
    from eureka_tck.verdict.selection import Claim
    from eureka_tck.wire.exchange import Exchange

MARKED_FROM: Final = 3
"""Characters from which a wrong text is looked for in an answer: "UP" stands everywhere."""

EXCHANGES_KEPT: Final = 40
"""The last exchanges of a test that did not pass; those before are arrangement."""

DOUBTFUL: Final = 0.5
"""Registry seconds from which lateness may have made a verdict: what the tightest bounds of the
suites leave for the machine. At speed 10 that is 50 ms; 99 in 100 tests of a calm gate in Docker
had less than 75 ms."""

LAST_KEPT: Final = 1
"""Of a test that passed: what the comparison with another run shows beside a failure."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a test ran: the speed of its cluster, the nodes that died, the logs' ends by node."""

    speed: float = 1.0
    dead: tuple[str, ...] = ()
    logs: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """A test of the suites while it runs: its claim, its case and its docstring."""

    claim: Claim
    case: Case
    docstring: str = ""

    def result(
        self,
        error: BaseException | None,
        *,
        order: Order,
        scene: Scene,
        seconds: float = 0.0,
        traceback: str = "",
    ) -> TestResult:
        """
        Return what the test found.

        Args:
            error: the exception that left it, None if none did.
            order: what the pass was told.
            scene: where it ran.
            seconds: how long it took, in real seconds.
            traceback: of the exception, kept where the harness itself failed.
        """
        lateness, exchanges = self.case.lateness(), self.case.exchanges[-EXCHANGES_KEPT:]
        slowest = self.case.slowest * scene.speed
        marks = _marks(error, exchanges) if isinstance(error, RequirementFailed) else ()
        ending = ending_of(error, stalled=lateness / scene.speed, dead=scene.dead)
        if max(lateness, slowest) > DOUBTFUL and ending.outcome in {"failed", "passed"}:
            ending = replace(ending, late=True)
        return self._as_result(
            ending,
            order=order,
            scene=scene,
            seconds=seconds,
            traceback=traceback if ending.traceback_matters else "",
            lateness=lateness,
            marks=marks,
        )

    def spoiled(self, result: TestResult, sentence: str, traceback: str) -> TestResult:
        """Return the result of a test that passed and whose tidying up then failed."""
        kept = {name: getattr(result, name) for name in result.__struct_fields__}
        return TestResult(
            **{**kept, "outcome": "inconclusive", "sentence": sentence, "traceback": traceback}
        )

    def _as_result(
        self,
        ending: Ending,
        *,
        order: Order,
        scene: Scene,
        seconds: float,
        traceback: str,
        lateness: float,
        marks: tuple[Mark, ...],
    ) -> TestResult:
        case, evidence = self.case, ending.outcome in {"failed", "inconclusive"}
        now = case.now
        span = 0.0 if now is None or case.begun_at is None else now - case.begun_at
        return TestResult(
            id=self.claim.test,
            requirements=ending.rows or self.claim.requirements,
            outcome=ending.outcome,
            docstring=self.docstring,
            sentence=ending.sentence,
            given=case.given_text,
            expected=ending.expected,
            actual=ending.actual,
            timeline=tuple(case.timeline),
            exchanges=tuple(case.exchanges[-(EXCHANGES_KEPT if evidence else LAST_KEPT) :]),
            marks=marks,
            script=ending.script,
            logs=dict(scene.logs or {}) if evidence else {},
            traceback=traceback,
            late=ending.late,
            lateness=lateness if case.begun_at is not None else None,
            profile=self.claim.profile,
            speed=scene.speed,
            attempt=order.attempt,
            seconds=seconds,
            registry_seconds=span,
            rerun=rerun_command(order, self.claim),
        )


def _marks(error: RequirementFailed, exchanges: Sequence[Exchange]) -> tuple[Mark, ...]:
    """Say where the answers are wrong: the last one that shows the wrong text."""
    if len(error.wrong) < MARKED_FROM:
        return ()
    for number, exchange in reversed(list(enumerate(exchanges))):
        if error.wrong in f"HTTP/1.1 {exchange.status}\n{exchange.response_body}":
            return (Mark(exchange=number, text=error.wrong, expected=error.expected),)
    return ()


def rerun_command(order: Order, claim: Claim) -> str:
    """Return the command that runs this test again in the same way."""
    words = ["eureka-tck gate", f"--target {order.target}"]
    if order.backend != "process":
        words.append(f"--backend {order.backend}")
    if order.speed is not None:
        words.append(f"--speed {figure(float(order.speed))}")
    words += [f"--seed {order.seed}", f'--select "{claim.select}"']
    return " ".join(words)


def facts_of(order: Order, speed: float) -> str:
    """Return the target in words, for a failure's message."""
    return f"{order.target} ({order.backend}), speed {figure(float(speed))}, seed {order.seed}"
