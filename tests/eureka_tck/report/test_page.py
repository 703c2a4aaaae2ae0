"""The conformance page: complete without script, in order of attention, and safe."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from eureka_tck.report.page import render_page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eureka_tck.report.model import Verdict
    from tests.eureka_tck.report.conftest import Samples

HOSTILE = (
    "</script></style></title></pre>--><script>document.title='taken'</script>"
    '"><img src=x onerror=alert(1)>\' onload="alert(1)" {{ 7*7 }}{% x %}`<b>`'
    "\x00\x1b[31m\u202e\ud800"
)


class Outline(HTMLParser):
    """The tags of a page with the names of their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, ...]] = []
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag, and what its attributes point at."""
        self.tags.append((tag, *(name for name, _ in attrs)))
        self.addresses += [text or "" for name, text in attrs if name in ("href", "src", "action")]
        self.ids += [text or "" for name, text in attrs if name == "id"]

    def handle_data(self, data: str) -> None:
        """Note text."""
        self.text += data


def test_every_row_stands_on_the_page_once(samples: Samples) -> None:
    """Each row of the catalogue is a `details` with its id, judged or not."""
    report = samples.every_verdict()

    ids = re.findall(r'<details class="row [^"]*" id="([^"]+)"', render_page(report))

    assert sorted(ids) == sorted(row.id for row in report.rows)


def test_rows_come_in_order_of_attention(samples: Samples) -> None:
    """Failures first, then what passed unexpectedly, and what nobody judged last."""
    page = render_page(samples.every_verdict())

    order = list(dict.fromkeys(re.findall(r'<details class="row k-(\w+)"', page)))

    assert order == ["fail", "upass", "inc", "dev", "ref", "na", "pass", "none"]


def test_the_verdict_is_the_first_heading(samples: Samples) -> None:
    """The sentence with its figures stands on top, with word and exit code."""
    page = render_page(samples.every_verdict())

    assert "Not conformant <span>exit code 1</span>" in page
    assert "python breaks 1 of 4 MUST rows and 1 of 3 SHOULD rows, and 1 known deviation" in page
    assert page.index("<h1") < page.index("<h2")


def test_a_failure_shows_what_decides(samples: Samples) -> None:
    """Requirement, given, expected, actual, curl, re-run, the exchange and the log are there."""
    text = Outline(render_page(samples.report(samples.rows("failed"), exit_code=1))).text

    for part in (
        "The query status never changes the stored status.",
        "A registry that follows the query undoes what an operator did.",
        "CART/cart-01 registered UP; one renewal with status=DOWN in the query",
        "200; the instance reads back UP",
        "200; the instance reads back DOWN",
        "curl -i -X PUT 'http://127.0.9.11:8761/eureka/apps/CART/cart-01?status=DOWN'",
        "eureka-tck gate --target python --select RENEW-06 --seed 7",
        "PUT /eureka/apps/CART/cart-01?status=DOWN HTTP/1.1",
        'expected: "status":"UP"',
        "INFO CART/cart-01 UP -> DOWN",
    ):
        assert part in text, part


def test_a_passed_row_lists_its_tests_without_evidence(samples: Samples) -> None:
    """A passed row names what was tested and keeps the exchanges in report.json."""
    text = Outline(render_page(samples.report(samples.rows("passed")))).text

    assert "A renewal never changes the status. test_renew.py::test_a" in text
    assert "HTTP/1.1" not in text


def test_a_deviation_shows_why_it_is_expected(samples: Samples) -> None:
    """The expectation's reason stands in the row's line, who it hurts below."""
    text = Outline(render_page(samples.report(samples.rows("known deviation")))).text

    assert "The reference follows the query." in text
    assert "A renewal in flight undoes an operator's status." in text


def test_a_row_that_nothing_judges_says_so(samples: Samples) -> None:
    """A row without test is listed with its reason, or with a plain statement."""
    reasoned = samples.row("RENEW-02", None, reason="It needs a scripted peer.")
    text = Outline(render_page(samples.report((*samples.rows(None), reasoned)))).text

    assert "No test of this run judges the row." in text
    assert "It needs a scripted peer." in text


def test_what_is_not_built_yet_is_no_deviation(samples: Samples) -> None:
    """A row the target does not claim to have has a word of its own."""
    row = samples.row("REG-04", "known deviation", kind="not built yet")

    assert "Not built yet</span>" in render_page(samples.report((row,)))


def test_each_chapter_has_one_mark_a_row(samples: Samples) -> None:
    """Marks link to their rows and name the verdict, so that shape and colour are not alone."""
    report = samples.every_verdict()
    page = render_page(report)

    marks = re.findall(r'<a href="#([^"]+)" tabindex="-1"><title>[^<]+: ([^<]+)</title>', page)

    assert sorted(row for row, _ in marks) == sorted(row.id for row in report.rows)
    assert ("RENEW-01", "Failed") in marks
    assert ("EVICT-02", "Differs") in marks
    assert "MUST: 2 of 4 kept; RENEW-01 failed; RENEW-02 unexpected pass" in page


def test_the_effective_settings_stand_by_profile(samples: Samples) -> None:
    """Each profile has its settings by Spring's names, with their origin."""
    text = Outline(render_page(samples.every_verdict())).text

    assert "Effective settings by profile (1)" in text
    assert "eureka.server.evictionIntervalTimerInMs60000profile" in text


