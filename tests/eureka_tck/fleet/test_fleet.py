"""A fleet of instances on a few connections, against a registry that does what it is told."""

from __future__ import annotations

import threading
from collections import deque
from heapq import heappush
from typing import TYPE_CHECKING

import pytest

from eureka_tck.fleet.finding import measured
from eureka_tck.fleet.histogram import percentile_ms
from eureka_tck.fleet.member import OUTSIDE, SILENT, UP, Task
from eureka_tck.fleet.request import CANCEL, RENEW
from eureka_tck.fleet.storm import Moment

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.fleet.fleet import Fleet
    from eureka_tck.fleet.storm import Deed
    from tests.eureka_tck.fleet.conftest import MakeFleet, Registry


def until(fleet: Fleet, condition: Callable[[], object], budget: float = 20.0) -> None:
    """Drive the fleet until the condition holds; fail with its tally after so many seconds."""
    end = fleet.now() + budget
    while not condition():
        assert fleet.now() < end, fleet.counted()
        fleet.step()


def test_a_fleet_registers_renews_and_leaves_nothing(registry: Registry, fleet: MakeFleet) -> None:
    """Every instance registers once, renews in its own time, and is gone in the end."""
    told: list[tuple[str, float]] = []
    one = fleet(told=lambda call, latency: told.append((call.kind.name, latency)))

    until(one, lambda: one.tally.acknowledged >= 40)
    held = set(registry.held)
    one.finish(10)
    one.leave()

    assert held == {f"fleet-{n:07d}" for n in range(20)}
    assert {body["app"] for body in registry.bodies} == {"FLEET-000", "FLEET-001"}
    assert registry.held == {}
    tally = one.counted()
    assert (tally.registered, tally.cancelled, tally.failures) == (20, 20, 0)
    assert tally.sent == tally.acknowledged == registry.seen["PUT"]
    assert len(told) == tally.requests == registry.seen.total()


def test_a_stall_cannot_hide(registry: Registry, fleet: MakeFleet) -> None:
    """While nothing is answered every turn is late from its intended time, though few were sent."""
    one = fleet(connections=1, instances=40, renewal_interval=1, audits=0)
    until(one, lambda: one.tally.acknowledged >= 20)
    release = threading.Timer(1.0, registry.stall.release)
    registry.stall.acquire()
    release.start()

    until(one, lambda: one.tally.acknowledged >= 80)
    release.join()

    intended, reported = one.tally.intended_us["PUT renew"], one.tally.reported_us["PUT renew"]
    hurt = sum(count for key, count in intended.items() if key > 300_000)
    sent = sum(count for key, count in reported.items() if key > 300_000)
    assert hurt >= 8
    assert sent < hurt
    assert (percentile_ms(intended, 0.9) or 0) > (percentile_ms(reported, 0.9) or 0)
    assert one.tally.late > 0


def test_the_turns_of_a_storm_end_with_it(fleet: MakeFleet) -> None:
    """However much later it is told to stop, a fleet intends what the storm's length holds."""
    one = fleet(minutes=20, renewal_interval=600, audits=0)  # whose even phases are 30 s apart
    until(one, lambda: one.tally.registered == 20)

    one._send_due(one.now() + 5000)

    assert one.tally.intended == 40
    assert one._renewals.next_at() == float("inf")


def test_an_instance_that_is_unanswered_misses_its_next_turn(
    registry: Registry, fleet: MakeFleet
) -> None:
    """A turn that comes while the one before is under way is counted, not sent."""
    one = fleet(instances=4, audits=0)
    until(one, lambda: one.tally.acknowledged >= 4)
    with registry.stall:
        until(one, lambda: one.tally.missed >= 4)
    until(one, lambda: one.tally.acknowledged >= 8)
    one.finish(10)

    assert one.tally.intended == one.tally.sent + one.tally.missed


