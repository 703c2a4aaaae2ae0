"""
Chapter 11, eviction: when it runs, how many it takes, and whom.

The tests read recordings (`eureka_tck.observe.evictions`, `stall`, `mesh`) and judge by the
stamps that the registry itself puts on what it evicts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.evictions import guarded
from eureka_tck.observe.runs import usual_gap
from eureka_tck.verdict import Inconclusive, expect, requirement

if TYPE_CHECKING:
    from eureka_tck.actors.instance import Instance
    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.evictions import Evictions, Rhythm
    from eureka_tck.observe.mesh import LoneEviction
    from eureka_tck.observe.stall import Stall, Step

NEEDS = {"settings", "stamps"}
COUNTED = NEEDS | {"counters"}


# EVICT-01: when


@requirement("EVICT-01", profile="evict", needs=NEEDS, seconds=12)
def test_an_expired_lease_is_gone_within_one_interval(rhythm: Rhythm) -> None:
    """
    A lease that has run out is evicted within the 5 s between two runs.

    Two seconds more are for a run that a busy machine lets come late; the next one is 10 s away.
    """
    expect("the eviction of the only lease, long expired", rhythm.first).is_present()
    expect("the time from a lease's end to its eviction", rhythm.waited()).is_between(
        0, 7, because="a run every 5 s, and 2 s for a busy machine", margin=1
    )


@requirement("EVICT-01", profile="evict", needs=NEEDS, seconds=165, depth="full")
def test_eviction_runs_every_interval(evictions: Evictions) -> None:
    """The usual time between two runs is the interval, 5 s."""
    gap = usual_gap(evictions.series)
    if gap is None:
        raise Inconclusive("fewer than two eviction runs were seen in a hundred expired leases.")

    expect("the median time between the starts of two runs", gap).is_between(4.95, 5.5)


# EVICT-02: how many


@requirement("EVICT-02", profile="evict", needs=NEEDS, seconds=75)
@pytest.mark.parametrize(
    ("size", "limit"), [(1, 1), (2, 1), (6, 1), (7, 2), (10, 2), (20, 3), (100, 15)]
)
def test_one_run_evicts_at_most_15_percent(evictions: Evictions, size: int, limit: int) -> None:
    """One run leaves 85 % of the leases, rounded down, in place, and takes the rest."""
    run = guarded(evictions.rounds[size]).run

    expect(f"the first run over {size} expired leases", run.victims).has_size(
        limit, because=f"{size} - int({size} × 0.85)", of="victims"
    )


@requirement("EVICT-02", profile="evict", needs=NEEDS, seconds=75)
def test_live_leases_count_in_the_size(evictions: Evictions) -> None:
    """Six expired leases and a live one are seven: a run takes two, of six alone it took one."""
    run = guarded(evictions.mixed).run

    expect("the first run over 6 expired leases and a live one", run.victims).has_size(
        2, because="7 - int(7 × 0.85)", of="victims"
    )


@requirement("EVICT-02", profile="clock", needs=NEEDS | {"pause"}, seconds=60)
def test_percentage_0_lifts_the_cap(stall: Stall) -> None:
    """With renewalPercentThreshold 0 one run takes more than the 3 of 16 that 85 % would allow."""
    expect("the number of victims of the run over 16 leases", len(stall.late.victims)).is_more_than(
        3, because="16 - int(16 × 0) is no limit, and 4 or more had expired"
    )


@requirement("EVICT-02", profile="cache-on", needs={"settings"}, seconds=14)
def test_percentage_100_evicts_nothing(cart: Instance, cluster: Cluster) -> None:
    """
    With renewalPercentThreshold 1.0 a lease that ran out outlives ten runs: a renewal finds it.

    That expiry is enabled is shown by the read, which no longer finds it.
    """
    cart.register(duration=2)
    clock = cluster.clock
    try:
        clock.wait_until(
            lambda: cart.read().status == 404,
            within=10,
            what="the end of a lease of 2 s",
            pace=0.5,
            not_before=clock.now() + 2,
        )
    except WaitedInVain as vain:
        raise Inconclusive(f"the lease did not run out: {vain}.") from vain

    clock.reach(clock.now() + 10)

    expect("the answer to a renewal ten runs later", cart.renew()).has_status(
        200, because="a run evicts at most 1 - int(1 × 1.0)"
    )


# EVICT-03: whom. Bounds from exact distributions, `tests/eureka_tck/observe/test_odds.py`


@requirement("EVICT-03", profile="evict", needs=NEEDS, seconds=75)
@pytest.mark.parametrize("draw", ["first", "second"])
def test_the_victims_of_one_run_come_from_many_applications(
    evictions: Evictions, draw: str
) -> None:
    """
    Fifteen victims out of ten applications of ten leases hit at least four applications.

    A random choice hits three or fewer once in 14 million draws; one that empties application by
    application hits two.
    """
    round_ = guarded({"first": evictions.hundred, "second": evictions.again}[draw])

    hit = {round_.app_of[victim] for victim in round_.run.victims}

    expect("the number of applications hit by one run", len(hit)).is_at_least(4, unit="of 10")


@requirement("EVICT-03", profile="evict", needs=NEEDS, seconds=75)
def test_the_same_leases_are_not_drawn_in_the_same_order_again(evictions: Evictions) -> None:
    """
    Two draws of fifteen from the same hundred ids share at most nine.

    A random choice shares ten or more once in 2.5 million pairs; an order by hash or id shares all.
    """
    first, second = guarded(evictions.hundred).run, guarded(evictions.again).run

    both = set(first.victims) & set(second.victims)

    expect("the number of ids drawn both times", len(both)).is_at_most(9, unit="of 15")


@requirement("EVICT-03", profile="evict", needs=NEEDS, seconds=75)
def test_small_applications_are_not_emptied_first(evictions: Evictions) -> None:
    """
    Of eighteen applications of one lease, beside one of 82, one run empties at most ten.

    A random choice of leases empties eleven or more once in 4.4 million draws; one that draws an
    application first, then a lease, empties fourteen on average.
    """
    round_ = guarded(evictions.uneven)

    emptied = [name for name in round_.run.victims if round_.app_of[name] != "EVICT-LARGE"]

    expect("the number of single-lease applications emptied", len(emptied)).is_at_most(
        10, unit="of 18"
    )


# EVICT-04: the others


@requirement("EVICT-04", profile="evict", needs=NEEDS, seconds=165, depth="full")
def test_the_other_expired_leases_follow_in_the_next_runs(evictions: Evictions) -> None:
    """A hundred expired leases go in twenty runs, each capped by what the one before left."""
    expect(
        "the sizes of the runs over 100 expired leases", [len(r) for r in evictions.series]
    ).equals([15, 13, 11, 10, 8, 7, 6, 5, 4, 4, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1])


# EVICT-05, EVICT-08: a run that comes late


@requirement("EVICT-05", profile="clock", needs=NEEDS | {"pause"}, seconds=60)
def test_a_late_run_evicts_what_had_expired_when_it_was_due(stall: Stall) -> None:
    """A run 14 s late takes each lease that ran out before the run was due."""
    due = stall.expired_by_due_time()

    expect("the set of victims of a late run", set(stall.late.victims)).contains(*sorted(due))


@requirement("EVICT-05", profile="clock", needs=NEEDS | {"pause"}, seconds=60)
def test_a_late_run_spares_what_expired_while_it_was_late(stall: Stall) -> None:
    """A run 14 s late adds 14 s to every lease: what ran out in that time stays."""
    spared = stall.expired_while_late()

    expect("the set of victims of a late run", set(stall.late.victims)).lacks(*sorted(spared))


@requirement("EVICT-08", profile="clock", needs=NEEDS | {"pause"}, seconds=60)
def test_what_a_late_run_spared_goes_in_the_next(stall: Stall) -> None:
    """The lateness is added for one run only: what does not renew goes in the next one."""
    spared = stall.expired_while_late()

    expect("the set of victims of the run after a late one", stall.victims_of_the_next()).contains(
        *sorted(spared)
    )


@requirement("EVICT-08", profile="clock", needs=NEEDS | {"pause"}, seconds=60)
def test_what_renews_after_a_late_run_stays(stall: Stall) -> None:
    """An instance whose lease ran out during the pause, and that renews after it, lives on."""
    expect("the set of all victims", stall.victims()).lacks(stall.renewed)


# EVICT-06: what an eviction leaves behind


@requirement("EVICT-06", profile="evict", needs=COUNTED, seconds=75)
def test_each_eviction_lowers_the_expected_clients(evictions: Evictions) -> None:
    """A run over twenty leases lowers the threshold of 21 clients by that of one a victim."""
    evicted = len(guarded(evictions.rounds[20]).run)
    thresholds = {1: 34, 2: 32, 3: 30, 4: 28, 5: 27}

    expect("the threshold of 20 leases", evictions.before).equals(35, because="int(21 × 2 × 0.85)")
    expect(f"the threshold after {evicted} evictions", evictions.after).equals(
        thresholds.get(evicted), because=f"int({21 - evicted} × 2 × 0.85)"
    )


@requirement("EVICT-06", profile="evict", needs=NEEDS, seconds=75)
def test_an_eviction_removes_the_override(evictions: Evictions) -> None:
    """An instance evicted under the override OUT_OF_SERVICE and registered again is UP."""
    record = guarded(evictions.returned)

    expect(
        "status and override after the return", (record.status, record.overridden_status)
    ).equals(("UP", "UNKNOWN"))


# EVICT-07: whose affair it is


@requirement("EVICT-07", profile="mesh", needs={"settings", "stamps", "peers"}, seconds=30)
@pytest.mark.parametrize("node", ["a", "b"])
def test_an_eviction_is_not_told_to_the_peers(lone_eviction: LoneEviction, node: str) -> None:
    """What node c evicted is still listed at its peers, after later changes of c have arrived."""
    expect(f"the set of instances still listed at {node}", lone_eviction.listed[node]).consists_of(
        lone_eviction.evicted
    )


# EVICT-09: the wall clock


@requirement("EVICT-09", profile="step", needs=NEEDS | {"step"}, seconds=50)
def test_a_forward_step_of_the_wall_clock_evicts_nothing_that_would_have_lived(step: Step) -> None:
    """Leases of 40 s live through two runs after a step of +60 s, while leases of 1 s go."""
    expect("the set of leases of 40 s that were evicted", step.gone).is_absent()
