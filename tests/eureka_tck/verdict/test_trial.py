"""From a test that ran to its result as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.report.model import Mark
from eureka_tck.verdict import Case, RequirementFailed
from eureka_tck.verdict.order import Order
from eureka_tck.verdict.trial import EXCHANGES_KEPT, Scene, Trial, facts_of, rerun_command
from eureka_tck.wire.exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.report.model import TestResult
    from eureka_tck.verdict.selection import Claim

ORDER = Order(target="java:5.0.3", backend="docker", seed=7, speed=5.0, attempt=2)


class Steady:
    """A clock that stood at 2 s when the case began and stands at 12 s now."""

    def __init__(self) -> None:
        self._instants = [12.0, 2.0]

    def now(self) -> float:
        """Return 2 s, then 12 s for ever."""
        return self._instants.pop() if len(self._instants) > 1 else self._instants[0]

    def lateness(self, since: float) -> float:
        """Return 5 registry s."""
        assert since == 2.0
        return 5.0


def exchange(status: int, body: str = "") -> Exchange:
    """Return an exchange with this answer."""
    return Exchange(method="GET", url="http://127.0.0.1/", status=status, response_body=body)


def test_a_failure_carries_its_evidence(claim: Callable[..., Claim]) -> None:
    """Words, exchanges, logs, times and the way to run it again are all in the result."""
    case = Case("t.py::a[x]", ("REG-04",), attempt=2)
    case.keep_time_by(Steady())
    case.given("nothing")
    case.note("asked", at=3.0)
    case.attach(exchange(500))
    trial = Trial(claim("t.py::a[x]", profile="open"), case, "A fact.")
    error = RequirementFailed("it was 500.", expected="404", actual="500", wrong="HTTP/1.1 500")

    result = trial.result(
        error, order=ORDER, scene=Scene(5.0, logs={"a": "bye"}), seconds=2.5, traceback="E  no"
    )

    assert (result.outcome, result.sentence) == ("failed", "it was 500.")
    assert (result.given, result.expected, result.actual) == ("nothing", "404", "500")
    assert (result.docstring, result.profile, result.attempt) == ("A fact.", "open", 2)
    assert (result.seconds, result.registry_seconds, result.lateness) == (2.5, 10.0, 5.0)
    assert result.marks == (Mark(exchange=0, text="HTTP/1.1 500", expected="404"),)
    assert result.logs == {"a": "bye"}
    assert result.traceback == ""
    assert result.rerun == (
        "eureka-tck gate --target java:5.0.3 --backend docker --speed 5 --seed 7 "
        '--select "REG-04[x]"'
    )


def test_a_pass_keeps_its_last_exchange_alone(claim: Callable[..., Claim]) -> None:
    """It stands beside a failure of another run; all else would make a report unreadable."""
    case = Case("t.py::a")
    case.attach(exchange(204))
    case.attach(exchange(200))

    result = Trial(claim(), case).result(None, order=ORDER, scene=Scene(logs={"a": "x"}))

    assert (result.outcome, result.logs) == ("passed", {})
    assert [one.status for one in result.exchanges] == [200]
    assert result.lateness is None


def test_the_last_exchanges_are_kept(claim: Callable[..., Claim]) -> None:
    """Those before are arrangement."""
    case = Case("t.py::a")
    for status in range(EXCHANGES_KEPT + 5):
        case.attach(exchange(status))

    result = Trial(claim(), case).result(ValueError("x"), order=ORDER, scene=Scene())

    assert len(result.exchanges) == EXCHANGES_KEPT
    assert result.exchanges[0].status == 5


def test_the_wrong_text_is_marked_where_it_was_seen_last(claim: Callable[..., Claim]) -> None:
    """A word is looked for in the answers from the end; a short one is not."""
    case = Case("t.py::a")
    for body in ("DOWN", "DOWN", "gone"):
        case.attach(exchange(200, body))
    trial = Trial(claim(), case)

    def marks(wrong: str) -> tuple[Mark, ...]:
        error = RequirementFailed("so.", expected="UP", wrong=wrong)
        return trial.result(error, order=ORDER, scene=Scene()).marks

    assert marks("DOWN") == (Mark(exchange=1, text="DOWN", expected="UP"),)
    assert marks("UP") == ()
    assert marks("STARTING") == ()


def test_tidying_up_that_fails_spoils_a_pass(
    claim: Callable[..., Claim], result: Callable[..., TestResult]
) -> None:
    """What could not be tidied up may have been wrong before: nothing is known any more."""
    spoiled = Trial(claim(), Case("t")).spoiled(result(), "it did not close.", "E  x")

    assert (spoiled.outcome, spoiled.sentence, spoiled.traceback) == (
        "inconclusive",
        "it did not close.",
        "E  x",
    )


def test_defaults_are_left_out_of_the_re_run(claim: Callable[..., Claim]) -> None:
    """The shortest command that does the same."""
    order = Order(target="python", backend="process", seed=3)

    assert rerun_command(order, claim("t.py::a")) == (
        'eureka-tck gate --target python --seed 3 --select "REG-04"'
    )
    assert facts_of(order, 10.0) == "python (process), speed 10, seed 3"


def test_a_failure_beside_a_slow_answer_is_marked_late(claim: Callable[..., Claim]) -> None:
    """A node without a processor answers late where the judge itself was in time."""
    error = RequirementFailed("it was 500.")

    def late(seconds: float, status: int | None) -> bool:
        case = Case("t.py::a")
        case.attach(Exchange(method="GET", url="http://127.0.0.1/", status=status, seconds=seconds))
        return Trial(claim(), case).result(error, order=ORDER, scene=Scene(10.0)).late

    assert late(0.2, 200)
    assert not late(0.01, 200)
    assert not late(5.0, None), "no answer is no slow answer"


def test_a_recording_hands_on_its_slowest_answer(claim: Callable[..., Claim]) -> None:
    """A test that reads a timeline was not there when its node was late."""
    case = Case("t.py::a")
    case.began(3.0, slowest=0.2)

    result = Trial(claim(), case).result(None, order=ORDER, scene=Scene(10.0))

    assert (result.outcome, result.late) == ("passed", True)