@pytest.mark.parametrize("verdicts", ["all", "none"])
def test_hostile_text_changes_no_tag(samples: Samples, verdicts: str) -> None:
    """With markup in every field the page has the very tags it has with a plain word."""
    report = samples.every_verdict() if verdicts == "all" else samples.report(())
    plain = Outline(render_page(samples.with_text_everywhere(report, "a `word`")))

    hostile = Outline(render_page(samples.with_text_everywhere(report, HOSTILE)))

    assert hostile.tags == plain.tags
    assert "⟨U+0000⟩⟨U+001B⟩[31m⟨U+202E⟩⟨U+D800⟩" in hostile.text
    assert "{{ 7*7 }}" in hostile.text


def test_nothing_is_loaded_and_every_address_stays_here(samples: Samples) -> None:
    """The page has no address but its own rows and the files beside it."""
    report = samples.with_text_everywhere(samples.every_verdict(), "javascript:alert(1)")
    outline = Outline(render_page(report))

    assert all(address.startswith(("#", "./")) for address in outline.addresses)
    assert not {"img", "link", "iframe", "object", "base"} & {tag for tag, *_ in outline.tags}


def test_the_policy_admits_our_own_style_and_script_only(samples: Samples) -> None:
    """Nothing inline runs but what the hashes name, and no attribute carries style or script."""
    page = render_page(samples.every_verdict())
    outline = Outline(page)

    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[^']{44}'; script-src 'sha256-[^']{44}'; "
        r"base-uri 'none'; form-action 'none'",
        policy[1],
    )
    names = {name for _, *names in outline.tags for name in names}
    assert "style" not in names
    assert not [name for name in names if name.startswith("on")]


def test_an_id_stands_once(samples: Samples) -> None:
    """No two elements of a page share an id, so that every link has one end."""
    ids = Outline(render_page(samples.every_verdict())).ids

    assert len(ids) == len(set(ids))


def test_only_the_first_failures_are_named_on_top(samples: Samples) -> None:
    """A long list of failures is cut on top and says how many follow."""
    failures: list[Verdict] = ["failed"] * 20
    page = render_page(samples.report(samples.rows(*failures), exit_code=1))

    assert page.count("<li>") == 13
    assert "8 more below" in page


def test_a_run_with_nothing_in_it_has_a_page(samples: Samples) -> None:
    """An empty catalogue gives a page that says that nothing was judged."""
    bare = replace(samples.report(()), settings=(), versions={}, seconds=0.0)

    assert "Of python no MUST or SHOULD row was judged." in render_page(bare)


@pytest.mark.chromium
def test_the_script_runs_under_its_policy_and_hostile_script_does_not(
    samples: Samples, tmp_path: Path, browse: Callable[..., str]
) -> None:
    """In a browser the filter counts the rows, buttons are made, and the title is not taken."""
    report = samples.every_verdict()
    hostile = samples.with_text_everywhere(report, HOSTILE)
    page = tmp_path / "index.html"
    page.write_text(
        render_page(replace(report, rows=(*report.rows[:-1], hostile.rows[0]))), "utf-8"
    )

    dom = browse(page, fragment="#v=fail&l=MUST")

    assert f"2 of {len(report.rows)} rows" in dom
    assert 'class="copy noprint"' in dom
    assert "<title>taken" not in dom
