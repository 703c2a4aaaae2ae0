"""Reports on disk: what is written comes back, and what is broken is named."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.report.store import json_schema, load, save

if TYPE_CHECKING:
    from pathlib import Path

    from tests.eureka_tck.report.conftest import Samples


def test_a_report_reads_back_as_it_was_written(samples: Samples, tmp_path: Path) -> None:
    """Loading the folder of a run gives an equal report."""
    report = samples.every_verdict()

    save(report, tmp_path / "report.json")

    assert load(tmp_path) == report
    assert load(tmp_path / "report.json") == report
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_the_stored_schema_is_current() -> None:
    """`report.schema.json` is what the model says today; `json_schema` writes it anew."""
    stored = resources.files("eureka_tck.report").joinpath("report.schema.json")

    assert stored.read_text("utf-8") == json_schema()


def test_half_a_character_is_written_as_replacement(samples: Samples, tmp_path: Path) -> None:
    """A lone surrogate, which JSON can carry and UTF-8 cannot, becomes U+FFFD."""
    report = samples.with_text_everywhere(samples.every_verdict(), "cart \ud800 end")

    save(report, tmp_path / "report.json")

    assert load(tmp_path).target == "cart \ufffd end"


def test_a_missing_report_is_named(tmp_path: Path) -> None:
    """A folder without a report says which file it looked for."""
    with pytest.raises(SettingsError) as caught:
        load(tmp_path / "report.json")

    assert str(caught.value) == (
        f"{tmp_path / 'report.json'} cannot be read: No such file or directory.\n"
        "  Give the folder of a finished run, such as reports/latest."
    )


def test_a_newer_report_is_refused_by_its_version(tmp_path: Path) -> None:
    """A schema of tomorrow is told apart from a broken file, whatever else is in it."""
    (tmp_path / "report.json").write_text('{"schema": 2, "rows": "moved"}')

    with pytest.raises(SettingsError, match=r"report.json: schema is 2, and .* reads up to 1\."):
        load(tmp_path)


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("seed", "seven", "at seed: expected `int`, got `str`."),
        ("suite", None, "at suite: expected `str`, got `null`."),
        ("rows", [{"id": "A-1", "level": "MAY"}], "at rows[0].level: invalid enum value 'MAY'."),
        ("colour", "red", "at its top level: object contains unknown field `colour`."),
        ("schema", "1", "at schema: expected `int`, got `str`."),
    ],
    ids=["wrong type", "null", "unknown level", "unknown field", "schema as text"],
)
def test_a_wrong_field_is_named(
    samples: Samples, tmp_path: Path, field: str, value: object, problem: str
) -> None:
    """The error says file, path of the field, and what was expected there."""
    report: dict[str, object] = msgspec.to_builtins(samples.report(samples.rows("passed")))
    (tmp_path / "report.json").write_bytes(msgspec.json.encode(report | {field: value}))

    with pytest.raises(SettingsError) as caught:
        load(tmp_path)

    assert caught.value.problem == f"{tmp_path / 'report.json'} is not a report: {problem}"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b'{"schema": 1,',
        b"[1]",
        b"\xff\xfe",
        b'{"schema": 1, "suite": "\xff"}',
        b'{"x": ' + b"[" * 100_000,
        b'{"schema": 0}',
        b'{"schema": 1e999}',
    ],
    ids=["empty", "cut", "list", "utf-16", "latin-1", "deep", "version 0", "infinite"],
)
def test_a_broken_report_is_an_error_and_no_traceback(tmp_path: Path, data: bytes) -> None:
    """Every kind of broken file ends in an error that names it."""
    (tmp_path / "report.json").write_bytes(data)

    with pytest.raises(SettingsError, match=r"report\.json"):
        load(tmp_path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(data=st.data())
def test_a_damaged_report_loads_or_names_itself(
    samples: Samples, tmp_path: Path, data: st.DataObject
) -> None:
    """One changed stretch of a stored report never raises anything but a settings error."""
    file = tmp_path / "report.json"
    save(samples.report(samples.rows("failed")), file)
    whole = file.read_bytes()
    begin = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(begin, min(len(whole), begin + 20)))
    file.write_bytes(whole[:begin] + data.draw(st.binary(max_size=8)) + whole[end:])

    try:
        load(file)
    except SettingsError as error:
        assert "report.json" in error.problem  # noqa: PT017 - loading may as well succeed


def test_a_folder_that_is_not_there_cannot_be_written_to(samples: Samples, tmp_path: Path) -> None:
    """Saving names the file and the reason."""
    with pytest.raises(CannotRun, match=r"report\.json cannot be written: No such file"):
        save(samples.report(()), tmp_path / "gone" / "report.json")
