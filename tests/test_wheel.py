"""What a stranger gets: the built wheel, in a fresh environment, outside the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
INSTALL_BUDGET = 120.0  # real s; each part takes a few on a quiet machine

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2 * INSTALL_BUDGET)]


def run(*command: str | Path, cwd: Path, budget: float) -> str:
    """Run `command` away from the checkout and return what it printed."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    }
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=budget,
    )
    assert done.returncode == 0, f"{command} exited {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    Return the `bin` of a fresh environment that holds the wheel.

    What it depends on is lent by our own environment, which another test finds to be the lock's.
    Our editable installation is not: of a lent folder no `.pth` is followed.
    """
    folder = tmp_path_factory.mktemp("wheel")
    run(
        *(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT),
        cwd=folder,
        budget=INSTALL_BUDGET,
    )
    (wheel,) = folder.glob("*.whl")
    fresh = folder / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", fresh, cwd=folder, budget=INSTALL_BUDGET)
    pip = (sys.executable, "-m", "pip", "--python", fresh / "bin" / "python", "install", "--quiet")
    run(*pip, "--no-deps", wheel, cwd=folder, budget=INSTALL_BUDGET)
    (packages,) = (fresh / "lib").glob("python*/site-packages")
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return folder / "venv" / "bin"


def readme_example() -> str:
    """Return the fixture example of the README, so that what it shows is what runs here."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    after = readme.split("<!-- the fixture example -->", 1)[1]
    return after.split("```python\n", 1)[1].split("```", 1)[0]


def test_this_environment_is_the_locks(tmp_path: Path) -> None:
    """Each pinned release is installed: what was locked can be had for this Python, and is used."""
    locked = ROOT / "requirements.lock"
    pip = (sys.executable, "-m", "pip", "install", "--disable-pip-version-check")

    printed = run(
        *(*pip, "--no-index", "--dry-run", "--require-hashes", "-r", locked),
        cwd=tmp_path,
        budget=INSTALL_BUDGET,
    )

    assert "Would install" not in printed


def test_the_readme_fixture_works_from_an_installed_wheel(installed: Path, tmp_path: Path) -> None:
    """The README's five lines pass in a project that knows eureka-tck only as a dependency."""
    (tmp_path / "test_mine.py").write_text(readme_example(), encoding="utf-8")

    printed = run(
        installed / "python", *("-m", "pytest", "-q", "test_mine.py"), cwd=tmp_path, budget=120
    )

    assert "1 passed" in printed


def test_the_suites_travel_in_the_wheel(installed: Path, tmp_path: Path) -> None:
    """`eureka-tck gate` finds its suites and judges from an installation as from a checkout."""
    printed = run(
        *(installed / "eureka-tck", "gate", "--select", "RENEW-02", "--out", tmp_path / "reports"),
        cwd=tmp_path,
        budget=120,
    )

    assert "RENEW-02" in (next((tmp_path / "reports").rglob("report.json"))).read_text()
    assert textwrap.shorten(printed, 10)
