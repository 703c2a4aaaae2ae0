"""The cache makes a thing once, shows the whole of it or nothing, and names it by its sources."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import platformdirs
import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.supplies import cache

if TYPE_CHECKING:
    from pathlib import Path


def test_a_thing_is_made_once(empty_cache: Path) -> None:
    """The maker is not called again while the entry exists."""
    calls = []

    def make(folder: Path) -> None:
        calls.append(folder)
        (folder / "thing").write_text("whole", "utf-8")

    first = cache.made("sort/thing-1", make, what="making a thing")
    second = cache.made("sort/thing-1", make, what="making a thing")

    assert first == second == empty_cache / "sort" / "thing-1"
    assert (first / "thing").read_text("utf-8") == "whole"
    assert len(calls) == 1


def test_a_failed_maker_leaves_no_entry(empty_cache: Path) -> None:
    """What a maker wrote before it failed is gone, so the next one starts afresh."""

    def make(folder: Path) -> None:
        (folder / "half").touch()
        raise OSError(28, "No space left on device")

    with pytest.raises(CannotRun, match=r"^making a thing: .*No space left on device\.$"):
        cache.made("thing-1", make, what="making a thing")

    assert [path.name for path in empty_cache.iterdir()] == ["locks"]


def test_a_cache_that_cannot_be_made_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the cache's place is taken by a file, the error names it and the way out."""
    (tmp_path / "file").touch()
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / "file" / name)

    with pytest.raises(CannotRun) as failed:
        cache.folder()

    assert failed.value.problem == (
        f"The cache folder {tmp_path}/file/eureka-tck cannot be made: Not a directory."
    )
    assert "XDG_CACHE_HOME" in failed.value.way_out


def test_the_rest_of_a_killed_maker_is_not_taken_for_the_thing(empty_cache: Path) -> None:
    """A folder that a killed maker left half full is emptied before the next maker gets it."""
    (empty_cache / "thing-1.making").mkdir()
    (empty_cache / "thing-1.making" / "half").touch()

    entry = cache.made("thing-1", lambda folder: (folder / "whole").touch(), what="making a thing")

    assert [path.name for path in entry.iterdir()] == ["whole"]


def test_of_two_processes_one_makes_and_the_other_waits(empty_cache: Path) -> None:
    """Two processes that want the same thing at once make it once, and both get it."""
    script = (
        "import pathlib, sys, threading\n"
        "from eureka_tck.supplies import cache\n"
        "root = pathlib.Path(sys.argv[1])\n"
        "cache.folder = lambda: root\n"
        "def make(folder):\n"
        "    with (root / 'makers').open('a') as makers: makers.write('x')\n"
        "    threading.Event().wait(0.3)\n"
        "print(cache.made('thing-1', make, what='making a thing').name)\n"
    )
    command = [sys.executable, "-c", script, str(empty_cache)]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]

    answers = [process.communicate(timeout=60) for process in both]

    assert [out for out, _ in answers] == ["thing-1\n", "thing-1\n"]
    assert (empty_cache / "makers").read_text("utf-8") == "x"


def test_a_key_depends_on_contents_and_names(tmp_path: Path) -> None:
    """The key of a folder changes with a file's text and with its name, and with nothing else."""
    (tmp_path / "a.py").write_text("1", "utf-8")
    plain = cache.key(tmp_path)
    (tmp_path / "a.py").write_text("2", "utf-8")
    other_text = cache.key(tmp_path)
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    other_name = cache.key(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "b.pyc").touch()

    assert len({plain, other_text, other_name}) == 3
    assert cache.key(tmp_path) == other_name
    assert len(plain) == cache.KEY_LENGTH


def test_a_key_tells_where_one_part_ends(tmp_path: Path) -> None:
    """Parts that only agree when run together have different keys."""
    file = tmp_path / "file"
    file.write_text("bc", "utf-8")

    assert cache.key("ab", "c") != cache.key("a", "bc")
    assert cache.key("a", file) == cache.key("a", "bc")
