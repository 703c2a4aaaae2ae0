"""
A target that does its worst is judged within the budget: failures or nothing said, never a crash.

The whole suite against one of them:

    eureka-tck gate --target command:tests/eureka_tck/hostile/empty.toml
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eureka_tck import cli
from eureka_tck.clock import Clock
from eureka_tck.report.store import load

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
MODES = ("empty", "hang", "close", "endless", "bomb", "loop", "drip")

ROWS = "RENEW-02,EVICT-01,LEASE-02"
"""One plain row and two that wait for a mechanism to fire."""

BUDGET = 150.0
"""Real seconds: a call that hangs is given up after 5 s, and some calls are made one by one."""

JUDGED = {"failed", "inconclusive"}


@pytest.mark.timeout(2 * BUDGET)
@pytest.mark.parametrize("mode", MODES)
def test_a_hostile_target_is_never_taken_for_a_registry(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: Callable[[], Path]
) -> None:
    """The gate ends in time with a verdict, none of them a pass, and its report can be read."""
    del state
    monkeypatch.chdir(tmp_path)
    clock = Clock()

    code = cli.main(
        [
            *("gate", "--target", f"command:{HERE / mode}.toml", "--depth", "quick"),
            *("--select", ROWS, "--seed", "1"),
        ]
    )

    assert code in {1, 2}
    assert clock.now() < BUDGET
    rows = [row for row in load(tmp_path / "reports" / "latest").rows if row.tests]
    assert {row.id for row in rows} == set(ROWS.split(","))
    assert {row.verdict for row in rows} <= JUDGED
    told = [test.result for row in rows for test in row.tests]
    assert [result.traceback for result in told if result.traceback] == []
