"""What a storm showed is judged from figures alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck.errors import SettingsError
from eureka_tck.fleet.budget import METRICS, load_bounds
from eureka_tck.fleet.finding import findings, hidden, limit, measured
from eureka_tck.fleet.tally import Tally

if TYPE_CHECKING:
    from pathlib import Path

    from eureka_tck.fleet.finding import Measures

QUIET = Tally(
    instances=10,
    arrived=10,
    intended=200,
    sent=200,
    acknowledged=200,
    audited=200,
    requests=220,
    intended_us={"PUT renew": {1000: 199, 1_900_000: 1}, "POST register": {2000: 10}},
    reported_us={"PUT renew": {1000: 200}},
)
BOUNDS = dict.fromkeys(METRICS, 10.0)
ALL: Measures = dict.fromkeys(METRICS, 0.0)
REGISTRYS = [name for name, metric in METRICS.items() if metric.kind != "machine"]


def outcomes(measures: Measures, **changes: object) -> dict[str, str]:
    """Return the outcome of each budget of a quiet storm with these counts changed."""
    tally = msgspec.structs.replace(QUIET, **changes)
    return {one.name: one.outcome for one in findings(tally, measures, BOUNDS, slack=60.0)}


def test_a_quiet_storm_meets_every_budget() -> None:
    """Nothing above its bound, and a generator with time to spare."""
    assert set(outcomes(ALL).values()) == {"met"}


@pytest.mark.parametrize("name", REGISTRYS)
def test_one_wrong_figure_breaks_its_own_budget_alone(name: str) -> None:
    """Each budget reacts to its own measurement, and to no other's."""
    seen = outcomes({**ALL, name: 10.1})

    assert seen.pop(name) == "broken"
    assert set(seen.values()) == {"met"}


@pytest.mark.parametrize("name", REGISTRYS)
def test_an_absent_measurement_breaks_its_budget(name: str) -> None:
    """What was not measured was not kept."""
    assert outcomes({**ALL, name: None})[name] == "broken"


@pytest.mark.parametrize(
    "change", [{"own_late": 3}, {"cpu": 0.93}, {"intended": 0}], ids=["late", "busy", "nothing-due"]
)
def test_a_saturated_generator_blames_nobody_for_slowness(change: dict[str, object]) -> None:
    """Slow answers then are inconclusive, with the reason named; a lost renewal is still lost."""
    own = {990_000: 10}
    seen = outcomes({**ALL, "renew_p99_ms": 999.0, "lost_renewals": 11.0}, **change, own_us=own)

    assert seen["generator"] == "inconclusive"
    assert seen["renew_p99_ms"] == "inconclusive"
    assert seen["lost_renewals"] == "broken"
    assert limit(msgspec.structs.replace(QUIET, **change))


def test_a_late_generator_excuses_no_more_than_its_own_lateness() -> None:
    """A p99 that is above the bound by more than the generator was late is the registry's."""
    seen = outcomes({**ALL, "renew_p99_ms": 999.0}, own_late=3, own_us={60_000: 10})

    assert (seen["generator"], seen["renew_p99_ms"]) == ("inconclusive", "broken")


def test_a_generator_later_than_a_lease_blames_nobody_for_an_eviction() -> None:
    """Renewals that left later than a lease lives excuse a 404, a missing instance, a threshold."""
    wrong: Measures = {**ALL, "evicted_live": 11.0, "listing_off": 11.0, "leftover": 11.0}

    seen = outcomes(wrong, worst_own_ms=60_001.0)

    assert (seen["evicted_live"], seen["listing_off"]) == ("inconclusive", "inconclusive")
    assert seen["leftover"] == "broken"


def test_a_moment_of_the_generators_own_excuses_the_slowest_in_a_thousand() -> None:
    """Half a percent noticed three seconds late makes a p99.9 of three seconds, and no p99."""
    own = {1000: 995, 3_000_000: 5}
    wrong: Measures = {**ALL, "renew_p99_ms": 999.0, "renew_p999_ms": 3000.0}

    seen = outcomes(wrong, own_late=5, own_us=own, intended=1000)

    assert (seen["generator"], seen["renew_p99_ms"]) == ("met", "broken")
    assert seen["renew_p999_ms"] == "inconclusive"


def test_a_worker_that_was_lost_is_the_generators_own_doing() -> None:
    """Turns that nobody took count as never noticed."""
    tally = msgspec.structs.replace(QUIET, orphaned=3, own_late=1)

    assert limit(tally) == (
        "it noticed 2.0% of its turns over 50 ms late, 3 of them never: a worker was lost"
    )


def test_a_generator_that_broke_down_says_why() -> None:
    """Before anything else."""
    assert limit(Tally(crash="KeyError: 7")) == "it broke down: KeyError: 7"


