"""The views that promises are written in: operations, samples, fault spans, lateness."""

from __future__ import annotations

import math

import pytest

from eureka_tck.history import History
from eureka_tck.history.copies import copies
from eureka_tck.history.event import (
    ClockRead,
    Completed,
    Copied,
    Event,
    FaultBegan,
    FaultBit,
    FaultEnded,
    Header,
    Invoked,
    Sampled,
    Seen,
)
from eureka_tck.history.operations import operations
from eureka_tck.history.samples import readings, samples
from eureka_tck.history.spans import fault_spans, lateness, lost_time

UP = Seen("UP", "UNKNOWN", 1, "")
DOWN = Seen("DOWN", "UNKNOWN", 1, "")


def history(*events: Event) -> History:
    """Return a history of these events on two nodes."""
    header = Header(
        run="r",
        scenario="s",
        target="t",
        backend="process",
        speed=1,
        seed=1,
        started="",
        command="",
        nodes=("a", "b"),
        settings={},
    )
    return History(header, events)


def test_operation_joins_its_call_and_its_end() -> None:
    """A call and its completion are one operation."""
    told = history(
        Invoked(at=1.0, op=5, who="fleet", node="a", verb="renew", instance="CART/1"),
        Completed(at=1.2, op=5, outcome="refused", status=404),
    )

    (only,) = operations(told)

    assert (only.invoked, only.completed, only.outcome, only.status) == (1.0, 1.2, "refused", 404)


def test_operation_without_an_end_is_unknown() -> None:
    """A call whose end was never recorded may have been done."""
    told = history(Invoked(at=1.0, op=5, who="fleet", node="a", verb="renew", instance="CART/1"))

    (only,) = operations(told)

    assert (only.outcome, only.completed, only.ok) == ("unknown", None, False)


def test_samples_are_made_whole_from_changes() -> None:
    """Each sample holds all instances, though only changes were stored."""
    told = history(
        Sampled(at=1.0, began=0.9, node="a", whole=True, present={"X/1": UP, "X/2": UP}),
        Sampled(at=2.0, began=1.9, node="a"),
        Sampled(at=3.0, began=2.9, node="a", present={"X/2": DOWN}, absent=("X/1",)),
    )

    assert [dict(sample.present) for sample in samples(told)["a"]] == [
        {"X/1": UP, "X/2": UP},
        {"X/1": UP, "X/2": UP},
        {"X/2": DOWN},
    ]


def test_failed_sample_is_no_reading_and_changes_nothing() -> None:
    """A node that did not answer is as it was seen last, and counts as unread."""
    told = history(
        Sampled(at=1.0, began=0.9, node="a", whole=True, present={"X/1": UP}),
        Sampled(at=2.0, began=1.9, node="a", error="refused"),
    )

    assert dict(samples(told)["a"][1].present) == {"X/1": UP}
    assert len(readings(told)["a"]) == 1
    assert readings(told)["b"] == ()


def test_fault_span_runs_from_the_first_cut_to_the_end_of_healing() -> None:
    """A span knows its proof and both ends of its healing."""
    told = history(
        FaultBegan(at=3.0, fault="cut", kind="partition", said="b is cut off", links=("a>b",)),
        FaultBit(at=4.0, fault="cut", proof=("refused",)),
        FaultEnded(at=9.0, fault="cut", since=8.9),
    )

    (span,) = fault_spans(told)

    assert (span.began, span.bit, span.healing, span.ended) == (3.0, 4.0, 8.9, 9.0)
    assert span.links == {"a>b"}


def test_fault_without_an_end_never_ended() -> None:
    """A fault that the history does not see healed lasts for ever, and is not proven."""
    told = history(FaultBegan(at=3.0, fault="cut", kind="partition", said="b is cut off"))

    (span,) = fault_spans(told)

    assert (span.ended, span.healing, span.bit) == (math.inf, math.inf, None)


def test_fault_whose_healing_failed_never_ended() -> None:
    """An error while healing leaves the fault on."""
    told = history(
        FaultBegan(at=3.0, fault="cut", kind="partition", said="b is cut off"),
        FaultEnded(at=9.0, fault="cut", since=8.9, error="toxiproxy is gone"),
    )

    assert fault_spans(told)[0].ended == math.inf


