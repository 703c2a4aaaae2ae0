"""A run's folder, label and seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.run import Run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _own_state(state: Path) -> None:
    """Keep the ledgers of these runs apart."""


def test_latest_points_at_the_newest_run(tmp_path: Path) -> None:
    """`latest` is moved to each new run, in one step."""
    for target in ("python", "java:5.0.3"):
        run = Run.create("gate", target, tmp_path)
        run.close()

        assert (tmp_path / "latest").resolve() == run.folder


def test_a_folder_names_suite_and_target(tmp_path: Path) -> None:
    """What is not fit for a file's name becomes a dash."""
    run = Run.create("gate", "java:5.0.3,python", tmp_path)
    run.close()

    assert run.folder.name.endswith("Z-gate-java-5.0.3-python")


def test_two_runs_of_a_second_have_folders_of_their_own(tmp_path: Path) -> None:
    """The second one carries its id."""
    runs = [Run.create("gate", "python", tmp_path) for _ in range(3)]
    for run in runs:
        run.close()

    assert len({run.folder for run in runs}) == 3


def test_a_given_seed_is_kept_and_another_is_drawn(tmp_path: Path) -> None:
    """Seed 0 is a seed; none at all means any."""
    given = Run.create("gate", "python", tmp_path, seed=0)
    drawn = [Run.create("gate", "python", tmp_path) for _ in range(3)]
    for run in (given, *drawn):
        run.close()

    assert given.seed == 0
    assert len({run.seed for run in drawn}) > 1


def test_an_unwritable_folder_cannot_run(tmp_path: Path) -> None:
    """The error names the folder and the option."""
    blocked = tmp_path / "file"
    blocked.write_text("")

    with pytest.raises(CannotRun, match=r"below .*file: Not a directory(.|\n)*--out DIR"):
        Run.create("gate", "python", blocked)
