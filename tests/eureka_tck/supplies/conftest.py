"""A cache of their own for tests of supplies, and programs that stand in for the machine's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.supplies import cache

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test a cache folder in which nothing has been made."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setattr(cache, "folder", lambda: folder)
    return folder


@pytest.fixture
def bare_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Give the test a PATH with nothing on it; calling it puts a shell script there by a name."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("JAVA_HOME", raising=False)

    def program(name: str, *lines: str) -> Path:
        path = folder / name
        path.write_text("\n".join(("#!/bin/sh", *lines, "")), "utf-8")
        path.chmod(0o755)
        return path

    return program
