"""The charts of a storm are complete pictures without script, on a wide page and a narrow one."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from eureka_tck.report.load_chart import (
    Bar,
    Dot,
    Panel,
    Reach,
    Series,
    Stretch,
    over_time,
)
from eureka_tck.report.percentile_plot import Curve, beside, percentiles

if TYPE_CHECKING:
    from eureka_tck.report.drawing import Chart

TRUE = {1_000: 980, 1_800_000: 20}
TOLD = {1_000: 999, 1_800_000: 1}
MEMORY = Panel("Memory", "MiB", [Series("node a", [(0.0, 10.0), (2.0, 12.0)])])


def parsed(chart: Chart | None, frame: str = "wide") -> ET.Element:
    """Return the picture of that frame, which must be well-formed."""
    assert chart is not None
    both = ET.fromstring(f"<both>{chart.svg}</both>")  # noqa: S314 - we drew it
    (found,) = [one for one in both if frame in one.attrib["class"].split()]
    return found


def classes(chart: Chart | None, frame: str = "wide") -> list[str]:
    """Return the classes of its shapes."""
    return [one.attrib["class"] for one in parsed(chart, frame) if one.tag not in ("text", "defs")]


@pytest.mark.parametrize("frame", ["wide", "narrow"])
def test_percentiles_show_both_curves_their_gap_and_the_budgets(frame: str) -> None:
    """And say in words what the gap hides."""
    chart = percentiles(TRUE, TOLD, {0.99: 500.0})

    assert {"s-a", "s-c", "gap", "s-ink"} <= set(classes(chart, frame))
    assert chart is not None
    assert chart.said == (
        "p99 of renewals is 1800.0 ms from the intended send time and 1.0 ms from the actual one."
    )


def test_two_runs_have_their_curves_in_one_plot() -> None:
    """Without a gap, which would mean nothing; and no plot where one run renewed nothing."""
    curves = [Curve("B", TRUE, "s-a"), Curve("A", TOLD, "s-c")]

    chart = beside(curves, {})

    assert {"s-a", "s-c"} <= set(classes(chart))
    assert "gap" not in classes(chart)
    assert chart is not None
    assert chart.said == "p99 of renewals, B: 1800.0 ms; A: 1.0 ms."
    assert beside([*curves, Curve("C", {}, "s-b")], {}) is None


def test_nothing_renewed_is_no_picture() -> None:
    """Nor is a panel without a sample."""
    assert percentiles({}, {}, {}) is None
    assert over_time([Panel("Memory", "MiB", [Series("a", [])])], [], 10.0) is None


def test_an_answer_in_no_time_has_a_place_on_a_logarithmic_axis() -> None:
    """Zero is drawn as the smallest."""
    parsed(percentiles({0: 1}, {0: 1}, {}))


def test_what_was_done_is_a_band_through_all_panels() -> None:
    """It has its sentence, escaped, and a width that can be seen."""
    chart = over_time([MEMORY, MEMORY], [Stretch(1.0, 1.0, "node <a> killed")], 4.0)

    (band,) = [one for one in parsed(chart) if one.attrib.get("class") == "band"]
    assert float(band.attrib["width"]) >= 2
    assert any(one.text == "node <a> killed" for one in parsed(chart))
    assert classes(chart).count("s-a") == 2


def test_lines_are_steps_that_hold_to_the_end() -> None:
    """A value holds until the next sample."""
    chart = over_time([MEMORY], [], 4.0)

    (line,) = [one for one in parsed(chart) if one.attrib.get("class") == "s-a"]
    assert line.attrib["d"].count("H") == 2
    assert line.attrib["d"].count("V") == 1


def test_labels_do_not_lie_on_each_other() -> None:
    """Lines that end at the same value have labels one below the other."""
    same = [Series(name, [(0.0, 5.0)]) for name in "abc"]
    texts = [
        one for one in parsed(over_time([Panel("x", "", same)], [], 4.0)) if one.text in set("abc")
    ]

    places = sorted(float(one.attrib["y"]) for one in texts)
    assert places[1] - places[0] >= 13
    assert places[2] - places[1] >= 13


def test_what_left_late_or_never_is_told_apart() -> None:
    """One bar a stretch, its parts upon each other, and what they mean below the picture."""
    bars = [
        Bar(0, 2, ((90, "f-a"), (10, "late"), (0, "warn")), "x"),
        Bar(2, 4, ((50, "f-a"), (0, "late"), (50, "warn")), "y"),
    ]

    chart = over_time([Panel("Renewals sent", "", bars=bars)], [], 4.0)

    drawn = [one for one in parsed(chart) if one.tag == "rect"]
    assert [one.attrib["class"] for one in drawn] == ["f-a", "late", "f-a", "warn"]
    assert float(drawn[1].attrib["y"]) + float(drawn[1].attrib["height"]) == pytest.approx(
        float(drawn[0].attrib["y"]), abs=0.2
    )
    assert chart is not None
    assert [kind for kind, _ in chart.legend] == ["f-a", "late", "warn"]


def test_a_stretch_over_its_budget_is_marked() -> None:
    """Its p99 is what counts, not its slowest."""
    reaches = [
        Reach(0, 2, 1.0, 400.0, 900.0, "within"),
        Reach(2, 4, 1.0, 600.0, 900.0, "over"),
    ]

    chart = over_time([Panel("Latency", "", reaches=reaches, budget=500.0)], [], 4.0)

    bars = [one for one in parsed(chart) if one.tag == "rect"]
    assert [one.attrib["class"] for one in bars] == ["f-a", "bad"]
    assert "limit" in classes(chart)


def test_each_change_of_replication_is_a_dot_at_its_instant() -> None:
    """One that never arrived is marked."""
    dots = [Dot(0.0, 10.0), Dot(4.0, 30_000.0, is_bad=True)]

    chart = over_time([Panel("Delay to a peer", "", dots=dots)], [], 4.0)

    drawn = [one for one in parsed(chart) if one.tag == "circle"]
    assert [one.attrib["class"] for one in drawn] == ["dot", "bad"]
    assert float(drawn[0].attrib["cx"]) < float(drawn[1].attrib["cx"])


def test_sentences_of_bands_do_not_lie_on_each_other() -> None:
    """Two faults close to each other have their words in lines of their own."""
    both = [Stretch(1.0, 2.0, "node b was killed"), Stretch(1.1, 3.0, "node c was killed")]

    texts = [one for one in parsed(over_time([MEMORY], both, 60.0)) if "killed" in (one.text or "")]

    assert len({one.attrib["y"] for one in texts}) == 2


def test_a_node_that_was_away_has_a_line_with_a_gap() -> None:
    """Nothing is drawn where nothing was seen: neither meanwhile, nor after its end."""
    seen = [(float(at), 5.0) for at in (0, 2, 4, 30, 32, 34)]

    chart = over_time([Panel("Memory", "MiB", [Series("node c", seen)])], [], 100.0)

    lines = [one for one in parsed(chart) if one.attrib.get("class") == "s-a"]
    assert len(lines) == 2
    assert float(lines[1].attrib["d"].rpartition("H")[2]) < 500


def test_what_was_seen_after_the_end_is_not_drawn() -> None:
    """While the fleet leaves, its threshold falls, and that is no part of the storm."""
    chart = over_time(
        [Panel("x", "", [Series("a", [(0.0, 5.0), (9.0, 5.0), (11.0, 0.0)])])], [], 10.0
    )

    assert chart is not None
    assert chart.said.startswith("x, a: 5 ")


def test_the_lines_of_several_nodes_are_named_below_the_picture() -> None:
    """A narrow picture has no room for their names beside them."""
    several = [
        Series("node a", [(0.0, 1.0)]),
        Series("node b", [(0.0, 2.0)]),
        Series("threshold", [(0.0, 3.0)], is_reference=True),
    ]

    chart = over_time([MEMORY, Panel("Counted", "", several)], [], 4.0)

    assert chart is not None
    assert chart.legend == [("s-a", "node a"), ("s-b", "node b"), ("s-ref", "threshold")]