def test_lateness_counts_readings_that_touch_the_stretch(subtests: pytest.Subtests) -> None:
    """A reading tells of all the time since the reading before it."""
    told = history(
        ClockRead(at=10.0, epoch_ms=0, late=0.1),
        ClockRead(at=20.0, epoch_ms=0, late=3.0),
        ClockRead(at=30.0, epoch_ms=0, late=0.2),
    )
    for since, until, worst in (
        (12.0, 15.0, 3.0),
        (21.0, 29.0, 0.2),
        (5.0, 40.0, 3.0),
        (31, 40, 0),
    ):
        with subtests.test(since=since):
            assert lateness(told, since, until) == worst


def test_answer_that_takes_long_tells_of_a_late_machine() -> None:
    """A sample and a call count, each for as long as it took, and only while it was under way."""
    told = history(
        Sampled(at=14.0, began=10.0, node="a"),
        Invoked(at=20.0, op=1, who="fleet", node="b", verb="renew", instance="X/1"),
        Completed(at=21.5, op=1, outcome="ok", status=200),
    )

    assert [lateness(told, *stretch) for stretch in ((12.0, 13.0), (15.0, 30.0), (22.0, 30.0))] == [
        4.0,
        1.5,
        0.0,
    ]


def test_sample_of_many_reads_may_be_left_out() -> None:
    """It is as long as what it has to confirm is much, whatever the machine."""
    told = history(Sampled(at=14.0, began=10.0, node="a"))

    assert lateness(told, 0.0, sampled=False) == 0.0


@pytest.mark.parametrize(
    "fault",
    [
        FaultBegan(at=9.0, fault="f", kind="pause", said="", nodes=("a",)),
        FaultBegan(at=9.0, fault="f", kind="partition", said="", links=("client>a",)),
    ],
)
def test_answer_that_a_fault_delays_tells_nothing_of_the_machine(fault: FaultBegan) -> None:
    """What stands still because it was frozen is no excuse for the other nodes."""
    assert lateness(history(fault, Sampled(at=14.0, began=10.0, node="a")), 0.0) == 0.0


@pytest.mark.parametrize(
    "sample",
    [
        Sampled(at=10.4, began=10.0, node="a"),
        Sampled(at=14.0, began=10.0, node="a", error="timed out"),
    ],
)
def test_quick_answer_and_none_at_all_tell_nothing_of_the_machine(sample: Sampled) -> None:
    """An answer has its time, and what never came is the affair of the promise about reads."""
    assert lateness(history(sample), 0.0) == 0.0


def test_copies_are_made_whole_from_changes() -> None:
    """Each copy holds all that its client knew, though only changes were stored."""
    told = history(
        Copied(at=1.0, client="r", node="a", read_at=0.9, whole=True, present={"X/1": "UP"}),
        Copied(at=2.0, client="r", node="a", read_at=1.9, present={"X/2": "UP"}, absent=("X/1",)),
    )

    assert [(copy.read_at, dict(copy.present)) for copy in copies(told)["r"]] == [
        (0.9, {"X/1": "UP"}),
        (1.9, {"X/2": "UP"}),
    ]


def test_fault_of_a_node_keeps_it_apart_from_all_others() -> None:
    """A killed node learns nothing and tells nothing, whatever its links do."""
    (span,) = fault_spans(
        history(
            FaultBegan(at=1.0, fault="kill", kind="kill", said="", nodes=("b",), forgets=("b",))
        )
    )

    assert (span.keeps_apart("b", "a"), span.keeps_apart("a", "b")) == (True, True)
    assert (span.keeps_apart("a", "a"), span.keeps_apart("a", "c")) == (False, False)
    assert span.forgets == {"b"}


def test_all_stretches_in_which_answers_took_long_are_lost_time() -> None:
    """Each step waits for the one before; what overlaps is lost once, and only what was asked."""
    slow = history(
        Sampled(at=14.0, began=10.0, node="a"),
        Sampled(at=16.0, began=12.0, node="b"),
        Sampled(at=21.0, began=20.0, node="a"),
        Sampled(at=22.1, began=22.0, node="a"),
    )

    stretches = ((0.0, 30.0), (13.0, 20.5), (16.5, 19.0))
    assert [lost_time(slow, *stretch) for stretch in stretches] == [7.0, 4.0, 0.0]
