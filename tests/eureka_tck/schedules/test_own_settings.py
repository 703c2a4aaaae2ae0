"""A scenario that yields to the user's settings: theirs win, and the story keeps its shape."""

from __future__ import annotations

from eureka_tck.schedules import load_scenario
from eureka_tck.schedules.own_settings import on_own_settings
from eureka_tck.schedules.workload import Leaving, Readers, Renewing

OWN = {
    "eureka.instance.leaseExpirationDurationInSeconds": "180",
    "eureka.instance.leaseRenewalIntervalInSeconds": "60",
    "eureka.client.registryFetchIntervalSeconds": "10",
    "eureka.server.useReadOnlyResponseCache": "false",
}


def test_how_long_yields_and_no_other_figures_move_without_settings() -> None:
    """On no settings of one's own the scenario is played as it was written."""
    scenario = load_scenario("how-long")

    assert scenario.yields
    assert on_own_settings(scenario, {}) == scenario


def test_clients_live_as_the_settings_say() -> None:
    """Leases, renewals and reads are the user's."""
    played = on_own_settings(load_scenario("how-long"), OWN)

    renewing = [one for one in played.workload if isinstance(one, Renewing)]
    assert {(one.lease, one.interval) for one in renewing} == {(180.0, 60.0)}
    assert [one.every for one in played.workload if isinstance(one, Readers)] == [10.0]
    assert played.settings["eureka.server.useReadOnlyResponseCache"] == "false"


def test_what_waits_for_a_lease_is_put_off_as_leases_are_longer() -> None:
    """2·180 + 60 + 0 + 10 s instead of 2·90 + 60 + 30 + 30: the cut comes later by as much."""
    before = load_scenario("how-long")
    played = on_own_settings(before, OWN)
    factor = 430 / 300

    assert played.fault[0].at == before.fault[0].at * factor
    leaving = {one.name: one for one in played.workload if isinstance(one, Leaving)}
    assert leaving["killed"].leaves == 5 * factor
    assert leaving["killed"].at == 0
    assert played.budgets.recovering == 180 + 430


def test_shorter_settings_hurry_nothing() -> None:
    """Budgets shrink with the settings; the story takes the time that it takes."""
    before = load_scenario("how-long")
    played = on_own_settings(before, {"eureka.instance.leaseExpirationDurationInSeconds": "60"})

    assert played.fault == before.fault
    assert played.budgets == before.budgets
