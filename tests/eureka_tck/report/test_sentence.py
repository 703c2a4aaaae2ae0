"""The verdict in words: the denominator is what was judged, and the rest is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck.report.model import ATTENTION, tally
from eureka_tck.report.sentence import totals_table, word_verdict, worded

if TYPE_CHECKING:
    from eureka_tck.report.model import Verdict
    from tests.eureka_tck.report.conftest import Samples


def test_all_kept_is_conformant(samples: Samples) -> None:
    """Without deviations the sentence says all."""
    words = word_verdict("python", samples.rows("passed", "passed"), exit_code=0)

    assert words.word == "Conformant"
    assert words.sentence == "python keeps all 2 MUST rows."
    assert words.rest == "These are all MUST rows."


def test_known_deviations_are_as_expected(samples: Samples) -> None:
    """Deviations are counted beside what is kept, and rows out of the count follow with reasons."""
    rows = (
        *samples.rows("passed", "passed", "known deviation"),
        samples.row("REG-01", "not applicable", reason="it judges clients."),
        samples.row("REG-02", None),
        *samples.rows("passed", "known deviation", "inconclusive", level="SHOULD", chapter="EVICT"),
        *samples.rows("passed", "failed", level="REF", chapter="WIRE"),
    )

    words = word_verdict("java:5.0.3", rows, exit_code=0)

    assert words.word == "As expected"
    assert words.sentence == (
        "java:5.0.3 keeps 2 of 3 MUST rows; the other is a known deviation; nothing unexpected."
    )
    assert words.rest.splitlines() == [
        (
            "Not in the count of MUST rows: 1 not applicable to this target (it judges clients), "
            "1 not judged by this suite."
        ),
        (
            "It keeps 1 of 2 SHOULD rows; 1 known deviation; not in the count: 1 inconclusive "
            "(The renewal changed the status to DOWN)."
        ),
        "It does as the reference in 1 of 2 REF rows and differs in 1.",
    ]


def test_what_is_not_built_yet_is_told_apart(samples: Samples) -> None:
    """A row that the target does not claim to have is no deviation of it."""
    unbuilt = samples.row("REG-04", "known deviation", kind="not built yet")
    deviating = samples.row("REG-05", "known deviation")
    passed = samples.row("REG-01")

    alone = word_verdict("python", (passed, unbuilt), exit_code=0).sentence
    both = word_verdict("python", (passed, unbuilt, deviating), exit_code=0).sentence

    assert alone == (
        "python keeps 1 of 2 MUST rows; the other is not built yet; nothing unexpected."
    )
    assert both == (
        "python keeps 1 of 3 MUST rows; the other 2 are listed, 1 known deviation and "
        "1 row not built yet; nothing unexpected."
    )


def test_failures_come_first(samples: Samples) -> None:
    """Broken rows are the sentence; what is kept follows."""
    rows = (
        *samples.rows("passed", "failed", "failed", "known deviation", "inconclusive"),
        *samples.rows("failed", "unexpected pass", level="SHOULD", chapter="REG"),
    )

    words = word_verdict("acme", rows, exit_code=1)

    assert words.word == "Not conformant"
    assert words.sentence == (
        "acme breaks 2 of 4 MUST rows and 1 of 2 SHOULD rows, and 1 known deviation passes."
    )
    assert words.rest.splitlines()[0] == (
        "It keeps 1 of 4 MUST rows and breaks 2; 1 known deviation. Not in the count of MUST rows: "
        "1 inconclusive (The renewal changed the status to DOWN)."
    )


def test_an_unexpected_pass_alone_is_not_as_expected(samples: Samples) -> None:
    """A deviation that passes breaks no row, yet the run is not what was expected."""
    words = word_verdict("python", samples.rows("passed", "unexpected pass"), exit_code=1)

    assert words.word == "Not as expected"
    assert words.sentence == "python keeps all 2 MUST rows, and 1 known deviation passes."


@pytest.mark.parametrize(
    ("verdicts", "exit_code", "word"),
    [(("passed", "inconclusive"), 2, "Inconclusive"), ((None,), 0, "Not judged")],
)
def test_a_run_without_verdict_is_never_conformant(
    samples: Samples, verdicts: tuple[Verdict | None, ...], exit_code: int, word: str
) -> None:
    """Inconclusive and unjudged runs have words of their own."""
    assert word_verdict("python", samples.rows(*verdicts), exit_code=exit_code).word == word


def test_a_broken_should_row_counts_when_strict(samples: Samples) -> None:
    """With strict a SHOULD row makes a target not conformant, without it the exit code is 0."""
    rows = (
        samples.row("REG-01"),
        *samples.rows("failed", level="SHOULD", chapter="EVICT"),
    )

    strict = word_verdict("python", rows, exit_code=1, strict=True)
    lenient = word_verdict("python", rows, exit_code=0)

    assert strict.word == "Not conformant"
    assert lenient.word == "Conformant"
    assert (
        strict.sentence
        == lenient.sentence
        == ("python keeps the only MUST row; it breaks the only SHOULD row.")
    )


def test_nothing_judged_says_so(samples: Samples) -> None:
    """Where no row of a level was judged the sentence claims nothing."""
    nothing = word_verdict("python", samples.rows(None, "not applicable"), exit_code=0)
    should = word_verdict("python", samples.rows("passed", level="SHOULD"), exit_code=0)

    assert nothing.sentence == "Of python no MUST or SHOULD row was judged."
    assert should.sentence == "python keeps the only SHOULD row; no MUST row was judged."


def test_long_or_many_reasons_stay_with_the_rows(samples: Samples) -> None:
    """A sentence names reasons only where they are few and short, most frequent first."""
    short = [
        samples.row(f"REG-{n:02}", "not applicable", reason=f"no {'ab'[n > 1]}") for n in range(3)
    ]
    long = samples.row("REG-09", "not applicable", reason="no " * 40)

    few = word_verdict("python", short, exit_code=0).rest
    many = word_verdict("python", [*short, long], exit_code=0).rest

    assert few.startswith(
        "Not in the count of MUST rows: 3 not applicable to this target (2: no a and 1: no b)."
    )
    assert many.startswith("Not in the count of MUST rows: 4 not applicable to this target.")


def test_words_that_are_there_stay(samples: Samples) -> None:
    """A report that brings its own sentence keeps it; an empty one gets ours."""
    report = samples.report(samples.rows("passed"))
    own = msgspec.structs.replace(report, verdict_sentence="All is well.")
    empty = msgspec.structs.replace(report, verdict_word="", verdict_sentence="", rest_sentence="")

    assert worded(own) is own
    assert worded(empty) == report


def test_the_table_of_totals_lists_every_verdict(samples: Samples) -> None:
    """The terminal's table has a line for each verdict, for rows not judged, and their sum."""
    rows = (*samples.rows(*ATTENTION, None), samples.row("REG-01", level="SHOULD"))

    assert totals_table(tally(rows)).splitlines() == [
        "                            MUST  SHOULD  REF  all",
        "  failed                       1       -    -    1",
        "  unexpected pass              1       -    -    1",
        "  inconclusive                 1       -    -    1",
        "  known deviation              1       -    -    1",
        "  not applicable               1       -    -    1",
        "  passed                       1       1    -    2",
        "  not judged by this suite     1       -    -    1",
        "  catalogue                    7       1    -    8",
    ]