def test_a_fleet_leaves_a_registry_that_hangs(
    registry: Registry, fleet: MakeFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within its budgets; what was never sent and never answered is counted as that."""
    told: list[str] = []
    one = fleet(audits=0, connections=2, told=lambda call, _: told.append(call.problem))
    until(one, lambda: one.tally.registered == 20)
    monkeypatch.setattr("eureka_tck.fleet.fleet.LEAVE_BUDGET", 0.2)
    monkeypatch.setattr("eureka_tck.fleet.fleet.ANSWER_BUDGET", -0.8)

    with registry.stall:
        until(one, lambda: one.tally.missed)
        one.finish(0.2)
        after_storm = len(told)
        one.leave()

    tally = one.counted()
    assert tally.intended == tally.sent + tally.missed
    assert tally.requests == len(told) == after_storm + 20
    assert told[after_storm:].count("it was never sent: every connection was busy to the end") == 18
    assert told[after_storm:].count("no answer before the end") == 2
    assert tally.cancelled == 0


def test_a_renewal_that_its_cancellation_overtook_is_no_failure(fleet: MakeFleet) -> None:
    """The 404 is right: the instance is gone."""
    one = fleet(instances=2, audits=0, renewal_interval=600)
    until(one, lambda: one.tally.registered == 2)
    for member in (0, 1):
        one._sender.call(CANCEL, member, one.now())
        one.members.state[member] = OUTSIDE
    until(one, lambda: one.tally.cancelled == 2)

    one._sender.call(RENEW, 0, one.now())
    until(one, lambda: one.tally.statuses.get("404") == 1)
    assert one.tally.failures == 0
    one.members.state[1] = UP
    one._sender.call(RENEW, 1, one.now())
    until(one, lambda: one.tally.statuses.get("404") == 2)

    assert one.tally.failures == 1
    until(one, lambda: one.tally.reregistered == 1)


def test_who_died_is_not_registered_by_a_retry(registry: Registry, fleet: MakeFleet) -> None:
    """A registration that failed is not tried again for one that fell silent meanwhile."""
    one = fleet(instances=2, audits=0, renewal_interval=600)
    until(one, lambda: one.tally.registered == 2)
    one.members.state[0] = SILENT
    calls = registry.seen["POST"]

    for member, wait in ((1, 0.2), (0, 0.1), (1, 0.0)):
        heappush(one._retries, Task(one.now() + wait, member, "register"))
    until(one, lambda: registry.seen["POST"] == calls + 2 and not one._retries)
    one.finish(10)

    assert registry.seen["POST"] == calls + 2
    assert one.members.state[0] == SILENT


def test_a_forgotten_instance_registers_anew_with_a_newer_timestamp(
    registry: Registry, fleet: MakeFleet
) -> None:
    """404 within the lease is an eviction of a live instance; the registration has a larger T."""
    one = fleet(duration=600)
    until(one, lambda: one.tally.acknowledged >= 20)

    registry.held.clear()
    until(one, lambda: one.tally.reregistered == 20)

    by_id: dict[str, list[int]] = {}
    for body in registry.bodies:
        by_id.setdefault(body["instanceId"], []).append(int(body["lastDirtyTimestamp"]))
    assert all(len(stamps) == 2 and stamps[0] < stamps[1] for stamps in by_id.values())
    assert one.tally.forgotten == one.tally.evicted_live == 20
    assert one.tally.registered == 20


def test_a_renewal_that_moves_no_lease_is_lost(registry: Registry, fleet: MakeFleet) -> None:
    """It was acknowledged, and reading the instance back shows the stamp of before."""
    one = fleet(instances=5)
    until(one, lambda: one.tally.audited >= 5)
    assert one.tally.lost == 0

    registry.fate = lambda verb, path, _: 200 if verb == "PUT" and "0000003" in path else None
    until(one, lambda: one.tally.lost >= 2)

    assert measured(one.tally)["lost_renewals"] == one.tally.lost
    assert "instance 3: a renewal was acknowledged" in one.tally.problems[-1]


def test_an_idle_connection_that_was_closed_costs_no_request(
    registry: Registry, fleet: MakeFleet
) -> None:
    """What finds its connection closed is sent once more, and is no failure."""
    one = fleet(instances=10, connections=2, audits=0)
    until(one, lambda: one.tally.acknowledged >= 10)

    once = iter(["close"])
    registry.fate = lambda verb, *_: next(once, None) if verb == "PUT" else None
    until(one, lambda: one.counted().resent)
    until(one, lambda: one.tally.acknowledged >= 30)

    assert (one.tally.unanswered, one.tally.failures) == (0, 0)


def test_silence_is_counted_with_its_reason(registry: Registry, fleet: MakeFleet) -> None:
    """A registry that hangs up at every call has answered none of them."""
    one = fleet(instances=3, audits=0)
    until(one, lambda: one.tally.acknowledged >= 3)

    registry.fate = lambda verb, *_: "close" if verb == "PUT" else None
    until(one, lambda: one.tally.unanswered >= 3)

    assert one.tally.statuses["0"] >= 3
    assert any("closed without an answer" in problem for problem in one.tally.problems)


def test_a_registry_that_refuses_registrations_is_asked_again(
    registry: Registry, fleet: MakeFleet
) -> None:
    """An instance that got a 503 registers a second later."""
    registry.fate = lambda verb, _, count: 503 if verb == "POST" and count <= 2 else None

    one = fleet(instances=4)
    until(one, lambda: one.tally.registered == 4)

    assert one.tally.statuses["503"] == 2


def test_clients_turn_to_the_next_node_when_theirs_is_gone(
    registry: Registry, fleet: MakeFleet
) -> None:
    """A refused connection marks a node as down; its instances renew at the other."""
    one = fleet(addresses=(("127.0.0.1", 1), registry.address), instances=6, audits=0)

    until(one, lambda: one.tally.registered == 6 and one.tally.acknowledged >= 12)

    assert len(registry.held) == 6


def test_a_cancellation_that_nobody_hears_goes_to_the_next_node(
    registry: Registry, fleet: MakeFleet
) -> None:
    """Nothing is left, though the home of half of the fleet is gone."""
    one = fleet(addresses=(("127.0.0.1", 1), registry.address), instances=6, audits=0)
    until(one, lambda: one.tally.registered == 6)
    one._lines._down_until = [0.0, 0.0]

    one.finish(10)
    one.leave()

    assert registry.held == {}


def test_the_parts_of_a_fleet_are_the_fleet(registry: Registry, fleet: MakeFleet) -> None:
    """
    Two workers register every instance once; when one is gone the other renews for all.

    Nobody knows what a worker that is lost so early had still registered: it is done once more.
    """
    first, second = fleet(share=(0, 2)), fleet(share=(1, 2))
    until(first, lambda: first.tally.registered == 10)
    until(second, lambda: second.tally.registered == 10)
    assert len(registry.held) == 20
    registry.seen.clear()

    first.take(0, 1)
    renewed = first.tally.acknowledged
    until(first, lambda: first.tally.acknowledged >= renewed + 40)
    first.leave()

    assert registry.held == {}
    assert registry.seen["POST"] == 10
    assert first.counted().arrived == 20


@pytest.mark.parametrize(
    ("does", "key"), [("redeploy", "DELETE"), ("restart", "POST"), ("status", "PUT status")]
)
def test_a_moment_takes_everybody_and_brings_them_back(
    registry: Registry, fleet: MakeFleet, does: Deed, key: str
) -> None:
    """A quarter of a second after, all renew again."""
    moment = Moment(does=does, at=0.9, away=0.25)
    one = fleet(instances=10, moments=(moment,), audits=0, connections=1)
    until(one, lambda: one.tally.registered == 10)
    ahead = one._tasks[0].at - one.now()
    one._tasks = deque(task._replace(at=task.at - ahead) for task in one._tasks)
    wanted = 20 if key == "POST" else 10
    back = "DELETE status" if does == "status" else key

    until(one, lambda: registry.seen[key] == wanted and registry.seen[back] >= 10)
    at = one.tally.acknowledged
    until(one, lambda: one.tally.acknowledged >= at + 20)

    tally = one.counted()
    assert (tally.up, tally.out, tally.dead) == (10, 0, 0)
    assert tally.failures == 0


def test_the_dead_fall_silent_and_the_others_renew(registry: Registry, fleet: MakeFleet) -> None:
    """They neither renew nor cancel, and are counted as dead."""
    one = fleet(instances=10, moments=(Moment(does="die", at=0.0, share=1.0),), audits=0)

    until(one, lambda: one.counted().dead == 10)

    assert one.counted().up == 0
    assert registry.seen["DELETE"] == 0


def test_a_copy_that_disagrees_with_the_hash_is_read_anew(
    registry: Registry, fleet: MakeFleet
) -> None:
    """A client applies deltas to its copy, and reads all when the hash does not fit."""
    one = fleet(instances=1, readers=1, read_interval=0.3)
    until(one, lambda: registry.seen["GET delta"] >= 2)
    assert (one.tally.mismatched, registry.seen["GET apps"]) == (0, 1)

    registry.delta = {"applications": {**registry.delta["applications"], "apps__hashcode": "UP_9_"}}
    until(one, lambda: one.tally.mismatched and registry.seen["GET apps"] >= 2)

    assert one.tally.failures == 0


def test_a_reconcile_storm_reads_delta_and_all(registry: Registry, fleet: MakeFleet) -> None:
    """Each instance that takes part reads both."""
    one = fleet(instances=6, moments=(Moment(does="reconcile", at=0.0),), audits=0)

    until(one, lambda: registry.seen["GET apps"] == 6 and registry.seen["GET delta"] == 6)


def test_a_hot_instance_renews_much_oftener(fleet: MakeFleet) -> None:
    """One of five intends to every 50 ms, the others every four seconds."""
    one = fleet(instances=5, hot=1, hot_interval=0.05, renewal_interval=4, audits=0)

    hot = one._hot.due(one.now() + 100)
    others = one._renewals.due(one.now() + 100)

    assert {turn.member for turn in hot} == {0}
    assert {turn.member for turn in others} == {1, 2, 3, 4}
    assert len(hot) > 15 * len(others)
