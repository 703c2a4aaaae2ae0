"""Known deviations: how they are written, read, matched and rewritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.verdict.expectations import (
    UNFILLED,
    load_expectations,
    shows,
    telling,
    updated,
    write_expectations,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eureka_tck.report.model import Expectation, TestResult
    from eureka_tck.verdict.catalogue import Catalogue

ENTRY = """
[[expectation]]
requirement = "REG-04"
test = "t.py::a"
kind = "known deviation"
actual = "500"
reason = "So it is."
"""


def test_a_target_without_a_file_has_no_deviations(tmp_path: Path, catalogue: Catalogue) -> None:
    """No file, no entries."""
    assert load_expectations(tmp_path / "python.toml", catalogue) == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (ENTRY.replace("REG-04", "REG-99"), "expectation 1 (REG-99) names no row"),
        (ENTRY + ENTRY, "expectation 2 (REG-04) stands twice for t.py::a"),
        (ENTRY.replace("So it is.", " "), "has no reason"),
        (ENTRY.replace('"500"', '""'), "has no actual"),
        (ENTRY + 'also = ["400", ""]', "has an empty text in also"),
        (ENTRY.replace("So it is.", UNFILLED), "a reason that nobody has filled in yet: t.py::a"),
        (ENTRY + f'hurts = "{UNFILLED}"', "a hurts that nobody has filled in yet: t.py::a"),
        (
            ENTRY.replace("known deviation", "bug"),
            "expectation[0].kind is 'bug', but it must be 'known deviation' or 'not built yet'.",
        ),
        (ENTRY + "whatever = 1", "there is no key expectation[0].whatever."),
        (ENTRY + "[[expectation", "is not TOML: "),
    ],
)
def test_a_faulty_entry_is_refused_by_file_and_number(
    tmp_path: Path, catalogue: Catalogue, text: str, says: str
) -> None:
    """The error names file, entry and fault."""
    path = tmp_path / "python.toml"
    path.write_text(text, "utf-8")

    with pytest.raises(CannotRun) as caught:
        load_expectations(path, catalogue)

    assert str(path) in str(caught.value)
    assert says in str(caught.value)


def test_a_failure_shows_a_deviation_by_its_wrong_answer(
    result: Callable[..., TestResult], expectation: Callable[..., Expectation]
) -> None:
    """The text stands in what was seen, or in the sentence; anything else is another failure."""
    entry = expectation(actual="500")

    assert shows(entry, result(outcome="failed", actual="500 {}"))
    assert shows(entry, result(outcome="failed", sentence="it had status 500."))
    assert not shows(entry, result(outcome="failed", actual="400 {}", sentence="it had 400."))


def test_what_is_written_is_read_again(
    tmp_path: Path, catalogue: Catalogue, expectation: Callable[..., Expectation]
) -> None:
    """Quotes and line breaks survive, and so does the comment on top of the file."""
    path = tmp_path / "java.toml"
    path.write_text("# Known of this one.\n# Two lines.\n" + ENTRY, "utf-8")
    entries = (expectation(reason='a "quoted" word\nand é', frequency="sometimes"),)

    write_expectations(path, entries)

    assert load_expectations(path, catalogue) == entries
    assert path.read_text("utf-8").startswith("# Known of this one.\n# Two lines.\n\n[[exp")


def test_an_entry_that_stays_keeps_its_words_and_its_comments(
    tmp_path: Path, catalogue: Catalogue, expectation: Callable[..., Expectation]
) -> None:
    """Only the value that changed is written; a comment that heads a group outlives its first."""
    path = tmp_path / "java.toml"
    first = ENTRY.replace("REG-04", "REG-01").strip()
    second = ENTRY.replace('"500"', '"500"  # seen').replace('"So it is."', '"""\nSo\n# it is."""')
    path.write_text(f"# On top.\n\n{first}\n\n# A group.\n{second}\n# At the end.\n", "utf-8")
    known = load_expectations(path, catalogue)

    write_expectations(path, known)
    same = path.read_text("utf-8")
    write_expectations(path, [msgspec.structs.replace(known[1], actual="501"), expectation()])
    changed = path.read_text("utf-8")

    assert same.startswith(f"# On top.\n\n{first}\n\n# A group.\n{second.strip()}")
    assert '# A group.\n[[expectation]]\nrequirement = "REG-04"' in changed
    assert 'actual = "501"  # seen\nreason = """\nSo\n# it is."""' in changed
    assert load_expectations(path, catalogue) == (
        msgspec.structs.replace(known[1], actual="501"),
        expectation(),
    )


def test_an_update_keeps_what_people_wrote(
    catalogue: Catalogue,
    result: Callable[..., TestResult],
    expectation: Callable[..., Expectation],
) -> None:
    """Reason, kind and a wrong answer that still matches stay; one that changed is taken over."""
    kept = expectation(reason="Mine.", hurts="Peers.")
    seen = result(outcome="failed", actual="500 {}")

    assert updated([kept], [seen], catalogue, "not built yet") == (kept,)
    assert updated(
        [kept], [result(outcome="failed", actual="501 x")], catalogue, "not built yet"
    ) == (msgspec.structs.replace(kept, actual="501"),)


def test_an_update_drops_what_passed_and_keeps_what_said_nothing(
    catalogue: Catalogue,
    result: Callable[..., TestResult],
    expectation: Callable[..., Expectation],
) -> None:
    """An entry goes only when its test passed, and shows always."""
    known, racing = expectation(), expectation(frequency="sometimes")

    assert updated([known], [result()], catalogue, "known deviation") == ()
    assert updated([racing], [result()], catalogue, "known deviation") == (racing,)
    assert updated([known], [], catalogue, "known deviation") == (known,)
    inconclusive = result(outcome="inconclusive")
    assert updated([known], [inconclusive], catalogue, "known deviation") == (known,)


def test_a_new_deviation_takes_its_reason_from_the_catalogue(
    catalogue: Catalogue, result: Callable[..., TestResult]
) -> None:
    """What the catalogue knows of the reference is the reason; our own registry has none."""
    failed = result(outcome="failed", actual="500")

    (reference,) = updated([], [failed], catalogue, "known deviation")
    (ours,) = updated([], [failed], catalogue, "not built yet")

    assert reference.reason == "500 for null."
    assert ours.reason == reference.hurts == UNFILLED


@pytest.mark.parametrize(
    ("actual", "sentence", "says"),
    [
        ("500 {'timestamp': 1}", "", "500"),
        ("OUT_OF_SERVICE", "", "OUT_OF_SERVICE"),
        ("the stamp 1796051508423", "", "the stamp"),
        (
            "",
            "the override was there; it must be absent.",
            "the override was there; it must be absent.",
        ),
        ("{'status': 1}", "", "{'status': 1}"),
    ],
)
def test_a_new_entry_names_what_will_be_the_same_next_time(
    result: Callable[..., TestResult], actual: str, sentence: str, says: str
) -> None:
    """A status code, a word; no time stamps, no error page."""
    assert telling(result(actual=actual, sentence=sentence)) == says
