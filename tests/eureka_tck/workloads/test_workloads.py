"""Workloads and samplers on registries that live in this process."""

from __future__ import annotations

import itertools
import threading
from typing import TYPE_CHECKING

import pytest

from eureka_tck.history import read_history
from eureka_tck.history.event import Completed, Sampled, Seen
from eureka_tck.history.operations import operations
from eureka_tck.history.samples import samples
from eureka_tck.schedules.schedule import Cast, Member
from eureka_tck.workloads.abandoned import Abandoned
from eureka_tck.workloads.caller import Caller
from eureka_tck.workloads.crew import Crew
from eureka_tck.workloads.renewals import SteadyRenewals
from eureka_tck.workloads.sampler import Samplers
from eureka_tck.workloads.watch import Watch

if TYPE_CHECKING:
    from pathlib import Path

    from eureka_tck.workloads.site import Site
    from tests.eureka_tck.workloads.conftest import Lair

NOBODY = "http://127.0.107.22:9"  # an address where nobody listens
UP = Seen("UP", "UNKNOWN", 1, "")


def member(number: int = 1, home: str = "a", interval: float | None = 10.0) -> Member:
    """Return an instance that joins at once."""
    return Member(
        app="CART",
        id=f"cart-{number}",
        number=number,
        home=home,
        joins=0.0,
        lease=60.0,
        interval=interval,
    )


def cast_of(*members: Member, kind: str = "steady-renewals") -> Cast:
    """Return a workload of these instances."""
    return Cast(name="fleet", kind=kind, phase="settling", members=members)


def called(lair: Lair, method: str) -> int:
    """Return how many calls of a method the registry got."""
    return sum(call.startswith(method) for call in lair.calls)


def play(site: Site, cast: Cast, lair: Lair, renewals: int) -> None:
    """Play a workload until the registry has got so many renewals."""
    with Crew(site) as crew:
        SteadyRenewals(cast, site).start(crew, site.now())
        site.clock.wait_until(lambda: called(lair, "PUT") >= renewals, 200, "renewals")


def test_instance_registers_once_and_then_renews(
    site: Site, lairs: dict[str, Lair], tmp_path: Path
) -> None:
    """A client registers at its home and renews there every interval, and all of it is told."""
    play(site, cast_of(member()), lairs["a"], renewals=3)

    calls = operations(read_history(tmp_path))
    gaps = [b.invoked - a.invoked for a, b in itertools.pairwise(calls)]
    assert [call.verb for call in calls] == ["register", "renew", "renew", "renew"]
    assert {call.outcome for call in calls} == {"ok"}
    assert all(gap == pytest.approx(10.0, abs=4.0) for gap in gaps)
    assert lairs["b"].calls == []


def test_renewal_answered_404_is_followed_by_a_registration_with_a_newer_t(
    site: Site, lairs: dict[str, Lair], tmp_path: Path
) -> None:
    """A client that is unknown registers again at once."""
    lairs["a"].lost.add("CART/cart-1")
    play(site, cast_of(member()), lairs["a"], renewals=1)

    calls = operations(read_history(tmp_path))
    assert [(call.verb, call.status) for call in calls[:3]] == [
        ("register", 204),
        ("renew", 404),
        ("register", 204),
    ]
    first, second = calls[0].dirty_ms, calls[2].dirty_ms
    assert first is not None
    assert second is not None
    assert second > first


def test_registration_that_fails_is_tried_again(site: Site, lairs: dict[str, Lair]) -> None:
    """A client without a registration does not renew, but registers until it has one."""
    lairs["a"].status = 503
    with Crew(site) as crew:
        SteadyRenewals(cast_of(member()), site).start(crew, site.now())
        site.clock.wait_until(lambda: called(lairs["a"], "POST") >= 2, 60, "two attempts")
        lairs["a"].status = None
        site.clock.wait_until(lambda: called(lairs["a"], "PUT") >= 1, 60, "a renewal")

    assert "CART/cart-1" in lairs["a"].instances


