"""What tests of the judge's machinery stand on: a run of their own, a stand-in registry."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from eureka_tck.doctor import CHROMIUMS
from eureka_tck.ledger import RUN_VARIABLE
from eureka_tck.run import Run
from eureka_tck.targets.command import load_adapter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eureka_tck.targets.command import CommandTarget

BROWSING = 100.0
"""Seconds in which Chromium starts, opens a page and ends: 2 on an idle machine."""

STUB = Path(__file__).parent / "stub_registry.py"
ADAPTER = """
name = "stub"
command = [
    "{python}", "-S", "%s",
    "--config", "{config}", "--speed", "{speed}", "--epoch", "{epoch}"%s
]
settings = "properties"
ready_within = %s
capabilities = ["settings", "peers", "links", "kill", "pause", "memory"]
[counters]
kind = "state"
"""


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test a state folder of its own, so that it sees no other run of this machine."""
    folder = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder / "eureka-tck"


@pytest.fixture
def run(state: Path, tmp_path: Path) -> Iterator[Run]:  # noqa: ARG001 - the run is recorded there
    """Give a run that ends with the test."""
    run = Run.create("test", "stub", tmp_path / "reports", seed=1)
    yield run
    run.close()


@pytest.fixture
def stub_adapter(tmp_path: Path) -> Callable[..., Path]:
    """Write the adapter of a stub that behaves as the words say: --die, --deaf, --sick, …."""

    def write(*words: str, ready_within: float = 15.0) -> Path:
        path = tmp_path / f"stub{''.join(words)}.toml"
        more = "".join(f', "{word}"' for word in words)
        path.write_text(ADAPTER % (STUB, more, ready_within), "utf-8")
        return path

    return write


@pytest.fixture
def stub(stub_adapter: Callable[..., Path]) -> Callable[..., CommandTarget]:
    """Give the stub as a target."""
    return lambda *words, **options: load_adapter(stub_adapter(*words, **options))


@pytest.fixture
def browse(tmp_path: Path) -> Callable[..., str]:
    """Open a page in Chromium, and return what its script has made of it."""

    def dom_of(page: Path, *options: str, fragment: str = "") -> str:
        program = next(name for name in CHROMIUMS if shutil.which(name))
        command = [
            *(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
            *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
            *("--disable-sync", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"),
            *options,
            page.as_uri() + fragment,
        ]
        ran = subprocess.run(command, capture_output=True, check=True, timeout=BROWSING)
        return ran.stdout.decode()

    return dom_of


@pytest.fixture
def marked() -> Callable[[str], list[psutil.Process]]:
    """Tell which processes carry a run's mark."""
    return _marked


@pytest.fixture
def left(run: Run) -> Callable[[], list[psutil.Process]]:
    """Tell which processes of the test's run exist."""
    return lambda: _marked(run.id)


def _marked(run: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(RUN_VARIABLE) == run:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found
