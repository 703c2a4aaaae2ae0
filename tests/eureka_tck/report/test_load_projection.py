"""What larger fleets would take is computed from measured costs, and nothing is made up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck import cli
from eureka_tck.report.load_projection import Costs, costs_of, fan_out, projected, text
from eureka_tck.report.load_report import save
from tests.eureka_tck.report.storms import STORM, stormed

if TYPE_CHECKING:
    from pathlib import Path

MIB = 2**20
COSTS = Costs(
    instances=1000,
    nodes=2,
    node=0.0003,
    worker=0.00004,
    empty=50.0 * MIB,
    instance=2048.0,
    renewal=250,
    full=30_000,
)
BARE = Costs(1000, 2, None, None, None, None, None, None)
ALONE = msgspec.structs.replace(STORM, nodes=1)


def by_name(costs: Costs, *sizes: int) -> dict[str, tuple[str, ...]]:
    """Return the values of each line by its name."""
    return {line.name: line.values for line in projected(costs, sizes)}


def test_costs_are_those_of_the_run() -> None:
    """Two nodes used 4 s for 2,000 renewals, and grew from 50 to 70 MiB by 1,000 instances."""
    costs = costs_of(stormed())

    assert costs.node == pytest.approx(0.002)
    assert costs.worker == pytest.approx(0.0002)
    assert (costs.empty, costs.instance) == (50 * MIB, 20 * MIB / 1000)
    assert (costs.renewal, costs.full, costs.nodes) == (250, None, 2)


def test_a_fleet_is_projected_by_hand() -> None:
    """Every line of 300,000 instances, computed here a second time."""
    assert by_name(COSTS, 300_000) == {
        "instances": ("300,000",),
        "times what was measured": ("300",),
        "renewals a second": ("10,000",),
        "cores of each node": ("1.5",),
        "memory of a node": ("636 MiB",),
        "network, renewals of clients": ("20 Mbit/s",),
        "a full list, compressed": ("8.58 MiB",),
        "replication sent by a node": ("4.6 Mbit/s",),
        "batches a node receives a second": ("20",),
        "workers to storm it with": ("1",),
    }


def test_a_small_fleet_still_sends_a_batch_twice_a_second() -> None:
    """From each peer, full or not; and one worker drives it."""
    seen = by_name(COSTS, 300)

    assert seen["batches a node receives a second"] == ("2",)
    assert seen["workers to storm it with"] == ("1",)


def test_workers_are_as_many_as_their_cores_carry() -> None:
    """33,333 renewals a second at 40 µs are 1.3 cores; at 80 % busy they are two."""
    assert by_name(COSTS, 1_000_000)["workers to storm it with"] == ("2",)


def test_what_was_not_measured_is_not_projected() -> None:
    """A dash, and the words for it."""
    lines = {line.name: line for line in projected(BARE, (100_000,))}

    for name in ("cores of each node", "memory of a node", "network, renewals of clients"):
        assert lines[name].values == ("–",)
        assert lines[name].how.startswith("not measured")


def test_a_single_node_replicates_nothing() -> None:
    """It has no line of it."""
    costs = costs_of(stormed(storm=ALONE))

    assert not [line.name for line in projected(costs, (1000,)) if "replication" in line.name]


def test_a_node_that_did_not_grow_has_no_cost_of_an_instance() -> None:
    """Nor has one that was not seen before the fleet came."""
    assert costs_of(stormed(empty={"a": 90 * MIB, "b": 90 * MIB})).instance is None
    assert costs_of(stormed(empty={})).instance is None


def test_the_cost_of_a_peer_is_the_difference_of_two_runs() -> None:
    """In whatever order they are named; nothing where it cannot be told."""
    one = Costs(1000, 1, 0.0001, None, None, None, None, None)

    assert fan_out(one, COSTS) == pytest.approx(0.0002)
    assert fan_out(COSTS, one) == pytest.approx(0.0002)
    assert fan_out(COSTS, COSTS) is None
    assert fan_out(one, BARE) is None
    assert fan_out(Costs(1000, 1, 0.01, None, None, None, None, None), COSTS) is None


def test_the_text_says_that_it_is_computed_and_from_what() -> None:
    """A reader must not take it for a measurement."""
    said = text(stormed(), (100_000, 1_000_000))

    assert said.startswith(
        "Computed, not measured: from steady on python, 20261130T120000Z, 1,000 "
    )
    assert "2,000 µs of all nodes together a renewal" in said


def test_a_run_that_kept_its_nodes_idle_is_doubted() -> None:
    """What an idle node uses anyway would be taken for the cost of renewals."""
    hot = [msgspec.structs.replace(one, cpu=one.cpu * 20) for one in stormed().samples]

    assert "A node used 3% of a core then" in text(stormed(), (100_000,))
    assert "of a core then" not in text(stormed(samples=tuple(hot)), (100_000,))


def test_fleets_that_renew_more_often_cost_more() -> None:
    """Ten seconds instead of the default thirty are three times as many."""
    lines = {line.name: line.values for line in projected(COSTS, (300_000,), every=10)}

    assert lines["renewals a second"] == ("30,000",)


def test_the_command_projects_from_finished_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is started, and two runs tell what a peer costs."""
    few = [
        msgspec.structs.replace(one, cpu=one.cpu / 4)
        for one in stormed().samples
        if one.node == "a"
    ]
    for name, report in (("two", stormed()), ("one", stormed(storm=ALONE, samples=tuple(few)))):
        (tmp_path / name).mkdir()
        save(report, tmp_path / name)

    words = ["--from", str(tmp_path / "one"), "--from", str(tmp_path / "two")]

    assert cli.main(["load", "--project", "100000", *words]) == 0
    said = capsys.readouterr().out
    assert "times what was measured" in said
    assert "Each further peer costs 1,750 µs of processor a renewal" in said


@pytest.mark.parametrize("words", ["0", "ten", "1000000000", "1000,", "-5"])
def test_a_size_that_is_none_is_refused(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With what it must be."""
    with pytest.raises(SystemExit):
        cli.main(["load", f"--project={words}", "--from", "x"])

    assert "must be sizes of fleets from 1 to 100,000,000" in capsys.readouterr().err


def test_a_projection_without_a_run_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """There is nothing to compute from."""
    assert cli.main(["load", "--project", "1000"]) == 3
    assert "needs a finished storm" in capsys.readouterr().err
