"""Two runs beside each other: what differs, as values, as text, as a page, as an exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck.cli import main
from eureka_tck.report import store
from eureka_tck.report.difference import compare

if TYPE_CHECKING:
    from pathlib import Path

    from report.conftest import Samples  # type: ignore[import-not-found]


def test_equal_runs_do_not_differ(samples: Samples) -> None:
    """Every row that both judged is the same."""
    report = samples.every_verdict()

    comparison = compare(report, report)

    assert comparison.differences == ()
    assert comparison.same == sum(row.verdict is not None for row in report.rows)


def test_a_row_judged_otherwise_is_a_difference_with_both_exchanges(samples: Samples) -> None:
    """Both sides show what was asked and answered."""
    one = samples.report(samples.rows("passed", "passed"))
    other = samples.report(samples.rows("passed", "failed"), exit_code=1)

    (difference,) = compare(one, other).differences

    assert difference.id == "RENEW-02"
    assert difference.verdicts == ("passed", "failed")
    assert [side.exchange for side in difference.tests[0].sides] == [samples.exchange] * 2


def test_stamps_and_seconds_are_no_difference(samples: Samples) -> None:
    """What differs in every run means nothing."""
    one = samples.report(samples.rows("failed"), exit_code=1)
    row = one.rows[0]
    slower = msgspec.structs.replace(row.tests[0].result, seconds=9.0, lateness=1.0, timeline=())
    test = msgspec.structs.replace(row.tests[0], result=slower)
    other = samples.report([msgspec.structs.replace(row, tests=(test,))], exit_code=1)

    assert compare(one, other).differences == ()


def test_another_wrong_answer_is_a_difference(samples: Samples) -> None:
    """Failed on both, but not in the same way."""
    one = samples.report(samples.rows("failed"), exit_code=1)
    row = one.rows[0]
    result = msgspec.structs.replace(row.tests[0].result, actual="500 from nowhere")
    test = msgspec.structs.replace(row.tests[0], result=result)
    other = samples.report([msgspec.structs.replace(row, tests=(test,))], exit_code=1)

    (difference,) = compare(one, other).differences

    assert difference.verdicts == ("failed", "failed")


def test_rows_that_one_run_alone_judged_are_named(samples: Samples) -> None:
    """They are no difference, and not passed over."""
    one = samples.report(samples.rows("passed", None))
    other = samples.report(samples.rows("passed", "failed"), exit_code=1)

    comparison = compare(one, other)

    assert comparison.differences == ()
    assert comparison.only == ((), ("RENEW-02",))


def test_the_command_says_it_and_writes_a_page(
    samples: Samples, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1, text with both sides, and a page that names the row."""
    for name, verdict in (("a", "passed"), ("b", "failed")):
        (tmp_path / name).mkdir()
        store.save(samples.report(samples.rows(verdict)), tmp_path / name / store.FILE)

    code = main(["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--out", str(tmp_path)])

    said = capsys.readouterr().out
    assert code == 1
    assert "RENEW-01" in said
    assert "python (A): passed" in said
    assert "python (B): failed: The renewal changed the status to DOWN." in said
    assert "differ in 1 of the 1 row" in said
    (page,) = (tmp_path / "compare").glob("*/index.html")
    assert page.read_text("utf-8").count("PUT /eureka/apps/CART/cart-01?status=DOWN") == 2


def test_equal_runs_exit_0(
    samples: Samples, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run beside itself."""
    store.save(samples.report(samples.rows("passed")), tmp_path / store.FILE)

    code = main(["compare", str(tmp_path), str(tmp_path), "--out", str(tmp_path)])

    assert code == 0
    assert "say the same of the 1 row" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ('{"schema": 99}', "it was written by a newer"),
        ("[]", "is not a report"),
        ("{", "not readable as JSON"),
    ],
    ids=["no report", "newer schema", "no report's shape", "cut short"],
)
def test_a_run_that_cannot_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, said: str
) -> None:
    """Exit code 3 and one sentence, never a traceback."""
    if text is not None:
        (tmp_path / store.FILE).write_text(text, "utf-8")

    code = main(["compare", str(tmp_path), str(tmp_path), "--out", str(tmp_path)])

    complaint = capsys.readouterr().err
    assert code == 3
    assert said.lower() in complaint.lower()
    assert "Traceback" not in complaint


def test_a_folder_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The way out names live comparison too, where a target was meant."""
    code = main(["compare", "python", "java:5.0.3", "--out", str(tmp_path)])

    assert code == 3
    assert "with --live, A and B are targets" in capsys.readouterr().err