@pytest.mark.parametrize(
    ("status", "outcome"), [(204, "ok"), (404, "refused"), (400, "refused"), (503, "unknown")]
)
def test_outcome_of_a_call_is_what_its_status_proves(
    site: Site, lairs: dict[str, Lair], status: int, outcome: str
) -> None:
    """2xx was done, 4xx was not, 5xx may have been."""
    lairs["a"].status = status
    caller = Caller(site, "a")
    done = caller.cancel("test", member())
    caller.close()

    assert (done.outcome, done.status) == (outcome, status)


def test_call_that_finds_nobody_was_certainly_not_done(site: Site) -> None:
    """A refused connection is a refusal, and the history says why."""
    object.__setattr__(site.cluster["a"], "root", NOBODY)
    caller = Caller(site, "a")
    done = caller.renew("test", member(), 1)
    caller.close()

    assert (done.outcome, done.status) == ("refused", None)
    assert done.error.startswith("refused: ")


def test_abandoned_instance_registers_and_is_never_heard_of_again(
    site: Site, lairs: dict[str, Lair]
) -> None:
    """The control of evictions makes one call in its life."""
    with Crew(site) as crew:
        Abandoned(cast_of(member(interval=None), kind="abandoned"), site).start(crew, site.now())
        site.clock.wait_until(lambda: lairs["a"].calls, 30, "the registration")
        site.clock.reach(site.now() + 5)

    assert lairs["a"].calls == ["POST /eureka/apps/CART"]


def test_crew_leaves_no_thread_behind(site: Site, lairs: dict[str, Lair]) -> None:
    """All threads of workloads and samplers have ended when their block is left."""
    with Crew(site) as crew, Samplers(site, 2.0):
        SteadyRenewals(cast_of(member()), site).start(crew, site.now())
        site.clock.wait_until(lambda: lairs["a"].calls, 30, "a call")

    names = {thread.name for thread in threading.enumerate()}
    assert not {name for name in names if name.startswith(("caller-", "sampler-"))}


def test_error_of_a_thread_is_raised_where_it_is_looked_for(site: Site) -> None:
    """An appointment that breaks ends its thread, and the runner hears of it."""

    def broken(_: Caller) -> float:
        raise LookupError("lost the calendar")

    with Crew(site) as crew:
        crew.appoint("a", site.now(), broken)
        with pytest.raises(LookupError, match="lost the calendar"):
            site.clock.wait_until(crew.check, 30, "the error")


def test_samples_hold_what_a_node_shows_and_then_only_changes(site: Site, tmp_path: Path) -> None:
    """The first sample is whole, later ones tell what is new and what is gone."""
    caller = Caller(site, "a")
    caller.register("test", member(1), 1)
    with Samplers(site, 2.0):
        site.clock.wait_until(lambda: site.watch.latest("a"), 30, "the first sample")
        caller.register("test", member(2), 1)
        site.clock.wait_until(lambda: len(site.watch.latest("a")) == 2, 30, "the second instance")
        caller.cancel("test", member(1))
        site.clock.wait_until(lambda: len(site.watch.latest("a")) == 1, 30, "its end")
    caller.close()

    told = [
        event
        for event in read_history(tmp_path).events
        if isinstance(event, Sampled) and event.node == "a" and (event.present or event.absent)
    ]
    assert [(one.whole, sorted(one.present), one.absent) for one in told] == [
        (True, ["CART/cart-1"], ()),
        (False, ["CART/cart-2"], ()),
        (False, [], ("CART/cart-1",)),
    ]


def test_instance_that_a_stale_list_lacks_is_read_singly(
    site: Site, lairs: dict[str, Lair], tmp_path: Path
) -> None:
    """A list that lacks what was registered is not believed until a single read agrees."""
    caller = Caller(site, "a")
    caller.register("test", member(), 1)
    caller.close()
    lairs["a"].hidden.add("CART/cart-1")
    with Samplers(site, 2.0):
        site.clock.wait_until(lambda: site.watch.latest("a"), 30, "a sample")

    assert "CART/cart-1" in samples(read_history(tmp_path))["a"][-1].present