def test_a_judge_that_came_too_late_to_look_blames_nobody() -> None:
    """What was seen is judged all the same."""
    tally = msgspec.structs.replace(QUIET)
    measures: Measures = {**ALL, "listing_off": None, "hash_off": 11.0, "errors": None}

    found = findings(tally, measures, BOUNDS, slack=60.0, unseen=True)

    seen = {one.name: one.outcome for one in found}
    assert (seen["listing_off"], seen["hash_off"]) == ("inconclusive", "broken")
    assert seen["errors"] == "broken"


def test_a_machine_that_others_used_blames_nobody_for_slowness() -> None:
    """What is wrong whoever was slow is still wrong; where nobody saw the machine, nothing is."""
    wrong: Measures = {**ALL, "renew_p99_ms": 999.0, "missed": 11.0, "lost_renewals": 11.0}

    seen = outcomes({**wrong, "others": 10.1})

    assert seen["others"] == seen["renew_p99_ms"] == seen["missed"] == "inconclusive"
    assert seen["lost_renewals"] == "broken"
    unseen = outcomes({**wrong, "others": None})
    assert "others" not in unseen
    assert unseen["renew_p99_ms"] == "broken"


def test_a_node_that_came_back_too_late_is_not_blamed_for_what_it_was_not_told() -> None:
    """What it acknowledged and lost is still its own."""
    wrong: Measures = {**ALL, "listing_off": 937.0, "lost_renewals": 11.0, "errors": None}
    said = "node a restarted: back 61 s later"

    found = findings(QUIET, wrong, BOUNDS, slack=60.0, slow_node=said)

    seen = {one.name: one.outcome for one in found}
    assert seen["nodes"] == seen["listing_off"] == seen["errors"] == "inconclusive"
    assert seen["lost_renewals"] == "broken"


def test_what_the_fleet_counted_becomes_measurements() -> None:
    """Shares are of what was sent, percentiles from the intended time."""
    tally = msgspec.structs.replace(QUIET, failures=22, late=20, lost=3, evicted_live=2, missed=1)

    seen = measured(tally)

    assert (seen["errors"], seen["late"], seen["lost_renewals"]) == (0.1, 0.1, 3)
    assert (seen["evicted_live"], seen["missed"], seen["unregistered"]) == (2, 1, 0)
    assert (seen["renew_p99_ms"], seen["renew_p999_ms"]) == (1.0, 1900.0)
    assert seen["delta_p99_ms"] is None


def test_nothing_is_made_up_of_a_fleet_that_did_nothing() -> None:
    """Without a renewal and an audit there is no figure at all."""
    assert set(measured(Tally()).values()) == {None}


def test_what_omission_hides_is_told() -> None:
    """The worst renewal took 1.9 s from when it was due, and 1 ms from when it was sent."""
    assert hidden(QUIET)[-1] == ("max", 1900.0, 1.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[any.any]\nspeed = 3", "any.any has no budget speed; there are renew_p99_ms"),
        ("[any.any]\nerrors = 'few'", "any.any.errors is 'few'; it must be a number"),
        ("[any.any]\nerrors = -1", "any.any.errors is -1; it must be a number"),
        ("[any.any]\nerrors = true", "any.any.errors is True; it must be a number"),
        ("any = 3", "any is 3; it must hold tables"),
        ("[any]\nany = 3", "any.any is 3; it must be a table"),
        ("[java.any]\nerrors = 1", "holds no budget for python.steady"),
        ("[any", "is not TOML"),
    ],
    ids=["unknown", "text", "negative", "true", "no-target", "no-storm", "none", "no-toml"],
)
def test_wrong_budgets_name_file_and_key(tmp_path: Path, text: str, words: str) -> None:
    """Whatever is wrong, the error names the file, the key and what was expected."""
    file = tmp_path / "budgets.toml"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(SettingsError, match=words) as caught:
        load_bounds(file, "python", "steady")
    assert "budgets.toml" in str(caught.value)


def test_the_narrower_budget_wins(tmp_path: Path) -> None:
    """Target and storm beat storm, storm beats target, target beats any; false takes it away."""
    file = tmp_path / "budgets.toml"
    file.write_text(
        "[any.any]\nerrors = 1\nlate = 1\nmissed = 1\nleftover = 1\n"
        "[python.any]\nlate = 2\nmissed = 2\nleftover = 2\n"
        "[any.steady]\nmissed = 3\nleftover = 3\n"
        "[python.steady]\nleftover = false\n",
        encoding="utf-8",
    )

    assert load_bounds(file, "python", "steady") == {"errors": 1, "late": 2, "missed": 3}
