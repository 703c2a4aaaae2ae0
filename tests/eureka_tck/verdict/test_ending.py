"""What an exception that left a test says about the row."""

from __future__ import annotations

import pytest

from eureka_tck.clock import WaitedInVain
from eureka_tck.errors import CannotRun
from eureka_tck.verdict import Inconclusive, NotApplicable, RequirementFailed
from eureka_tck.verdict.ending import OUR_OWN_STALL, Ending, ending_of
from eureka_tck.wire.errors import NoAnswer, Unreadable
from eureka_tck.wire.exchange import Exchange
from eureka_tck.wire.record import LeftOut

EXCHANGE = Exchange(method="GET", url="http://127.0.0.1/eureka/apps", status=200)


def test_a_test_that_raises_nothing_passed() -> None:
    """No exception, no dead node: passed."""
    assert ending_of(None) == Ending("passed")


def test_a_broken_requirement_failed() -> None:
    """The failure's own words go into the result."""
    error = RequirementFailed("it was so.", expected="a", actual="b")

    assert ending_of(error) == Ending("failed", "it was so.", "a", "b")


@pytest.mark.parametrize("late", [True, False])
def test_inconclusive_stays_inconclusive(late: bool) -> None:
    """Whether the harness was late is kept: only then a second pass can help."""
    assert ending_of(Inconclusive("no run.", late=late)) == Ending(
        "inconclusive", "no run.", late=late
    )


def test_what_cannot_be_shown_is_not_applicable() -> None:
    """The reason is the sentence."""
    assert ending_of(NotApplicable("no shim.")) == Ending("not applicable", "no shim.")


@pytest.mark.parametrize("kind", ["refused", "reset", "closed", "timed out", "malformed"])
def test_no_answer_where_one_is_due_failed(kind: str) -> None:
    """A registry that refuses, resets, hangs or garbles has broken the row."""
    ending = ending_of(NoAnswer(kind, "the reason", EXCHANGE))  # type: ignore[arg-type]  # each is an ending

    assert ending.outcome == "failed"
    assert ending.sentence == (
        "the registry did not answer: GET http://127.0.0.1/eureka/apps got no answer: the reason."
    )
    assert (ending.expected, ending.actual) == ("a complete answer", "the reason")


def test_an_answer_that_leaves_out_what_it_must_carry_failed() -> None:
    """A registry that does not tell its leases is at fault, not the harness that asks for them."""
    ending = ending_of(LeftOut("the answer says nothing about the lease of A/h"))

    assert ending.outcome == "failed"
    assert ending.sentence == "the answer says nothing about the lease of A/h."


def test_a_time_out_while_we_stalled_ourselves_is_inconclusive() -> None:
    """The five seconds may have passed in our own process: nothing is said of the registry."""
    error = NoAnswer("timed out", "after 5 s", EXCHANGE)

    ending = ending_of(error, stalled=OUR_OWN_STALL + 0.5)

    assert (ending.outcome, ending.late) == ("inconclusive", True)
    assert ending.sentence.startswith("the harness stalled for 1.5 s of real time")


def test_an_unreachable_machine_is_our_own_trouble() -> None:
    """Where there is no way to the host, the registry was never asked."""
    assert ending_of(NoAnswer("unreachable", "no route", EXCHANGE)).outcome == "inconclusive"


def test_an_unreadable_answer_failed() -> None:
    """An answer that cannot be read breaks the row, in the words of the reader."""
    ending = ending_of(Unreadable("`instance` is missing", EXCHANGE))

    assert ending.outcome == "failed"
    assert ending.expected == "an answer that can be read"


def test_a_wait_in_vain_is_inconclusive() -> None:
    """What was arranged did not come about; `due` is for what the row demands."""
    ending = ending_of(WaitedInVain("the first run", 7.0, None))

    assert ending == Ending(
        "inconclusive", "7 s of waiting for the first run were in vain; last seen: nothing."
    )


def test_any_other_error_is_the_harness_own() -> None:
    """A bug of the suite is never a verdict on the registry, and shows its traceback."""
    ending = ending_of(ValueError("oops"))

    assert ending == Ending(
        "inconclusive", "the harness failed: ValueError: oops", traceback_matters=True
    )


def test_what_could_not_run_is_inconclusive() -> None:
    """A node that did not start says nothing about the row."""
    assert ending_of(CannotRun("no Java")).sentence == "it could not run: no Java"


@pytest.mark.parametrize("error", [None, NoAnswer("refused", "refused", EXCHANGE), ValueError()])
def test_a_node_that_died_failed(error: Exception | None) -> None:
    """A registry that ends by itself has failed the test during which it did, however it ended."""
    ending = ending_of(error, dead=["b", "a"])

    assert ending.outcome == "failed"
    assert ending.sentence == "the registry on node a and b ended by itself during the test."


def test_a_broken_requirement_is_named_even_if_a_node_died() -> None:
    """The sentence that says what was wrong is not lost."""
    assert ending_of(RequirementFailed("it was so."), dead=["a"]).sentence == "it was so."
