"""A test in the making: its names, its timeline, its evidence."""

from __future__ import annotations

from eureka_tck.verdict import Case
from eureka_tck.verdict.case import current_case
from eureka_tck.wire.exchange import Exchange


class SteadyClock:
    """A clock that stands at 5 s and remembers since when lateness was asked."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    def now(self) -> float:
        """Return 5 s."""
        return 5.0

    def lateness(self, since: float) -> float:
        """Return 0.25 s."""
        self.asked.append(since)
        return 0.25


def test_names_of_two_cases_never_meet() -> None:
    """Application names and ids are a case's own, the same for one name, in one test."""
    one, other = Case("test_x.py::test_a"), Case("test_x.py::test_b")

    assert one.app("cart") == one.app("CART")
    assert one.app("cart").startswith("CART-")
    assert one.app("cart") != other.app("cart")
    assert one.id(1) == one.id("1")
    assert one.id(1) != other.id(1)


def test_a_second_attempt_has_names_of_its_own() -> None:
    """What the first attempt left registered does not meet the second."""
    assert Case("t::a", attempt=1).app() != Case("t::a", attempt=2).app()


def test_ids_without_a_name_are_fresh() -> None:
    """Each call without a name gives another id, and none that a name gives."""
    case = Case("t::a")

    assert len({case.id(), case.id(), case.id(1), case.id("new")}) == 4


def test_the_timeline_carries_the_clusters_instants() -> None:
    """A note has the instant of the cluster's clock, or the one it is given, or none at all."""
    case = Case("t::a")
    case.note("before there was a cluster")
    case.keep_time_by(SteadyClock())
    case.note("now")
    case.note("earlier", at=2.0)

    assert [(one.at, one.text) for one in case.timeline] == [
        (None, "before there was a cluster"),
        (5.0, "now"),
        (2.0, "earlier"),
    ]


def test_lateness_counts_since_what_is_judged_began() -> None:
    """A test that reads a recording is as late as the recording was."""
    case, clock = Case("t::a"), SteadyClock()
    case.keep_time_by(clock)
    case.began(1.5)
    case.began(3.0)

    assert case.lateness() == 0.25
    assert clock.asked == [1.5]


def test_without_a_clock_nothing_was_late() -> None:
    """A case without a cluster has no lateness."""
    assert Case("t::a").lateness() == 0.0


def test_all_that_was_given_stands_in_one_line() -> None:
    """Several givens are joined in the order in which they were said."""
    case = Case("t::a")
    case.given("20 registered")
    case.given("none renewed")

    assert case.given_text == "20 registered; none renewed"


def test_attached_exchanges_are_evidence() -> None:
    """An exchange from elsewhere stands beside those of the case's own client."""
    case = Case("t::a")
    exchange = Exchange(method="GET", url="http://127.0.0.1/eureka/apps", status=200)
    case.attach(exchange)

    assert case.exchanges == [exchange]


def test_a_case_is_current_while_it_runs() -> None:
    """Assertions find the case of the test that runs, and none outside of it."""
    case = Case("t::a")

    with case.running():
        assert current_case() is case
    assert current_case() is None
