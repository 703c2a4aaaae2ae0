"""What self-preservation owes in a cut, computed from settings and from who was alive."""

from __future__ import annotations

import math

import pytest

from eureka_tck.errors import SettingsError
from eureka_tck.history.spans import FaultSpan
from eureka_tck.promises.lives import Life
from eureka_tck.promises.preservation import protection
from eureka_tck.promises.rules import LEASE_FACTOR, SLACK, Rules
from eureka_tck.schedules import load_scenario
from eureka_tck.schedules.scenario import SteadyRenewals

CUT_B = FaultSpan(
    fault="cut",
    kind="partition",
    said="node b is cut off",
    links=frozenset({"a>b", "b>a", "b>c", "c>b"}),
    nodes=frozenset(),
    began=100.0,
    healing=240.0,
    ended=240.0,
    bit=103.0,
    proof=("refused",),
)


def fleet(a: int, b: int, c: int, interval: float = 10.0) -> list[Life]:
    """Return so many lives at each node."""
    homes = "a" * a + "b" * b + "c" * c
    return [
        Life(f"CART/{number}", home, 60.0, interval, 0.0, 400.0, (0.0,), (90.0,), ())
        for number, home in enumerate(homes)
    ]


def rules(**told: str) -> Rules:
    """Return rules for renewals every 10 s, with some settings changed."""
    settings = {"expectedClientRenewalIntervalSeconds": "10", **told}
    return Rules.of({f"eureka.server.{name}": value for name, value in settings.items()})


@pytest.mark.parametrize(
    ("node", "rest", "latest_start", "earliest_end"),
    [
        # 60 instances, threshold 306 of 360. b keeps a third: low enough until 46.5 s of a window.
        ("b", 120, 75.0, 36.5),
        # a keeps two thirds: low enough until 33 s, so the worst wait is 87 s.
        ("a", 240, 88.5, 23.0),
    ],
)
def test_protection_of_the_partition_is_what_its_scenario_says(
    node: str, rest: float, latest_start: float, earliest_end: float
) -> None:
    """The figures in the scenario's reasons are those that the promises compute."""
    owed = protection(node, CUT_B, fleet(20, 20, 20), rules())

    assert (owed.threshold, owed.full, owed.rest) == (306, 360, rest)
    assert owed.latest_start == pytest.approx(latest_start, abs=0.01)
    assert owed.earliest_end == pytest.approx(earliest_end, abs=0.01)


def test_scenario_leaves_room_for_a_right_registry() -> None:
    """In partition-one every lease outlasts the wait for protection, and protection the return."""
    scenario = load_scenario("partition-one")
    workload = scenario.workload[0]
    assert isinstance(workload, SteadyRenewals)
    cluster = {"eureka.server.useReadOnlyResponseCache": "false"}  # as every cluster has it
    of_node = Rules.of(cluster | {name: str(value) for name, value in scenario.settings.items()})
    each = workload.instances // scenario.nodes

    for node in scenario.letters:
        owed = protection(node, CUT_B, fleet(each, each, each, workload.interval), of_node)
        left_at_least = LEASE_FACTOR * workload.lease - workload.interval
        assert owed.latest_start + SLACK + of_node.propagation() < left_at_least
        assert owed.earliest_end > of_node.coming_back(workload.interval).seconds


def test_node_that_loses_too_little_owes_nothing() -> None:
    """Where more renewals than the threshold go on, leases may expire."""
    assert not protection("a", CUT_B, fleet(28, 4, 28), rules()).is_owed


def test_node_that_loses_nothing_owes_nothing() -> None:
    """A fault that keeps no renewals from a node protects nothing there."""
    assert not protection("a", CUT_B, fleet(30, 0, 30), rules()).is_owed


def test_without_self_preservation_nothing_is_owed() -> None:
    """With self-preservation off a node never protects itself."""
    owed = protection("b", CUT_B, fleet(20, 20, 20), rules(enableSelfPreservation="false"))

    assert not owed.is_owed


def test_node_that_was_below_its_threshold_already_goes_on_protecting_itself() -> None:
    """A fleet that renews more slowly than expected is always protected (PRESERVE-11)."""
    owed = protection("b", CUT_B, fleet(20, 20, 20, interval=20.0), rules())

    assert (owed.latest_start, owed.earliest_end) == (60.0, math.inf)


def test_defaults_are_those_of_the_reference() -> None:
    """A setting that nobody made has Spring's default."""
    assert Rules.of({}) == Rules(
        eviction_interval=60.0,
        renewal_percent=0.85,
        expected_interval=30.0,
        self_preservation=True,
        peer_timeout=0.2,
        cache=30.0,
        kept=30.0,
        fetch=30.0,
    )


@pytest.mark.parametrize(("speed", "seconds"), [(1.0, 2.0), (3.0, 2.0), (10.0, 5.5)])
def test_moment_of_a_quick_clock_is_no_shorter_than_a_machine_can_be_late(
    speed: float, seconds: float
) -> None:
    """A change has half a real second to arrive at least, beside the batching delay."""
    told = {"eureka.server.useReadOnlyResponseCache": "false"}

    assert Rules.of(told, speed).arriving().seconds == seconds


def test_setting_that_is_no_number_is_named() -> None:
    """A history with such settings was not written by a run."""
    with pytest.raises(SettingsError, match="peerNodeReadTimeoutMs is 'soon' in the settings of a"):
        Rules.of({"eureka.server.peerNodeReadTimeoutMs": "soon"})
