"""Every assertion of the suites: what makes it fail, and the sentence a reader then sees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from eureka_tck.verdict import Case, Inconclusive, RequirementFailed, expect

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eureka_tck.verdict.expect import Expect


@dataclass
class AnAnswer:
    """What `expect` asks of an answer."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class LateClock:
    """A clock that says how late the harness was."""

    def __init__(self, lateness: float) -> None:
        self._lateness = lateness

    def now(self) -> float:
        """Return an instant."""
        return 1.0

    def lateness(self, since: float) -> float:
        """Return the same lateness always."""
        assert since == 1.0
        return self._lateness


FAILURES: list[tuple[Callable[[], Expect], str, str, str]] = [
    (
        lambda: expect("the answer", AnAnswer(200)).has_status(404),
        "the answer had status 200; it must have status 404.",
        "status 404",
        "200 without a body",
    ),
    (
        lambda: expect("the answer", AnAnswer(500, b"oh")).has_status(400, 404, because="bad id"),
        "the answer had status 500; it must have status 400 or 404 (bad id).",
        "status 400 or 404 (bad id)",
        "500 oh",
    ),
    (
        lambda: expect("the answer", AnAnswer(404, b"{}")).has_no_body(),
        "the answer had a body of 2 bytes; it must have no body.",
        "no body",
        "404 {}",
    ),
    (
        lambda: expect("the answer", AnAnswer(200)).has_header("Vary"),
        "the answer had no header Vary; it must have a header Vary.",
        "a header Vary",
        "200 without a body",
    ),
    (
        lambda: expect("the answer", AnAnswer(200, headers={"vary": "b"})).has_header("Vary", "a"),
        "the answer had the header Vary: b; it must have the header Vary: a.",
        "the header Vary: a",
        "the header Vary: b",
    ),
    (
        lambda: expect("the status", "UP").equals("DOWN"),
        "the status was UP; it must be DOWN.",
        "DOWN",
        "UP",
    ),
    (
        lambda: expect("the stamp", 7).differs_from(7),
        "the stamp was 7; it must be anything but 7.",
        "anything but 7",
        "7",
    ),
    (
        lambda: expect("the status", "UP").is_one_of("DOWN", "UNKNOWN"),
        "the status was UP; it must be DOWN or UNKNOWN.",
        "DOWN or UNKNOWN",
        "UP",
    ),
    (
        lambda: expect("lease expiration", False).is_true(because="the window is above"),
        "lease expiration was not so; it must be so (the window is above).",
        "so (the window is above)",
        "False",
    ),
    (
        lambda: expect("lease expiration", True).is_false(),
        "lease expiration was so; it must not be so.",
        "not be so",
        "True",
    ),
    (
        lambda: expect("the override", "DOWN").is_absent(),
        "the override was there; it must be absent.",
        "absent",
        "DOWN",
    ),
    (
        lambda: expect("the instance", AnAnswer(404)).is_present(),
        "the instance was absent; it must be there.",
        "there",
        "404 without a body",
    ),
    (
        lambda: expect("the instance", AnAnswer(500)).is_absent(),
        "the instance had status 500; it must have status 200 or 404.",
        "status 200 or 404",
        "status 500",
    ),
    (
        lambda: expect("the hash", "up_1").matches("UP_1_"),
        "the hash was up_1; it must be text like UP_1_.",
        "text like UP_1_",
        "up_1",
    ),
    (
        lambda: expect("the set of victims", ["a", "b"]).has_size(3, because="20 - 17"),
        "the set of victims had 2 elements; it must have 3 (20 - 17).",
        "3 (20 - 17)",
        "a, b",
    ),
    (
        lambda: expect("the list", ["a"]).contains("a", "b"),
        "the list lacked b; it must contain a, b.",
        "contain a, b",
        "a",
    ),
    (
        lambda: expect("the list", {"b", "a"}).lacks("b", "c"),
        "the list contained b; it must contain no b, c.",
        "contain no b, c",
        "a, b",
    ),
    (
        lambda: expect("the list", ["a", "a", "c"]).consists_of(["a", "b"]),
        "the list lacked b and had a, c too many; it must consist of exactly a, b.",
        "consist of exactly a, b",
        "a, a, c",
    ),
    (
        lambda: expect("the delay", 12.5).is_between(10, 12, because="D"),
        "the delay was 12.5 s; it must be between 10 and 12 s (D).",
        "between 10 and 12 s (D)",
        "12.5 s",
    ),
    (
        lambda: expect("the delay", 3).is_at_most(2),
        "the delay was 3 s; it must be at most 2 s.",
        "at most 2 s",
        "3 s",
    ),
    (
        lambda: expect("the delay", 1).is_at_least(2, unit="ms"),
        "the delay was 1 ms; it must be at least 2 ms.",
        "at least 2 ms",
        "1 ms",
    ),
    (
        lambda: expect("the count", 2).is_more_than(2),
        "the count was 2; it must be more than 2.",
        "more than 2",
        "2",
    ),
    (
        lambda: expect("the count", 2).is_less_than(2),
        "the count was 2; it must be less than 2.",
        "less than 2",
        "2",
    ),
]


