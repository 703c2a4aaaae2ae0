"""A program of the machine ends, or the error says how and with which last words."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import psutil
import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.supplies import tool

if TYPE_CHECKING:
    from pathlib import Path


def test_both_streams_are_returned() -> None:
    """What the program prints on either stream comes back."""
    assert tool.run(["sh", "-c", "echo out; echo err >&2"], what="asking", budget=10) == (
        "out\nerr\n"
    )


def test_a_failure_names_undertaking_exit_code_and_last_lines() -> None:
    """The error of a failed program can be acted upon without its whole log."""
    with pytest.raises(tool.ToolFailed) as failed:
        tool.run(
            ["sh", "-c", "seq 100; echo no space left; exit 7"],
            what="building the thing",
            budget=10,
            way_out="Make room.",
        )

    lines = str(failed.value).splitlines()
    assert lines[:3] == [
        "building the thing: sh ended with exit code 7.",
        "  Make room.",
        "  The last it printed:",
    ]
    assert lines[-1] == "    | no space left"
    assert len(lines) == 3 + tool.LAST_LINES


def test_a_program_that_does_not_end_is_killed_with_its_children(tmp_path: Path) -> None:
    """When the budget ends, the program and what it has started are gone."""
    pid = tmp_path / "pid"

    with pytest.raises(tool.ToolFailed, match=r"sh had not ended after 0\.5 s"):
        tool.run(["sh", "-c", f"sleep 60 & echo $! >{pid}; wait"], what="waiting", budget=0.5)

    with suppress(psutil.NoSuchProcess):
        psutil.Process(int(pid.read_text("utf-8"))).wait(timeout=30)


def test_a_program_that_is_not_there_is_named() -> None:
    """A missing program is one sentence, not a traceback."""
    with pytest.raises(CannotRun, match=r"asking: cannot start no-such-tool: No such file"):
        tool.run(["no-such-tool"], what="asking", budget=10)


def test_the_environment_is_added_to_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program sees our environment and what the caller adds."""
    monkeypatch.setenv("OURS", "1")

    said = tool.run(["sh", "-c", "echo $OURS $ADDED"], what="asking", budget=10, env={"ADDED": "2"})

    assert said == "1 2\n"
