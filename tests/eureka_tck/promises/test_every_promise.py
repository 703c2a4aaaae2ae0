"""What holds of every promise: no history makes it fail, and silence never keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.history import History, HistoryWriter, read_history
from eureka_tck.history.event import Ended
from eureka_tck.promises import PROMISES, judge
from eureka_tck.promises.account import account
from eureka_tck.promises.expectation import apply_deviations
from eureka_tck.promises.page import page_of
from eureka_tck.promises.picture import picture

if TYPE_CHECKING:
    from pathlib import Path

    from tests.eureka_tck.promises.conftest import Story

every_promise = pytest.mark.parametrize("name", PROMISES)


SHARES = (0.02, 0.26, 0.31, 0.45, 0.61, 0.75, 0.999)
"""Where a run is killed: before, in and after the cut."""


def killed(history: History, share: float) -> History:
    """Return what a run leaves that is killed after a share of its lines."""
    return History(history.header, history.events[: int(len(history.events) * share)])


@every_promise
def test_empty_history_is_no_pass(name: str, story: Story) -> None:
    """Nothing recorded, nothing kept."""
    judgement = PROMISES[name](History(story.told().header, ()))

    assert (judgement.promise, judgement.finding) == (name, "inconclusive")
    assert judgement.said


@every_promise
def test_run_in_which_nothing_happened_is_no_pass(name: str, story: Story) -> None:
    """Samples of empty registries keep nothing."""
    assert PROMISES[name](story.told()).finding == "inconclusive"


@every_promise
def test_run_that_was_killed_at_any_moment_is_judged_without_a_pass(
    name: str, partition: Story
) -> None:
    """A right registry whose run ends too early is neither kept nor broken, wherever it ends."""
    whole = partition.told()
    for share in SHARES:
        assert PROMISES[name](killed(whole, share)).finding == "inconclusive", share


@pytest.mark.parametrize("share", [0.0, *SHARES])
def test_run_that_was_killed_at_any_moment_has_a_page(partition: Story, share: float) -> None:
    """Account, picture and page can be made of whatever a run left."""
    history = killed(partition.told(), share)
    judged = apply_deviations(judge(history, PROMISES), (), "story")

    page = page_of(account(history, judged), (), picture(history, judged))

    assert page.timeline is not None
    assert page.timeline.as_json()


@every_promise
def test_run_that_an_error_broke_off_says_so(name: str, partition: Story) -> None:
    """A node that died by itself ends a run: what stands in its history's end is told."""
    whole = partition.told()
    ended = Ended(at=whole.events[-1].at, error="node b died by itself")
    history = History(whole.header, (*whole.events[:-1], ended))

    judgement = PROMISES[name](history)

    assert judgement.finding == "inconclusive"
    assert "node b died by itself" in judgement.said


@every_promise
def test_right_registry_breaks_nothing(name: str, partition: Story) -> None:
    """The partition that a right registry survives breaks no promise, asked or not."""
    assert PROMISES[name](partition.told()).finding != "broken"


def test_history_is_read_and_judged_while_it_is_written(partition: Story, tmp_path: Path) -> None:
    """A reader beside the run sees whole lines alone, and a verdict that is no pass."""
    whole = partition.told()
    with HistoryWriter(tmp_path, whole.header) as writer:
        for event in whole.events[:500]:
            writer.write(event)

        history = read_history(tmp_path)

        assert len(history.events) == 500
        assert {promise(history).finding for promise in PROMISES.values()} == {"inconclusive"}
