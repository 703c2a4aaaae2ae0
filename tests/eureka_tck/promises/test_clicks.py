"""A page of a chaos run in a real browser: a click on a violation shows what happened around it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Final

import msgspec
import pytest

from eureka_tck.promises import judge
from eureka_tck.promises.account import account
from eureka_tck.promises.expectation import apply_deviations
from eureka_tck.promises.page import page_of
from eureka_tck.promises.picture import picture
from eureka_tck.report.run_page import write_simple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.eureka_tck.promises.conftest import Story

VISITOR: Final = """<!DOCTYPE html><meta charset="utf-8"><title>a visitor</title>
<iframe id="page" src="index.html" width="1200" height="6000"></iframe><pre id="saw"></pre>
<script>
/* The page in the frame has a policy of its own, under which its own script runs.
   Ours looks, and clicks on what lies on top at the place of a mark: a cover takes the clicks. */
document.getElementById("page").addEventListener("load", function () {
  var page = this.contentDocument, view = this.contentWindow, saw = [];
  function look(done) {
    saw.push({
      done: done,
      instant: page.getElementById("curv").textContent,
      pressed: Array.from(page.querySelectorAll("[data-flag][aria-pressed=true]"),
        function (one) { return one.textContent.trim(); }),
      shown: Array.from(page.querySelectorAll("[data-around]"))
        .filter(function (one) { return one.getClientRects().length; })
        .map(function (one) { return one.innerText; })
    });
  }
  function top(mark) {
    var box = mark.getBoundingClientRect();
    return page.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  }
  function click(mark) { top(mark).dispatchEvent(new view.MouseEvent("click", { bubbles: true })); }
  function flag(number) { return page.querySelectorAll("#tl .flag")[number - 1]; }
  look("opened");
  click(flag(2).querySelector("rect"));
  look("clicked the mark of 2");
  flag(1).dispatchEvent(new view.KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  look("pressed Enter on the mark of 1");
  click(page.querySelectorAll("[data-flag]")[1]);
  look("clicked the button of 2");
  document.getElementById("saw").textContent = JSON.stringify(saw);
});
</script>
"""


AROUND: Final = (
    (
        "1 no_live_instance_is_evicted: CART/00 was gone from node a at 62.0 s",
        "51.0\tfleet to node a\trenew CART/00\t200",
        "62.0\tnode a\ta read finds CART/00\tabsent",
        "71.0\tfleet to node a\trenew CART/00\t200",
    ),
    (
        "2 peers_converge: CART/new-a at 399.9 s: node b did not know it",
        "100.0\tcut\tnode b is cut off\trefused",
        "120.0\tfleet to node a\tregister CART/new-a\t200",
        "240.0\tcut\thealed\t",
    ),
)
"""What the table around each of the two violations has to say; its own sentence is the first."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a reader had before the eyes after something was done: a table around a violation."""

    done: str
    instant: str
    pressed: tuple[str, ...]
    shown: tuple[str, ...]


def looks_in(dom: str) -> list[Look]:
    """Return what the visitor saw."""
    saw = re.search(r'<pre id="saw">(.*?)</pre>', dom, re.DOTALL)
    assert saw is not None, dom
    return msgspec.json.decode(unescape(saw[1]), type=list[Look])


@pytest.mark.chromium
def test_a_click_on_a_violation_shows_the_operations_around_it(
    partition: Story, tmp_path: Path, browse: Callable[..., str]
) -> None:
    """Mark, key and button show its own operations, hide the other's, and move the instant."""
    partition.shows("a", "CART/00", 60.0, None).shown["b", "CART/new-a"] = []
    history = partition.told()
    judgements = judge(history, ("no_live_instance_is_evicted", "peers_converge"))
    judged = apply_deviations(judgements, (), "story")
    write_simple(tmp_path, page_of(account(history, judged), (), picture(history, judged)))
    visitor = tmp_path / "visitor.html"
    visitor.write_text(VISITOR, "utf-8")

    looks = looks_in(browse(visitor, "--allow-file-access-from-files"))

    assert [(look.done, look.instant, look.pressed) for look in looks] == [
        ("opened", "62.0 s", ("1 CART/00",)),
        ("clicked the mark of 2", "256.5 s", ("2 CART/new-a",)),
        ("pressed Enter on the mark of 1", "62.0 s", ("1 CART/00",)),
        ("clicked the button of 2", "256.5 s", ("2 CART/new-a",)),
    ]
    for number, look in enumerate(looks):
        (table,) = look.shown
        missing = [line for line in AROUND[number % 2] if line not in table]
        assert not missing, f"{look.done}: not in {table}"
        assert AROUND[1 - number % 2][0] not in table
