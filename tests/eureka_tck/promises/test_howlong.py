"""How long things take, what became of the instances, and the picture of it all."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from eureka_tck.history import History
from eureka_tck.history.event import Copied
from eureka_tck.promises import PROMISES, judge
from eureka_tck.promises.account import account
from eureka_tck.promises.expectation import Deviation, apply_deviations
from eureka_tck.promises.fates import fates
from eureka_tck.promises.howlong import HowLong, how_long, measured_of, table_of
from eureka_tck.promises.page import page_of
from eureka_tck.promises.picture import picture
from eureka_tck.report.run_page import write_simple
from tests.eureka_tck.promises.conftest import NODES, UP

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.eureka_tck.promises.conftest import Story

DOWN = UP.__class__("DOWN", "DOWN", UP.dirty_ms, "m1")


def rows(story: Story) -> dict[str, HowLong]:
    """Return the table by its questions; a client's row stands below its node's."""
    found: dict[str, HowLong] = {}
    before = ""
    for row in how_long(story.told()):
        name = f"{before} (client)" if row.until.startswith("…") else row.until
        found[name], before = row, name
    return found


def test_computed_times_are_sums_of_settings_and_name_the_largest(story: Story) -> None:
    """Two leases of 60 s and an eviction interval of 7 s: the lease dominates."""
    row = rows(story.lives("CART/1", "a"))["a killed instance is gone from every node"]

    assert row.computed == 120 + 7 + 1.5
    assert row.formula == "2·D + E + s + U = 120 + 7 + 1.5 + 0 s"
    assert row.setting == "eureka.instance.leaseExpirationDurationInSeconds = 60"


def test_clients_wait_for_their_fetch_and_the_cache(story: Story) -> None:
    """With Spring's defaults a client sees a new instance after 62 s at the latest."""
    story.settings["eureka.server.useReadOnlyResponseCache"] = "true"
    row = rows(story.lives("CART/1", "a"))["a new instance is seen at every node (client)"]

    assert row.computed == 0.5 + 1.5 + 30 + 30


def test_measured_times_are_the_worst_seen_between_two_reads(story: Story) -> None:
    """Cancelled at 50.1 s, shown at b until 53 s: between the reads at 51.95 and 54 s."""
    story.lives("CART/1", "a", until=50.0).call(50.0, "a", "cancel", "CART/1")
    for node, at in (("a", 50.0), ("b", 53.0), ("c", 51.0)):
        story.shows(node, "CART/1", at, None)

    row = rows(story)["a cancelled instance is gone from every node"]

    assert (row.surely, row.measured) == (1.85, 3.9)
    assert measured_of(row) == "1.9 to 3.9 s"
    assert not row.is_over


def test_client_is_measured_by_its_copies(story: Story) -> None:
    """A reader that had it 20 s after its registration waited so long."""
    story.lives("CART/1", "a")
    for at, present in ((10.0, {}), (21.1, {"CART/1": "UP"})):
        story.events.append(
            Copied(at=at, client="r", node="b", read_at=at, whole=True, present=present)
        )

    row = rows(story)["a new instance is seen at every node (client)"]

    assert row.measured == 20.0


def test_what_faults_disturbed_is_not_measured(partition: Story) -> None:
    """Newcomers behind the cut took two minutes; that says nothing of undisturbed times."""
    row = rows(partition)["a new instance is seen at every node"]

    assert row.measured is not None
    assert row.measured < 5.0


def test_table_for_the_terminal_has_a_line_a_question(partition: Story) -> None:
    """Questions, figures and settings stand in columns."""
    lines = table_of(how_long(partition.told()))

    assert lines[0].split("  ")[0] == "how long until …"
    assert len(lines) == 12
    assert any("no bound" in line and "renewalPercentThreshold = 0.85" in line for line in lines)


def test_right_partition_leaves_all_instances_stable_or_stale(partition: Story) -> None:
    """Nothing is lost, nothing is a ghost."""
    found = fates(partition.told())

    assert (found.counts["lost"], found.counts["ghost"], found.counts["flapping"]) == (0, 0, 0)
    assert sum(found.counts.values()) == 34


def test_each_fate_is_told_apart(story: Story) -> None:
    """The worst that happened to an instance at any node is its fate."""
    for name in ("stable", "stale", "lost", "flapping"):
        story.lives(f"X/{name}", "a")
    story.shows("b", "X/stale", 100.0, DOWN).shows("b", "X/lost", 100.0, None)
    for at in (100.0, 140.0):
        story.shows("c", "X/flapping", at, None).shows("c", "X/flapping", at + 20, UP)
    story.lives("X/ghost", "a", until=50.0).call(50.0, "a", "cancel", "X/ghost")
    story.shows("a", "X/ghost", 50.0, None).shows("c", "X/ghost", 51.0, None)

    found = fates(story.told())

    assert found.examples == {
        fate: f"X/{fate}" for fate in ("flapping", "ghost", "lost", "stable", "stale")
    }
    assert found.stale_for == pytest.approx(298, abs=4)


