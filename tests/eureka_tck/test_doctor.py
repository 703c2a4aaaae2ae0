"""What the doctor says of a machine, and what it demands."""

from __future__ import annotations

import argparse

import pytest

from eureka_tck import doctor
from eureka_tck.commands import doctor as doctor_command
from eureka_tck.commands import sweep as sweep_command
from eureka_tck.doctor import Finding, available, examine
from eureka_tck.errors import CannotRun


def test_what_is_missing_comes_with_need_and_command() -> None:
    """What is here is one line; what is not says what it is for and how to bring it."""
    here = Finding("cc", "/usr/bin/cc", "clock steps", "", "apt", required=False)
    gone = Finding("docker", None, "--backend docker", "none answers.", "start it", required=True)

    assert doctor_command.as_text([gone, here]) == (
        "ok cc      /usr/bin/cc\n"
        "-- docker  none answers.\n"
        "           needed for --backend docker; TCK_REQUIRE names it\n"
        "           $ start it\n"
        "\n"
        "1 of 2 missing.\n"
        "The Python registry on the process backend needs none of them.\n"
    )


def test_the_doctor_looks_at_everything_without_an_error() -> None:
    """Whatever this machine lacks, each thing has a finding."""
    assert [finding.name for finding in examine()] == list(doctor.THINGS)


def test_an_absent_thing_that_is_required_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 3 where TCK_REQUIRE names what is not here, 0 where it does not."""
    monkeypatch.setenv("PATH", "")
    codes = []
    for required in ("", "maven"):
        monkeypatch.setenv("TCK_REQUIRE", required)
        codes.append(doctor_command.run(argparse.Namespace()))

    assert codes == [0, 3]
    assert "there is no mvn on PATH" in capsys.readouterr().out
    assert not available("maven")


def test_an_unknown_requirement_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slip in TCK_REQUIRE would otherwise demand nothing."""
    monkeypatch.setenv("TCK_REQUIRE", "java, dokcer")

    with pytest.raises(CannotRun, match="TCK_REQUIRE names dokcer"):
        examine()


@pytest.mark.usefixtures("state")
def test_the_sweep_command_says_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    """With nothing to do it says so, and exits 0."""
    parser = argparse.ArgumentParser()
    sweep_command.add_parser(parser.add_subparsers())
    args = parser.parse_args(["sweep"])

    assert (args.run(args), capsys.readouterr().out) == (0, "Nothing to sweep.\n")
