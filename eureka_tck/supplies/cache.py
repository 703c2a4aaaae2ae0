"""
The user's cache folder: everything in it is named by a hash of what it was made from.

A thing is made under a lock in a folder beside its place and then moved there in one step, so a
reader sees the whole of it or nothing, and a maker that was killed leaves only what the next
maker removes.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

import platformdirs

from eureka_tck.errors import CannotRun
from eureka_tck.supplies.progress import progress, tell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

KEY_LENGTH = 12  # hex digits of SHA-256: 48 bits among a handful of entries


def folder() -> Path:
    """Return the cache's root, made if need be."""
    path = platformdirs.user_cache_path("eureka-tck")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotRun(
            f"The cache folder {path} cannot be made: {error.strerror}.",
            "Make it writable, or name another by XDG_CACHE_HOME.",
        ) from error
    return path


def key(*parts: Path | str) -> str:
    """
    Return the key of what is made from these parts.

    A folder counts with the relative names and contents of its sources, a file with its
    contents, a string with itself.
    """
    digest = hashlib.sha256()
    for part in parts:
        for chunk in _chunks(part):
            digest.update(len(chunk).to_bytes(8, "big") + chunk)
    return digest.hexdigest()[:KEY_LENGTH]


def made(name: str, make: Callable[[Path], None], *, what: str) -> Path:
    """
    Return the folder `name` of the cache, filled by `make` if it is not there yet.

    `make` is given an empty folder; when it returns, that folder becomes the entry.
    """
    entry = folder() / name
    if entry.exists():
        return entry
    making = entry.with_name(f"{entry.name}.making")
    with locked(name, what=what):
        if entry.exists():
            return entry
        try:
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir(parents=True)
            with progress(what):
                make(making)
            making.rename(entry)
        except OSError as error:
            raise CannotRun(f"{what}: {error}.") from error
        finally:
            shutil.rmtree(making, ignore_errors=True)
    return entry


def sources(folder: Path) -> list[Path]:
    """Return the files below this folder, in a fixed order, without what Python compiled there."""
    return sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)


@contextmanager
def locked(name: str, *, what: str) -> Iterator[None]:
    """Hold the machine-wide lock of this entry; say so if another process has it."""
    locks = folder() / "locks"
    locks.mkdir(exist_ok=True)
    descriptor = os.open(locks / name.replace("/", "+"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(f"{what}: waiting for another process that is at it")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _chunks(part: Path | str) -> Iterator[bytes]:
    if isinstance(part, str):
        yield part.encode()
    elif part.is_dir():
        for path in sources(part):
            yield path.relative_to(part).as_posix().encode()
            yield path.read_bytes()
    else:
        yield part.read_bytes()
