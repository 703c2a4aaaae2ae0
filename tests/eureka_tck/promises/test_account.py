"""The account of a run: its verdict as a sentence, its story, its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck.history.event import Counted, Marked
from eureka_tck.promises import judge
from eureka_tck.promises.account import ChaosReport, account, save
from eureka_tck.promises.expectation import Deviation, apply_deviations
from eureka_tck.promises.page import page_of
from eureka_tck.report.run_page import write_simple

if TYPE_CHECKING:
    from pathlib import Path

    from tests.eureka_tck.promises.conftest import Story

BOTH = ("no_live_instance_is_evicted", "peers_converge")
KNOWN = Deviation(
    promise="peers_converge",
    scenario="story",
    said="did not know it",
    reason="lost after 30 s",
    hurts="Callers find nobody.",
)


def told(story: Story, *deviations: Deviation) -> ChaosReport:
    """Return the account of a story."""
    history = story.told()
    return account(history, apply_deviations(judge(history, BOTH), deviations, "story"))


def lost(story: Story) -> Story:
    """Let node b never learn of an instance."""
    story.shown["b", "CART/new-a"] = []
    return story


def test_kept_promises_are_counted(partition: Story) -> None:
    """The headline has the number that was judged."""
    report = told(partition)

    assert (report.headline, report.exit_code) == ("told keeps 2 promises of 2", 0)


def test_broken_promise_comes_first_with_what_was_found(partition: Story) -> None:
    """The verdict is the worst promise's, and its finding stands in the sentence."""
    report = told(lost(partition))

    assert report.headline == "told breaks 1 promise of 2"
    assert report.verdict_sentence.startswith(
        "told breaks 1 promise of 2. 1 live instance at node b did not agree"
    )
    assert [one.verdict for one in report.promises] == ["broken", "kept"]
    assert report.exit_code == 1


def test_known_deviation_is_named_as_such(partition: Story) -> None:
    """A promise broken as expected exits 0 and says that it is known."""
    report = told(lost(partition), KNOWN)

    assert report.headline == "told breaks 1 promise of 2 in a way that is known"
    assert report.exit_code == 0


def test_known_deviation_that_was_not_seen_fails_the_run(partition: Story) -> None:
    """The verdict says what was expected, and why."""
    report = told(partition, KNOWN)

    assert report.exit_code == 1
    assert report.verdict_sentence == (
        "told does not break 1 promise of 2 as it is known to. "
        "Known to break it always, and not seen in this run: lost after 30 s."
    )


def test_page_says_what_is_known_and_whom_it_hurts(partition: Story, tmp_path: Path) -> None:
    """The word of the verdict, the reason and the harm stand beside what was found."""
    page = write_simple(tmp_path, page_of(told(lost(partition), KNOWN), ())).read_text("utf-8")

    assert "Known deviation</td>" in page
    assert "Known: lost after 30 s. Callers find nobody." in page


def test_inconclusive_run_says_why(partition: Story) -> None:
    """What could not be judged is no pass, and the sentence has the reason."""
    partition.ended = False
    report = told(partition)

    assert report.exit_code == 2
    assert report.verdict_sentence == (
        "2 promises of 2 could not be judged on told. The run was broken off: its history has no "
        "end."
    )


def test_story_is_told_in_the_order_of_time(partition: Story) -> None:
    """Phases, faults and changes of protection stand in one list."""
    partition.events += [
        Marked(at=5.0, name="settling"),
        Counted(
            at=170.0,
            node="b",
            threshold=153,
            renewals=61,
            expiration_enabled=False,
            self_preservation=True,
        ),
    ]
    report = told(partition)

    assert [(one.at, one.where, one.what) for one in report.story] == [
        (5.0, "", "settling"),
        (100.0, "cut", "node b is cut off"),
        (103.0, "cut", "proven to have bitten"),
        (
            170.0,
            "node b",
            "protects itself: 61 renewals in the last minute, threshold 153",
        ),
        (240.0, "cut", "healed"),
    ]


def test_report_comes_back_from_its_file(partition: Story, tmp_path: Path) -> None:
    """A stored report is the report that was written."""
    report = told(partition)
    file = save(report, tmp_path)

    assert msgspec.json.decode(file.read_bytes(), type=ChaosReport) == report


@pytest.mark.parametrize("breaks", [False, True], ids=["kept", "broken"])
def test_page_tells_every_promise_with_its_budget(
    partition: Story, tmp_path: Path, *, breaks: bool
) -> None:
    """The page has each promise, its budget's formula, and each violation."""
    report = told(lost(partition) if breaks else partition)
    page = write_simple(tmp_path, page_of(report, ())).read_text("utf-8")

    assert all(one.judgement.statement in page for one in report.promises)
    assert "R + 2·0.5 + peer time-out + 1 + 1.5 = 10 + 1 + 3 + 1 + 1.5 s" in page
    assert ("Violations" in page) is breaks
