"""Every kind of workload does what its name says, to registries that tell what they were called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eureka_tck.history import read_history
from eureka_tck.history.copies import copies
from eureka_tck.history.event import Invoked
from eureka_tck.schedules import workload
from eureka_tck.schedules.runner import WORKLOADS
from eureka_tck.schedules.schedule import Cast, Member
from eureka_tck.workloads.crew import Crew

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eureka_tck.workloads.site import Site
    from tests.eureka_tck.workloads.conftest import Lair

RENEWING: dict[str, Any] = {"name": "cart", "instances": 1, "lease": 60.0, "interval": 20.0}
ID = "/eureka/apps/CART/cart-1"
MEMBER = Member(
    app="CART", id="cart-1", number=0, home="a", joins=0.0, lease=60.0, interval=20.0, elsewhere="b"
)


def play(
    site: Site, data: workload.Workload, until: Callable[[], object], member: Member = MEMBER
) -> None:
    """Let it begin and turn, and wait until it has done what is asked."""
    kind = str(data.__struct_config__.tag)
    cast = Cast(name="cart", kind=kind, phase="settling", members=(member,), data=data)
    with Crew(site) as crew:
        one = WORKLOADS[kind](cast, site)
        one.start(crew, site.now())
        one.turn(crew, site.now())
        site.clock.wait_until(until, 200.0, f"a {kind}")


def verbs(lair: Lair) -> list[str]:
    """Return the calls of a registry without their queries, and without renewals."""
    calls = [call.partition("?")[0] for call in lair.calls]
    return [call for call in calls if call != f"PUT {ID}"]


def test_one_that_cancels_leaves_for_good(site: Site, lairs: dict[str, Lair]) -> None:
    """It cancels at its home once, and nothing is heard of it after."""
    data = workload.Leaving(**RENEWING, leaves=5.0)
    play(site, data, lambda: f"DELETE {ID}" in verbs(lairs["a"]))

    assert verbs(lairs["a"]) == ["POST /eureka/apps/CART", f"DELETE {ID}"]


def test_one_that_is_killed_says_nothing(site: Site, lairs: dict[str, Lair]) -> None:
    """It ends without a word: no renewal comes after the instant, and no cancellation."""
    data = workload.Leaving(**(RENEWING | {"interval": 4.0}), leaves=6.0, how="silence")
    start = site.now()
    play(
        site,
        data,
        lambda: site.now() > start + 30.0,
        Member(app="CART", id="cart-1", number=0, home="a", joins=0.0, lease=60.0, interval=4.0),
    )

    assert verbs(lairs["a"]) == ["POST /eureka/apps/CART"]
    assert 1 <= len(lairs["a"].calls) - 1 <= 2


def test_churn_leaves_and_returns(site: Site, lairs: dict[str, Lair]) -> None:
    """It cancels and registers again as often as it is told to."""
    data = workload.Churn(**RENEWING, leaves=3.0, away=3.0, stays=3.0, times=2)
    play(site, data, lambda: len(verbs(lairs["a"])) == 5)

    registered, cancelled = "POST /eureka/apps/CART", f"DELETE {ID}"
    assert verbs(lairs["a"]) == [registered, cancelled, registered, cancelled, registered]


def test_redeploy_replaces_each_once(site: Site, lairs: dict[str, Lair]) -> None:
    """Each instance cancels once and registers again."""
    data = workload.Redeploy(**RENEWING, leaves=3.0, every=5.0, away=3.0)
    play(site, data, lambda: len(verbs(lairs["a"])) == 3)

    assert verbs(lairs["a"])[1:] == [f"DELETE {ID}", "POST /eureka/apps/CART"]


def test_one_that_moves_registers_anew_elsewhere(
    site: Site, lairs: dict[str, Lair], tmp_path: Path
) -> None:
    """It registers at the other node with a newer T, and is heard of at its home no more."""
    data = workload.Moving(**RENEWING, moves=5.0)
    play(site, data, lambda: verbs(lairs["b"]))

    registrations = [
        event
        for event in read_history(tmp_path).events
        if isinstance(event, Invoked) and event.verb == "register"
    ]
    assert [event.node for event in registrations] == ["a", "b"]
    assert (registrations[0].dirty_ms or 0) < (registrations[1].dirty_ms or 0)


def test_one_that_fails_over_goes_to_the_next_node(site: Site, lairs: dict[str, Lair]) -> None:
    """A home that answers 503 is left for the next node."""
    lairs["a"].status = 503
    play(site, workload.FailoverRenewals(**RENEWING), lambda: verbs(lairs["b"]))

    assert verbs(lairs["b"]) == ["POST /eureka/apps/CART"]


def test_operator_sets_and_frees_the_status(site: Site, lairs: dict[str, Lair]) -> None:
    """With any node, what was set at the home is removed at the other one."""
    data = workload.Overrides(**RENEWING, begins=4.0, every=4.0, changes=2, by="any")
    play(site, data, lambda: any("status" in call for call in verbs(lairs["b"])))

    assert f"PUT {ID}/status?value=OUT_OF_SERVICE" in lairs["a"].calls
    assert f"DELETE {ID}/status?value=UP" in lairs["b"].calls


def test_metadata_changes_at_the_home(site: Site, lairs: dict[str, Lair]) -> None:
    """Each change has its own version."""
    data = workload.MetadataChanges(**RENEWING, begins=4.0, every=4.0, changes=2)
    play(site, data, lambda: f"PUT {ID}/metadata?version=2" in lairs["a"].calls)

    assert f"PUT {ID}/metadata?version=1" in lairs["a"].calls


def test_reader_keeps_a_copy(site: Site, lairs: dict[str, Lair], tmp_path: Path) -> None:
    """It reads all, and where deltas do not fit it reads all again, and says what it holds."""
    data = workload.Readers(name="eyes", clients=1, every=4.0)
    with Crew(site) as crew:
        steady = workload.SteadyRenewals(**RENEWING)
        cast = Cast(name="cart", kind="k", phase="settling", members=(MEMBER,), data=steady)
        WORKLOADS["steady-renewals"](cast, site).start(crew, site.now())
        eye = Member(app="EYES", id="eye", number=1, home="a", joins=2.0, lease=0.0, interval=None)
        looking = Cast(name="eyes", kind="readers", phase="settling", members=(eye,), data=data)
        readers = WORKLOADS["readers"](looking, site)
        assert readers.lacks(site.watch) == "eyes: 0 hold no copy yet"
        readers.start(crew, site.now())
        assert readers.lacks(site.watch) == "eyes: 1 hold no copy yet"
        site.clock.wait_until(lambda: lairs["a"].calls.count("GET /eureka/apps") > 1, 100, "reads")

    held = copies(read_history(tmp_path))["eye"]
    assert readers.is_satisfied(site.watch)
    assert dict(held[-1].present) == {"CART/cart-1": "UP"}
