"""The report of a storm: what is written comes back, and what is broken is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.report import load_cost
from eureka_tck.report.load_page import page_of
from eureka_tck.report.load_report import is_load, load, save
from eureka_tck.report.run_page import write_simple
from tests.eureka_tck.report.storms import LATE, stormed

if TYPE_CHECKING:
    from pathlib import Path


def test_the_report_of_a_storm_reads_back_as_it_was_written(tmp_path: Path) -> None:
    """Loading the folder of a run gives an equal report."""
    save(stormed(), tmp_path)

    assert load(tmp_path) == stormed()
    assert is_load(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b'{"schema": 3, "suite": "gate"}', "suite is 'gate'; it must be 'load'"),
        (b'{"schema": 2, "suite": "load"}', "schema is 2; this eureka-tck reads 3"),
        (b'{"schema": 3, "suite": "load"}', "missing required field `target`"),
        (b"[" * 100_000, "is not the report of a run"),
        (b'{"sch', "is not the report of a run: Input data was truncated"),
        (b"\xff\xfe", "is not the report of a run"),
    ],
    ids=["gate", "older", "no-target", "deep", "half", "bytes"],
)
def test_what_is_no_report_of_a_storm_is_named(tmp_path: Path, text: bytes, words: str) -> None:
    """Whatever lies there, the error names the file and what is wrong with it."""
    (tmp_path / "report.json").write_bytes(text)

    with pytest.raises(SettingsError, match=words) as caught:
        load(tmp_path)
    assert "report.json" in str(caught.value)


def test_a_folder_without_a_report_is_no_storm(tmp_path: Path) -> None:
    """Nor can it be read."""
    assert not is_load(tmp_path)
    with pytest.raises(SettingsError, match=r"report\.json cannot be read: No such file"):
        load(tmp_path)


def test_a_report_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """The folder may be gone."""
    with pytest.raises(CannotRun, match=r"report\.json cannot be written"):
        save(stormed(), tmp_path / "gone")


def test_a_renewal_costs_what_was_used_while_nothing_else_went_on() -> None:
    """Two nodes used 4 s for 2,000 renewals, the generator 0.4 s from its first reading on."""
    assert load_cost.nodes(stormed()) == pytest.approx(4.0 / 2000)
    assert load_cost.generator(stormed()) == pytest.approx(0.4 / 2000)


def test_no_cost_is_made_up_where_nothing_was_measured() -> None:
    """Without samples, with a generator that was not seen, or of too few renewals: none."""
    few = [msgspec.structs.replace(one, acknowledged=10) for one in stormed().pulses]
    unseen = [msgspec.structs.replace(one, generator_cpu=0.0) for one in stormed().pulses]
    same = [msgspec.structs.replace(one, acknowledged=100) for one in stormed().samples]

    assert load_cost.nodes(stormed(samples=())) is None
    assert load_cost.nodes(stormed(samples=tuple(same))) is None
    assert load_cost.generator(stormed(pulses=())) is None
    assert load_cost.generator(stormed(pulses=tuple(few))) is None
    assert load_cost.generator(stormed(pulses=tuple(unseen))) is None


def test_a_node_that_was_started_anew_has_no_cost() -> None:
    """Its processor seconds begin again, so their difference says nothing."""
    samples = [
        msgspec.structs.replace(one, cpu=0.5) if one.node == "b" and one.at == LATE else one
        for one in stormed().samples
    ]

    assert load_cost.nodes(stormed(samples=tuple(samples))) is None


def test_the_page_of_a_storm_shows_all_that_was_measured(tmp_path: Path) -> None:
    """Verdicts, percentiles, every panel, what was done, what a renewal cost the generator."""
    text = write_simple(tmp_path, page_of(stormed())).read_text("utf-8")

    for part in (
        "Renewals: intended against reported", "Renewals sent", "Latency", "Registered",
        "Renewals counted", "Delay to a peer", "Processor", "Memory", "node b killed",
        "threshold", "budget p99 500 ms", "5,000 renewals a core second",
    ):  # fmt: skip
        assert part in text, part


def test_a_storm_held_against_another_has_both_on_its_page(tmp_path: Path) -> None:
    """The figures of both, what was run otherwise, and both curves."""
    text = write_simple(tmp_path, page_of(stormed(seed=8), stormed())).read_text("utf-8")

    for part in ("Figures beside each other", "What was run otherwise", "A, earlier", "seed"):
        assert part in text, part
