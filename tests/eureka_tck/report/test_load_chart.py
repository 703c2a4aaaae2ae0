"""The charts of a storm are complete pictures without script."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from eureka_tck.report.load_chart import Chart, Panel, Series, Stretch, over_time, percentiles

TRUE = {1_000: 980, 1_800_000: 20}
TOLD = {1_000: 999, 1_800_000: 1}
MEMORY = Panel("Memory", "MiB", [Series("node a", [(0.0, 10.0), (2.0, 12.0)])])


def parsed(chart: Chart | None) -> ET.Element:
    """Return the picture, which must be well-formed."""
    assert chart is not None
    return ET.fromstring(str(chart.svg))  # noqa: S314 - we drew it


def classes(chart: Chart | None) -> list[str]:
    """Return the classes of its shapes."""
    return [one.attrib["class"] for one in parsed(chart) if one.tag != "text"]


def test_percentiles_show_both_curves_their_gap_and_the_budgets() -> None:
    """And say in words what the gap hides."""
    chart = percentiles(TRUE, TOLD, {0.99: 500.0})

    assert {"s-a", "s-c", "gap", "vio"} <= set(classes(chart))
    assert chart is not None
    assert chart.said == (
        "p99 of renewals is 1800.0 ms from the intended send time and 1.0 ms from the actual one."
    )


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

    (band,) = [one for one in parsed(chart) if one.attrib["class"] == "band"]
    assert float(band.attrib["width"]) >= 2
    assert any(one.text == "node <a> killed" for one in parsed(chart))
    assert classes(chart).count("s-a") == 2


def test_lines_are_steps_that_hold_to_the_end() -> None:
    """A value holds until the next sample."""
    chart = over_time([MEMORY], [], 4.0)

    (line,) = [one for one in parsed(chart) if one.attrib["class"] == "s-a"]
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