def test_instance_with_another_t_in_a_list_is_read_singly(
    site: Site, lairs: dict[str, Lair]
) -> None:
    """A list that shows an older T than was registered last may be stale too."""
    caller = Caller(site, "a")
    caller.register("test", member(), 1)
    site.watch.registered("CART/cart-1", 2)
    with Samplers(site, 2.0):
        site.clock.wait_until(lambda: site.watch.latest("a"), 30, "a sample")
    caller.close()

    assert "GET /eureka/apps/CART/cart-1" in lairs["a"].calls


def test_node_that_does_not_answer_is_a_sample_with_an_error(
    site: Site, lairs: dict[str, Lair], tmp_path: Path
) -> None:
    """A failed reading says why and shows nothing gone."""
    lairs["a"].status = 403
    with Samplers(site, 2.0):
        site.clock.wait_until(lambda: len(lairs["a"].calls) >= 2, 30, "two samples")

    first = next(
        event
        for event in read_history(tmp_path).events
        if isinstance(event, Sampled) and event.node == "a"
    )
    assert first.error.endswith("the status is 403")
    assert (first.present, first.absent) == ({}, ())


def test_last_sample_is_made_of_single_reads(
    site: Site, lairs: dict[str, Lair], tmp_path: Path
) -> None:
    """What a list still shows and a single read does not know is gone in the last sample."""
    caller = Caller(site, "a")
    caller.register("test", member(), 1)
    caller.close()
    with Samplers(site, 2.0) as samplers:
        site.clock.wait_until(lambda: site.watch.latest("a"), 30, "a sample")
        del lairs["a"].instances["CART/cart-1"]
        samplers.finish(["CART/cart-1"])

    last = samples(read_history(tmp_path))["a"][-1]
    assert (last.source, dict(last.present)) == ("single", {})


def test_every_call_has_its_end_in_the_history(
    site: Site, lairs: dict[str, Lair], tmp_path: Path
) -> None:
    """A crew that was stopped has completed every call it began."""
    play(site, cast_of(*(member(number) for number in range(5))), lairs["a"], renewals=4)

    history = read_history(tmp_path)
    done = sum(isinstance(event, Completed) for event in history.events)
    assert done == len(operations(history))


def test_watch_knows_when_all_nodes_show_the_same() -> None:
    """Everywhere means at every node and with the same data."""
    watch = Watch("ab")
    watch.saw("a", {"X/1": UP})
    assert not watch.everywhere(["X/1"])
    watch.saw("b", {"X/1": Seen("DOWN", "UNKNOWN", 1, "")})
    assert not watch.everywhere(["X/1"])
    watch.saw("b", {"X/1": UP})
    assert watch.everywhere(["X/1"])


def test_watch_believes_no_node_that_gave_no_answer_since() -> None:
    """What it showed before may be forgotten, as by a restart."""
    watch = Watch("ab")
    for node in "ab":
        watch.saw(node, {"X/1": UP, "X/2": UP})
        watch.saw(node, {"X/1": UP})
    assert (watch.everywhere(["X/1"]), watch.gone(["X/2"])) == (True, True)

    watch.failed("b", "refused")
    assert (watch.everywhere(["X/1"]), watch.gone(["X/2"])) == (False, False)


def test_watch_knows_what_is_gone_only_once_it_was_there() -> None:
    """What a node has never shown is not gone from it."""
    watch = Watch("ab")
    watch.saw("a", {"X/1": UP})
    watch.saw("a", {})
    assert not watch.gone(iter(["X/1"]))
    watch.saw("b", {"X/1": UP})
    assert not watch.gone(iter(["X/1"]))
    watch.saw("b", {})
    assert watch.gone(iter(["X/1"]))