@pytest.mark.parametrize(
    ("fails", "sentence", "expected", "actual"), FAILURES, ids=[each[1] for each in FAILURES]
)
def test_a_failed_assertion_is_a_sentence(
    fails: Callable[[], Expect], sentence: str, expected: str, actual: str
) -> None:
    """Each assertion says subject, what was seen and what must be, and both halves apart."""
    with pytest.raises(RequirementFailed) as caught:
        fails()

    failure = caught.value
    assert (failure.sentence, failure.expected, failure.actual) == (sentence, expected, actual)


def test_what_holds_may_be_followed_by_more() -> None:
    """Assertions that hold return the same object, and none of them raises."""
    answer = AnAnswer(200, b"", {"Content-Type": "application/json"})

    expect("the answer", answer).has_status(204, 200).has_no_body().has_header(
        "content-type", "application/json"
    ).is_present()
    expect("the status", "UP").equals("UP").differs_from("DOWN").is_one_of("UP").matches("[UP]+")
    expect("the list", ["a", "b"]).has_size(2).contains("a").lacks("c").consists_of({"b", "a"})
    expect("the figure", 2).is_between(2, 2).is_at_most(2).is_at_least(2)
    expect("the figure", 2).is_more_than(1).is_less_than(3)
    expect("nothing", None).is_absent()
    expect("the empty list", []).is_absent()
    expect("the answer", AnAnswer(404)).is_absent()
    expect("zero", 0).is_present()
    expect("it", True).is_true()
    expect("it", False).is_false()


def test_true_is_not_merely_something_truthy() -> None:
    """A statement holds only if it is True: a word that happens to be there is no proof."""
    with pytest.raises(RequirementFailed):
        expect("the statement", "yes").is_true()


@pytest.mark.parametrize(
    "misuse",
    [
        lambda: expect("it", 3).has_status(200),
        lambda: expect("it", 3).has_size(1),
        lambda: expect("it", True).is_at_most(1),
        lambda: expect("it", "3").is_at_least(1),
    ],
)
def test_an_assertion_about_the_wrong_kind_of_value_is_a_fault_of_the_test(
    misuse: Callable[[], Expect],
) -> None:
    """Asking a figure for its status is an error of the suite, never a verdict on a registry."""
    with pytest.raises(TypeError, match=r"^it is "):
        misuse()


def test_a_miss_while_the_harness_was_late_is_inconclusive() -> None:
    """A figure that misses while the harness was later than its margin says nothing."""
    case = Case("test_x.py::test_y")
    case.keep_time_by(LateClock(2.5))

    with case.running(), pytest.raises(Inconclusive) as caught:
        expect("the delay", 14.0).is_at_most(12, margin=2.0)

    assert caught.value.late
    assert caught.value.sentence == (
        "the harness was 2.5 s late, 2 s is the margin; "
        "the delay was 14 s where at most 12 s is due."
    )


def test_a_miss_within_the_margin_is_a_failure() -> None:
    """Lateness below the margin excuses nothing, and neither does a test without a margin."""
    case = Case("test_x.py::test_y")
    case.keep_time_by(LateClock(1.5))

    with case.running(), pytest.raises(RequirementFailed):
        expect("the delay", 14.0).is_at_most(12, margin=2.0)
    with case.running(), pytest.raises(RequirementFailed):
        expect("the delay", 14.0).is_at_most(12)


def test_a_failed_status_names_the_line_that_is_wrong() -> None:
    """What is wrong in an answer is told as a reader finds it there."""
    with pytest.raises(RequirementFailed) as caught:
        expect("the answer", AnAnswer(500)).has_status(404)

    assert caught.value.wrong == "HTTP/1.1 500"
