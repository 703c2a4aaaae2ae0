"""
The one error that ends a command with exit code 3: the run could not be made.

    CannotRun
    ├── NodeFailed        a registry process died or never became ready; carries the end of its log
    ├── SettingsError     a file, key or value that is not what it must be
    ├── ToolFailed        a program of the machine failed (`supplies.tool`)
    ├── HistoryError      the history of a run cannot be read (`history.reader`)
    └── CannotBite        a fault can have no effect in this cluster (`faults.fault`)

A wrong answer of a registry is never one of these: it is a verdict (`eureka_tck.verdict`).
"""

from __future__ import annotations


class CannotRun(Exception):  # noqa: N818 - it reads as the statement it prints
    """The run cannot be made: `problem` says what is wrong, `way_out` what to do about it."""

    def __init__(self, problem: str, way_out: str = "") -> None:
        super().__init__(problem, way_out)
        self.problem = problem
        self.way_out = way_out

    def __str__(self) -> str:
        return f"{self.problem}\n  {self.way_out}" if self.way_out else self.problem


class NodeFailed(CannotRun):
    """A node died at start, or was not ready within its budget; `log_tail` holds its last lines."""

    def __init__(self, problem: str, log_tail: str, way_out: str = "") -> None:
        super().__init__(problem, way_out)
        self.log_tail = log_tail

    def __str__(self) -> str:
        lines = "\n".join(f"    | {line}" for line in self.log_tail.splitlines())
        return f"{super().__str__()}\n  The end of its log:\n{lines or '    | (empty)'}"


class SettingsError(CannotRun):
    """A settings file, key or value is wrong; the problem names file, key, value, expectation."""
