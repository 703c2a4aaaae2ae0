"""
The Java reference: Spring Cloud's Eureka server, built by Maven from `fixtures/images/java`.

A release is built once into the cache, unpacked there (a start from one fat jar costs 1.7 s more)
and given a class-data archive, which halves the start again: 5.5 s, 3.7 s, 2.4 s on one core of
the machine this was written on. An archive serves only the very virtual machine that wrote it and
only at the path it was written for, so it is made where it stays and its name tells the machine.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path

from eureka_tck.errors import CannotRun
from eureka_tck.suite import suite_root
from eureka_tck.supplies import cache, fat_jar, tool
from eureka_tck.supplies.progress import progress

OLDEST_JAVA = 17  # Spring Boot 3 and 4; 2.7 runs on it too
UNPACKS_ITSELF = (3, 3)  # the first line of Spring Boot whose jars do
MAVEN_BUDGET = 900.0  # seconds; 27 s from an empty repository were seen, a slow line takes longer
JAVA_BUDGET = 180.0  # seconds; one start of the application, 5 s alone

NOWHERE = "192.0.2.1"  # TEST-NET-1 (RFC 5737): no machine has it, so none can listen there

# The collector and the compiler must be the same when the archive is written and when it is read.
# Serial and C1 only: a node of a test is short-lived, and 2 cores carry five of them.
FLAGS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss512k")


@dataclass(frozen=True, slots=True)
class JavaReference:
    """A release of the reference, ready to start: `[java, *flags, "-jar", jar]`."""

    version: str
    jar: Path
    """The application's own jar; its libraries lie beside it, in `lib`."""
    archive: Path
    """The class-data archive, written by `java` for `jar`."""
    java: Path
    flags: tuple[str, ...]
    """What `java` must be given, the archive included; the heap's limit is the caller's."""


def versions() -> tuple[str, ...]:
    """Return the releases that can be built, the newest first."""
    return tuple(_releases())


def reference(version: str) -> JavaReference:
    """Return this release of the reference, built if need be (27 s when nothing is cached)."""
    java = runtime(version)
    unpacked = application(version)
    jar = unpacked / "reference.jar"
    archive = _archive(version, unpacked, jar, java)
    return JavaReference(version, jar, archive, java, (*FLAGS, f"-XX:SharedArchiveFile={archive}"))


def application(version: str) -> Path:
    """Return the folder with `reference.jar` and its libraries in `lib`, built if need be."""
    return cache.made(
        f"java/{version}-{source_key(version)}",
        functools.partial(_build, version),
        what=f"building the Java reference {version} with Maven",
    )


def source_key(version: str) -> str:
    """Return the cache key of this release's sources: its two releases, the build, the code."""
    sources = _sources()
    return cache.key(str(_release(version)), sources / "pom.xml", sources / "src")


def runtime(version: str = "") -> Path:
    """Return the `java` to start: of JAVA_HOME, else of PATH; 17 or newer."""
    target = f"The target java:{version}" if version else "The Java reference"
    way_out = "Install a JDK (Debian: apt-get install openjdk-17-jdk-headless), or set JAVA_HOME."
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if found is None or not os.access(found, os.X_OK):
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "none is on PATH"
        raise CannotRun(f"{target} needs Java {OLDEST_JAVA} or newer, and {where}.", way_out)
    java = Path(found).resolve()
    said = _identity(java)
    number = re.search(r'version "(?:1\.)?(\d+)', said)
    if number is None or int(number[1]) < OLDEST_JAVA:
        first = said.splitlines()[0] if said else "nothing"
        raise CannotRun(
            f"{target} needs Java {OLDEST_JAVA} or newer, but {java} says: {first}.", way_out
        )
    return java


def _sources() -> Path:
    return suite_root() / "fixtures" / "images" / "java"


def _releases() -> dict[str, dict[str, str]]:
    return tomllib.loads((_sources() / "versions.toml").read_text("utf-8"))


def _release(version: str) -> dict[str, str]:
    try:
        return _releases()[version]
    except KeyError:
        raise CannotRun(
            f"There is no Java reference {version!r}.",
            f"Known releases: {', '.join(versions())} ({_sources() / 'versions.toml'}).",
        ) from None


def _build(version: str, folder: Path) -> None:
    """Build the release in a fresh folder and leave it unpacked in `folder`."""
    maven = shutil.which("mvn")
    if maven is None:
        raise CannotRun(
            f"The target java:{version} is built by Maven, and there is no mvn on PATH.",
            "Install it (Debian: apt-get install maven), or judge another target.",
        )
    release = _release(version)
    build = folder / "build"
    build.mkdir()
    shutil.copy(_sources() / "pom.xml", build)
    shutil.copytree(_sources() / "src", build / "src")
    tool.run(
        [
            *(maven, "--batch-mode", "--no-transfer-progress", "--quiet", "package"),
            *(f"-D{name}.version={release[name]}" for name in ("spring-boot", "spring-cloud")),
        ],
        what=f"building the Java reference {version}",
        budget=MAVEN_BUDGET,
        cwd=build,
        way_out="Maven needs its repository (the network, or a filled ~/.m2) and a JDK.",
    )
    _unpack(version, build / "target" / "reference.jar", folder)
    shutil.rmtree(build)


def _unpack(version: str, jar: Path, folder: Path) -> None:
    boot = tuple(int(number) for number in _release(version)["spring-boot"].split(".")[:2])
    if boot < UNPACKS_ITSELF:
        fat_jar.unpack(jar, folder)
        return
    tool.run(
        [
            *(runtime(version), "-Djarmode=tools", "-jar", jar),
            *("extract", "--destination", folder / "application"),
        ],
        what=f"unpacking the Java reference {version}",
        budget=JAVA_BUDGET,
    )
    for path in (folder / "application").iterdir():
        path.rename(folder / path.name)
    (folder / "application").rmdir()


def _archive(version: str, folder: Path, jar: Path, java: Path) -> Path:
    """Return the class-data archive of this machine for this jar, written if need be."""
    archive = folder / f"{cache.key(str(java), _identity(java), *FLAGS)}.jsa"
    if archive.exists():
        return archive
    what = f"writing the class-data archive of the Java reference {version}"
    with cache.locked(f"java/{folder.name}.jsa", what=what):
        if not archive.exists():
            making = archive.with_suffix(".making")
            making.unlink(missing_ok=True)
            with progress(what):
                try:
                    tool.run(_archive_command(java, making, jar), what=what, budget=JAVA_BUDGET)
                except tool.ToolFailed:
                    if not making.exists():  # Spring Boot 2 ends by its failure to listen
                        raise
            making.rename(archive)
    return archive


def _archive_command(java: Path, archive: Path, jar: Path) -> list[str]:
    """
    Return the command that starts the application once, to its last class, and archives it.

    Spring Boot 3 ends before it listens; 2 does not know that, and ends since it cannot listen.
    """
    return [
        *(str(java), *FLAGS, f"-XX:ArchiveClassesAtExit={archive}"),
        "-Dspring.context.exit=onRefresh",
        *("-jar", str(jar), "--spring.main.banner-mode=off", f"--server.address={NOWHERE}"),
        *(f"--eureka.client.{verb}=false" for verb in ("register-with-eureka", "fetch-registry")),
    ]


@functools.cache
def _identity(java: Path) -> str:
    return tool.run([java, "-version"], what="asking Java for its version", budget=JAVA_BUDGET)
