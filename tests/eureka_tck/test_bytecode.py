"""Where interpreters of ours keep what they have compiled."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from eureka_tck.bytecode import kept_bytecode

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_where_python_keeps_bytecode_nothing_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It lies beside the sources, as ever."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)

    assert kept_bytecode() == {}


def test_where_it_may_not_it_goes_to_the_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Sources stay without a file beside them, and are compiled once all the same."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda _: tmp_path)

    assert kept_bytecode() == {
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode"),
    }
