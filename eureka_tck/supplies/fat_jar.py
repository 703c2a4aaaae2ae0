"""
A fat jar of Spring Boot as a thin one with its libraries beside it.

Spring Boot 3.3 and newer do it themselves (`-Djarmode=tools extract`); the older lines cannot,
and only such a jar can have a class-data archive.
"""

from __future__ import annotations

import shutil
import zipfile
from typing import TYPE_CHECKING, Final

from eureka_tck.errors import CannotRun

if TYPE_CHECKING:
    from pathlib import Path

CLASSES: Final = "BOOT-INF/classes/"
ORDER: Final = "BOOT-INF/classpath.idx"
MANIFEST: Final = "META-INF/MANIFEST.MF"
LINE: Final = 70
"""Characters of a manifest's line: the format allows 72 bytes."""


def unpack(jar: Path, folder: Path) -> None:
    """Write `reference.jar` and `lib` into the folder; the order of the libraries is kept."""
    try:
        with zipfile.ZipFile(jar) as fat, zipfile.ZipFile(folder / "reference.jar", "w") as thin:
            main = _main_class(fat)
            entries = [line.strip() for line in fat.read(ORDER).decode().splitlines()]
            libraries = [line[2:].strip('"') for line in entries if line.startswith("- ")]
            names = [name.rpartition("/")[2] for name in libraries]
            (folder / "lib").mkdir()
            for library, name in zip(libraries, names, strict=True):
                with fat.open(library) as source, (folder / "lib" / name).open("wb") as sink:
                    shutil.copyfileobj(source, sink)
            thin.writestr(MANIFEST, _manifest(main, names))
            for entry in fat.namelist():
                if entry.startswith(CLASSES) and not entry.endswith("/"):
                    thin.writestr(entry.removeprefix(CLASSES), fat.read(entry))
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise CannotRun(f"{jar} is no fat jar of Spring Boot: {error}.") from error


def _main_class(fat: zipfile.ZipFile) -> str:
    lines = fat.read(MANIFEST).decode().splitlines()
    return dict(line.split(": ", 1) for line in lines if ": " in line)["Start-Class"]


def _manifest(main: str, names: list[str]) -> str:
    path = "Class-Path: " + " ".join(f"lib/{name}" for name in names)
    wrapped = [path[:LINE]]
    wrapped += [f" {path[at : at + LINE - 1]}" for at in range(LINE, len(path), LINE - 1)]
    return "\r\n".join(["Manifest-Version: 1.0", f"Main-Class: {main}", *wrapped, "", ""])
