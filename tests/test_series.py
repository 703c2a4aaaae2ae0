"""The scripts that run gates in a row: what they count, and what they take for a difference."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

HERE = Path(__file__).parent


def script(name: str) -> ModuleType:
    """Return a script as a module; it lies beside the tests, in no package."""
    spec = importlib.util.spec_from_file_location(f"script_{name}", HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("code", "wrong", "idle", "busy"),
    [
        (0, (), True, True),
        (2, ("REG-01 inconclusive",), False, True),
        (2, ("REG-01 inconclusive", "REG-02 inconclusive", "REG-03 inconclusive"), False, False),
        (1, ("REG-01 failed",), False, False),
        (-1, ("no report",), False, False),
    ],
)
def test_a_busy_gate_may_be_silent_but_not_wrong(
    code: int, wrong: tuple[str, ...], *, idle: bool, busy: bool
) -> None:
    """Two in a hundred rows may be inconclusive on busy cores, none on idle ones."""
    one = script("repeat").Gate("python idle", code, 30.0, 100, 0.1, 0, wrong, "abc")

    assert one.is_kept(busy=False) == idle
    assert one.is_kept(busy=True) == busy


def test_a_series_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands in the state is not run again, and the page counts all of it."""
    module = script("repeat")
    ran: list[str] = []

    def gate(part: object, out: Path, commit: str) -> object:
        del out
        ran.append(part.name)  # type: ignore[attr-defined]  # a part of the script
        return module.Gate(ran[-1], 0, 30.0, 100, 0.1, 0, (), commit)

    monkeypatch.setattr(module, "gate", gate)
    monkeypatch.setattr(module, "STATE", tmp_path / "stability.jsonl")
    monkeypatch.setattr(module, "PAGE", tmp_path / "stability.md")

    first = module.main(["--part", "java:4.3.0 idle"])
    module.STATE.write_bytes(b"\n".join(module.STATE.read_bytes().splitlines()[:1]) + b"\n")
    second = module.main(["--part", "java:4.3.0 idle"])

    assert (first, second) == (0, 0)
    assert ran == ["java:4.3.0 idle"] * 5
    assert "| java:4.3.0 idle | 3 of 3 | 3 | 30 to 30 | 100 | 0 |" in module.PAGE.read_text("utf-8")
    busy = next(part for part in module.SERIES if part.name == "python busy")
    line = f"| python busy | 0 of {busy.times} | – | – | – | – |"
    assert line in module.PAGE.read_text("utf-8")


def test_only_verdicts_that_say_something_differ() -> None:
    """A row that could not be shown at one speed is not judged otherwise there."""
    module = script("speeds")
    slow = {("A", "x"): "passed", ("A", "y"): "passed", ("A", "z"): "passed"}
    fast = {("A", "x"): "passed", ("A", "y"): "failed", ("A", "z"): "inconclusive"}

    found = {"speed 1": slow, "speed 10": fast}

    assert module.differences(found) == ["A y: passed at speed 1, failed at speed 10"]
    assert module.silences(found) == ["A z: inconclusive at speed 10"]
