"""Locust's side of the fleet: its workers get their parts, its statistics every request."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import gevent
import pytest

from eureka_tck.clock import unix_now
from eureka_tck.fleet.call import Call
from eureka_tck.fleet.request import RENEW
from eureka_tck.fleet.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.fleet.division import Division


@pytest.fixture(scope="module")
def locust() -> Callable[[str], Any]:
    """Import a module that needs Locust, which else would patch this whole process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCUST_SKIP_MONKEY_PATCH", "1")
        importlib.import_module("locust.runners")
    return importlib.import_module


class Runner:
    """What a division asks of a master: which workers are alive; and what it tells them."""

    def __init__(self, *workers: str) -> None:
        self.clients = SimpleNamespace(ready=[], spawning=[], running=[])
        self.told: list[tuple[str, int, int]] = []
        self.since: list[float] = []
        self.ended: list[str] = []
        self.live(*workers)

    def live(self, *workers: str) -> None:
        """Let these workers be alive."""
        self.clients.running = [SimpleNamespace(id=name) for name in workers]

    def send_message(self, kind: str, share: dict[str, Any], client_id: str) -> None:
        """Remember a message."""
        if kind == "fleet_end":
            self.ended.append(client_id)
            return
        assert kind == "fleet_share"
        self.since.append(share["since"])
        self.told.append((client_id, share["index"], share["parts"]))