def test_quantiles_are_over_instances_and_nodes(partition: Story) -> None:
    """34 registrations, each at two other nodes; half of them within a sample or two."""
    visible = fates(partition.told()).times[0]

    assert (visible.what, visible.cases) == ("for a registration to be visible at a node", 68)
    assert visible.p50 <= visible.p90 <= visible.p99 <= visible.worst


def lost(story: Story) -> Story:
    """Let node b never learn of an instance that joined behind the cut."""
    story.shown["b", "CART/new-a"] = []
    return story


def test_picture_has_faults_links_and_flags_on_one_axis(partition: Story) -> None:
    """The band is the cut, the cut links are down in it, the violation is flagged."""
    partition.counts("b", 60, expires=False)
    history = lost(partition).told()
    judged = apply_deviations(judge(history, ("peers_converge",)), (), "story")

    drawn = picture(history, judged)

    assert [(band.began, band.ended) for band in drawn.bands] == [(100.0, 240.0)]
    assert {cut.link for cut in drawn.links if cut.down} == {"a>b", "b>a", "b>c", "c>b"}
    assert [(flag.at, flag.node, flag.instance) for flag in drawn.flags] == [
        (256.5, "b", "CART/new-a")
    ]
    assert drawn.nodes["b"].protected == ((5.0, 1.0),)
    assert drawn.nodes["a"].instances[-1][1] == 32.0
    assert drawn.lanes[0].nodes["b"] == ((2.0, ""),)
    assert drawn.lanes[0].wrong == {"b": (256.5, 400.0)}
    assert any(line.is_breach for line in drawn.around[0])


def test_alive_counts_what_clients_told(partition: Story) -> None:
    """30 and two newcomers; a canary that is never heard of again is dead at once."""
    alive = picture(partition.told(), ()).alive

    assert max(value for _, value in alive) == 32.0
    assert alive[-1][1] == 32.0


def test_fault_that_was_not_proven_is_not_drawn(partition: Story) -> None:
    """What never bit has no band."""
    partition.events = [event for event in partition.events if not hasattr(event, "proof")]

    assert picture(partition.told(), ()).bands == ()


@pytest.mark.parametrize("known", [False, True], ids=["broken", "known"])
def test_page_holds_the_picture_as_data_and_its_tables_as_text(
    partition: Story, tmp_path: Path, *, known: bool
) -> None:
    """The page is whole without script: tables of violations and times; the data can be read."""
    history = lost(partition).told()
    deviations = (
        Deviation(
            promise="peers_converge",
            scenario="story",
            said="did not know it",
            reason="x",
            hurts="y",
        ),
    )
    judged = apply_deviations(judge(history, PROMISES), deviations if known else (), "story")
    report = account(history, judged)
    text = write_simple(tmp_path, page_of(report, (), picture(history, judged))).read_text("utf-8")

    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)

    assert data is not None
    assert json.loads(data[1])["flags"][0]["known"] is known
    for part in ("How long until", "What became of the instances", "What happened around"):
        assert part in text, part
    assert 'style="' not in text


def test_no_tag_of_a_hostile_name_reaches_the_page(story: Story, tmp_path: Path) -> None:
    """Names are data: a script in one is neither markup nor the end of the data."""
    name = "CART/</script><script>alert(1)</script>"
    story.lives(name, "a").cut(100.0, 110.0)
    for node in NODES:
        story.shows(node, name, 300.0, None)
    history = story.told()
    judged = apply_deviations(judge(history, ("no_live_instance_is_evicted",)), (), "story")

    page = page_of(account(history, judged), (), picture(history, judged))
    text = write_simple(tmp_path, page).read_text("utf-8")

    assert "<script>alert" not in text
    assert text.count("</script>") == 2


@pytest.mark.chromium
def test_the_timeline_is_drawn_under_the_policy_of_the_page(
    partition: Story, tmp_path: Path, browse: Callable[..., str]
) -> None:
    """In a browser the script draws lines and a flag, and shows the operations of one violation."""
    partition.counts("b", 60, expires=False)
    history = lost(partition).told()
    judged = apply_deviations(judge(history, ("peers_converge",)), (), "story")
    page = write_simple(tmp_path, page_of(account(history, judged), (), picture(history, judged)))

    dom = browse(page)

    for part in ('class="s-b"', 'class="band"', 'class="flag"', ">256.5 s</output>", "a&gt;b"):
        assert part in dom, part


def test_promise_that_is_broken_all_the_time_hides_no_other(partition: Story) -> None:
    """The page marks the first breaches of each, not the first of all."""
    for node in NODES:
        partition.counts(node, 900, threshold=1)
    partition.shown["b", "CART/new-a"] = []
    history = partition.told()
    names = ("replication_is_linear", "peers_converge")
    judged = apply_deviations(judge(history, names), (), "story")

    flags = picture(history, judged).flags

    assert len(judged[0].judgement.violations) > len(flags)
    assert {flag.promise for flag in flags} == set(names)


def test_picture_begins_with_the_run(partition: Story) -> None:
    """What nodes took to start is no part of the axis."""
    history = partition.told()
    late = History(history.header, tuple(one for one in history.events if one.at >= 90.0))

    assert picture(partition.told(), ()).began == 1.0
    assert picture(late, ()).began == late.events[0].at
