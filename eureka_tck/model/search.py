"""
Many drawn programs on one registry; the first that fails is made as short as it can be.

Hypothesis draws and shortens. The registry must hold nothing but what these programs register.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Flaky

from eureka_tck.model.call import Register
from eureka_tck.model.play import empty, named, play, script
from eureka_tck.model.program import programs
from eureka_tck.verdict.outcome import RequirementFailed
from eureka_tck.verdict.wording import show
from eureka_tck.wire.errors import WireError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eureka_tck.model.call import Call, Who
    from eureka_tck.model.dialect import Dialect
    from eureka_tck.model.play import Step
    from eureka_tck.wire.client import WireClient


def search(wire: WireClient, *, seed_: int, examples: int, dialect: Dialect) -> int:
    """
    Play so many drawn programs and return the number of calls made.

    RequirementFailed tells the rows whose prediction broke, by the shortest program found; the
    exchanges of the client's recorder are then those of that program alone.
    """
    calls, worst = 0, ""
    rows: tuple[str, ...] = ()
    unread: list[WireError] = []
    left: list[Who] = []  # what the program before may have left registered

    def try_one(program: tuple[Call, ...]) -> None:
        nonlocal calls, worst, rows
        try:
            empty(wire, left)
            wire.recorder.forget()
            left[:] = sorted({one.who for one in program if isinstance(one, Register)})
            steps = play(program, wire, dialect)
        except WireError as error:
            unread.append(error)
            raise
        calls += len(steps)
        if steps[-1].broken:
            failure = failure_of(steps)
            worst, rows = failure.sentence, failure.rows
            raise failure

    try:
        _drawn(try_one, seed_, examples, dialect)
    except Flaky as flaky:
        if unread:  # no answer, or none that can be read: that is what has to be judged
            raise unread[-1] from flaky
        raise RequirementFailed(
            f"the same calls were not answered alike twice; once {worst}",
            expected="the same answers to the same calls",
            actual=" ".join(str(flaky).split())[:200],
            rows=rows,
        ) from flaky
    return calls


def _drawn(
    try_one: Callable[[tuple[Call, ...]], None], seed_: int, examples: int, dialect: Dialect
) -> None:
    @seed(seed_)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
    )
    @given(programs(dialect))
    def judged(program: tuple[Call, ...]) -> None:
        try_one(program)

    judged()


def failure_of(steps: Sequence[Step]) -> RequirementFailed:
    """Return the failure of a program's last step."""
    last = steps[-1]
    first = last.broken[0]
    rows = tuple(dict.fromkeys(row for one in last.broken for row in one.rows))
    number, whom = len(steps), named([step.call for step in steps])
    return RequirementFailed(
        f"after {number - 1} calls, {first.what} in the answer to {last.exchange.method} "
        f"{type(last.call).__name__} was {show(first.seen)}; the model, by "
        f"{', '.join(first.rows)}, says {show(first.due)}.",
        expected=show(first.due),
        actual=show(first.seen),
        rows=rows,
        script=script(steps, whom),
    )