@pytest.fixture
def divided(
    locust: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> Callable[[Runner], Division]:
    """Make the division of a master with that runner."""
    module = locust("eureka_tck.fleet.division")
    monkeypatch.setattr(module, "MasterRunner", Runner)
    monkeypatch.setattr(module, "LOOK_EVERY", 0.01)

    def make(runner: Runner) -> Division:
        made: Division = module.Division(SimpleNamespace(runner=runner))
        return made

    return make


def until(condition: Callable[[], object]) -> None:
    """Let greenlets run until the condition holds."""
    with gevent.Timeout(10):
        while not condition():
            gevent.sleep(0.01)


def test_a_process_alone_drives_the_whole_fleet(divided: Callable[[Any], Division]) -> None:
    """Without workers there is nothing to divide."""
    division = divided(object())

    division.begin()

    share = division.wait()
    assert (share.index, share.parts) == (0, 1)
    division.end()
    assert division.share is None


def test_each_worker_is_told_its_part_again_and_again(divided: Callable[[Any], Division]) -> None:
    """One that listens late gets it all the same."""
    runner = Runner("x", "y")
    division = divided(runner)
    division.begin()

    until(lambda: len(runner.told) >= 4)
    division.end()

    assert set(runner.told) == {("x", 0, 2), ("y", 1, 2)}
    assert division.divisions == 1


def test_a_dead_workers_part_goes_to_the_living(divided: Callable[[Any], Division]) -> None:
    """Within one look all is divided anew, and what the dead had done stays counted."""
    runner = Runner("x", "y")
    division = divided(runner)
    division.begin()
    until(lambda: runner.told)
    for name in "xy":
        data: dict[str, Any] = {}
        division.report(Tally(instances=10, sent=3, up=5), data)
        division.reported(name, data)

    runner.live("y")
    until(lambda: ("y", 0, 1) in runner.told)
    division.end()

    whole = division.whole()
    assert (whole.sent, whole.up, whole.workers, whole.divisions) == (6, 5, 1, 2)


def test_the_living_are_told_since_when_nobody_tells_of_the_dead(
    divided: Callable[[Runner], Division], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is when the dead one was last heard; at the beginning there was nobody to lose."""
    runner = Runner("x", "y")
    division = divided(runner)
    monkeypatch.setattr(f"{type(division).__module__}.unix_now", lambda: 5000.0)
    division.begin()
    until(lambda: runner.told)
    data: dict[str, Any] = {}
    division.report(Tally(), data)
    division.reported("x", data)
    assert set(runner.since) == {0.0}

    monkeypatch.setattr(f"{type(division).__module__}.unix_now", lambda: 5009.0)
    runner.live("y")
    until(lambda: ("y", 0, 1) in runner.told)
    division.end()

    assert runner.since[-1] == 5000.0
    assert division.began == 5002.0


def test_a_master_waits_until_its_workers_have_left(divided: Callable[[Any], Division]) -> None:
    """Their last counts come with it; one that dies meanwhile is not waited for."""
    runner = Runner("x", "y", "z")
    division = divided(runner)
    leaving = gevent.spawn(division.leave)
    until(lambda: len(runner.ended) == 3)

    division.told_left("x", {"sent": 4})
    division.told_left("z", {"sent": 5})
    gevent.sleep(0.06)
    assert not leaving.dead

    runner.live("x", "z")
    until(lambda: leaving.dead)

    assert division.whole().sent == 9
    assert division.whole().workers == 0


def test_a_storm_that_is_over_is_divided_no_more(divided: Callable[[Any], Division]) -> None:
    """Workers hear nothing after its end."""
    runner = Runner("x")
    division = divided(runner)
    division.begin()
    until(lambda: runner.told)
    division.end()
    gevent.sleep(0.03)
    runner.told.clear()

    gevent.sleep(0.05)

    assert runner.told == []


def test_statistics_in_bulk_are_those_of_single_events(locust: Callable[[str], Any]) -> None:
    """Counts, sums, buckets, extremes and errors agree to the last figure."""
    stats = locust("locust.stats")
    ledger_of = locust("eureka_tck.fleet.stats_ledger").StatsLedger
    single, bulk = stats.RequestStats(), stats.RequestStats()
    ledger = ledger_of(bulk)
    seconds = [0.0011, 0.011, 0.0995, 0.1046, 0.1147, 1.1, 11.0]
    for number, (status, latency) in enumerate(
        zip([200, 200, 404, 200, 0, 200, 200], seconds, strict=True)
    ):
        call = Call(RENEW, number, 0, 0.0, b"")
        call.status, call.size = status, 7 * number
        call.problem = "" if status == 200 else f"answered {status}"
        ledger.note([call], [latency])
        single.log_request("PUT", "PUT renew", latency * 1000, 7 * number)
        if status != 200:
            single.log_error("PUT", "PUT renew", call.problem)

    ledger.flush()
    ledger.flush()

    for one, other in (
        (single.total, bulk.total),
        (single.get("PUT renew", "PUT"), bulk.get("PUT renew", "PUT")),
    ):
        for name in (
            "num_requests", "num_failures", "response_times",
            "min_response_time", "max_response_time", "total_content_length",
        ):  # fmt: skip
            assert getattr(one, name) == getattr(other, name), name
        assert one.total_response_time == pytest.approx(other.total_response_time)
        assert sum(other.num_reqs_per_sec.values()) == 7
    assert {e.error: e.occurrences for e in single.errors.values()} == {
        e.error: e.occurrences for e in bulk.errors.values()
    }


def test_every_listener_hears_each_request_and_statistics_are_right(
    locust: Callable[[str], Any],
) -> None:
    """Locust's own are entered in bulk; a listener that comes later hears what comes later."""
    environment = locust("locust.env").Environment(user_classes=[])
    environment.create_local_runner()
    events = locust("eureka_tck.fleet.events").Events(environment)
    heard: list[tuple[str, float, str]] = []

    def listen(*, name: str, response_time: float, exception: object, **_: object) -> None:
        heard.append((name, response_time, str(exception or "")))

    calls = [Call(RENEW, n, 0, 0.0, b"") for n in range(3)]
    refused = Call(RENEW, 7, 0, 0.0, b"", problem="no")
    events.tell(calls, [0.001, 0.002, 0.003])
    environment.events.request.add_listener(listen)
    events.tell(calls[:2], [0.004, 0.005])
    events.tell([refused], [0.006])
    events.flush()

    assert heard == [("PUT renew", 4.0, ""), ("PUT renew", 5.0, ""), ("PUT renew", 6.0, "no")]
    total = environment.stats.total
    assert (total.num_requests, total.num_failures) == (6, 1)
    assert total.response_times == dict.fromkeys(range(1, 7), 1)


def test_a_locust_whose_own_listener_is_unknown_is_fired_at(
    locust: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its statistics are then made by its events, and by nothing else."""
    environment = locust("locust.env").Environment(user_classes=[])
    environment.create_local_runner()
    module = locust("eureka_tck.fleet.events")
    monkeypatch.setattr(module, "_OWN", ("locust.elsewhere", "on_request"))
    events = module.Events(environment)

    events.tell([Call(RENEW, 0, 0, 0.0, b"")], [0.001])
    events.flush()

    assert environment.stats.total.num_requests == 1


@pytest.mark.parametrize(
    ("state", "since", "refused", "goes_on"),
    [
        ("running", 10.0, False, True),
        ("running", 1000.0, False, False),
        ("running", 10.0, True, False),
        ("init", 1000.0, True, True),
    ],
    ids=["within", "over", "refused", "the-one-before"],
)
def test_a_storm_ends_by_itself_and_by_nothing_of_the_storm_before(
    locust: Callable[[str], Any], state: str, since: float, refused: bool, goes_on: bool
) -> None:
    """Its length is over, or it must not be: only what has begun can end."""
    shape = type("Shape", (locust("eureka_tck.fleet.user").StormShape,), {})()
    shape.storm = SimpleNamespace(length=100.0)
    shape.division = SimpleNamespace(began=unix_now() - since)
    shape.runner = SimpleNamespace(state=state, worker_count=2)
    shape.refused = refused

    assert (shape.tick() is not None) is goes_on
