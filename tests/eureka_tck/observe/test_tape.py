"""A recording as the evidence of a test."""

from __future__ import annotations

from eureka_tck.observe.tape import Tape
from eureka_tck.report.model import Moment
from eureka_tck.verdict import Case
from eureka_tck.wire.exchange import Exchange


def test_a_tape_gives_a_case_its_evidence() -> None:
    """Given, beginning, timeline and exchanges of the recording become those of the test."""
    exchange = Exchange(method="GET", url="http://127.0.0.1/eureka/apps")
    moment = Moment(text="run evicts 3", at=12.5)
    case = Case("test_it")

    Tape("two registered", 7.5, (moment,), (exchange,)).play(case)

    assert case.given_text == "two registered"
    assert case.begun_at == 7.5
    assert case.timeline == [moment]
    assert case.exchanges == [exchange]
