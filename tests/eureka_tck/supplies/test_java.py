"""The Java reference is built from the sources that name it, or the error says what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.supplies import java, tool

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BUILD = 600  # s: Maven with an empty repository, on a busy machine


def test_the_releases_are_known() -> None:
    """The releases of versions.toml can be named, the newest first."""
    assert java.versions() == ("5.0.3", "4.3.0", "3.1")
    assert java.source_key("5.0.3") != java.source_key("4.3.0")


def test_an_unknown_release_is_answered_by_the_known_ones() -> None:
    """A wrong version is an error that lists the right ones."""
    with pytest.raises(CannotRun) as wrong:
        java.application("5.0.4")

    assert wrong.value.problem == "There is no Java reference '5.0.4'."
    assert "5.0.3, 4.3.0, 3.1" in wrong.value.way_out


@pytest.mark.usefixtures("bare_path")
def test_a_machine_without_java_is_told_so() -> None:
    """Without java on PATH the error names the target and the package that brings it."""
    with pytest.raises(CannotRun) as missing:
        java.reference("5.0.3")

    assert missing.value.problem == (
        "The target java:5.0.3 needs Java 17 or newer, and none is on PATH."
    )
    assert "apt-get install openjdk-17-jdk-headless" in missing.value.way_out


def test_a_java_home_without_java_is_named(
    bare_path: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JAVA_HOME wins over PATH, so a wrong one is an error and not passed over."""
    bare_path("java", "echo 'openjdk version \"21\"' >&2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))

    with pytest.raises(CannotRun, match=f"JAVA_HOME is {tmp_path}/jdk, which has no bin/java"):
        java.runtime("5.0.3")


def test_an_old_java_is_named_with_what_it_says(bare_path: Callable[..., Path]) -> None:
    """A Java before 17 is refused before anything is built."""
    bare_path("java", "echo 'openjdk version \"1.8.0_392\"' >&2")

    with pytest.raises(CannotRun, match=r'but .*/bin/java says: openjdk version "1\.8\.0_392"\.'):
        java.runtime("5.0.3")


@pytest.mark.usefixtures("empty_cache")
def test_a_machine_without_maven_is_told_so(bare_path: Callable[..., Path]) -> None:
    """Without mvn the error names the target and the package that brings it."""
    bare_path("java", "echo 'openjdk version \"17.0.15\"' >&2")

    with pytest.raises(CannotRun) as missing:
        java.reference("4.3.0")

    assert missing.value.problem == (
        "The target java:4.3.0 is built by Maven, and there is no mvn on PATH."
    )
    assert "apt-get install maven" in missing.value.way_out


def test_a_failed_build_shows_mavens_last_words_and_leaves_nothing(
    bare_path: Callable[..., Path], empty_cache: Path
) -> None:
    """Maven's exit code decides, whatever jar it left; its last lines are in the error."""
    bare_path("java", "echo 'openjdk version \"17.0.15\"' >&2")
    bare_path(
        "mvn",
        "/bin/mkdir -p target",
        "echo old >target/reference.jar",
        'echo "[ERROR] $*: could not resolve dependencies"',
        "exit 1",
    )

    with pytest.raises(tool.ToolFailed) as failed:
        java.reference("5.0.3")

    assert "building the Java reference 5.0.3: " in failed.value.problem
    assert failed.value.problem.endswith("mvn ended with exit code 1.")
    assert "-Dspring-boot.version=4.0.7 -Dspring-cloud.version=2025.1.4" in failed.value.log_tail
    assert "could not resolve dependencies" in failed.value.log_tail
    assert list((empty_cache / "java").iterdir()) == []


@pytest.mark.java
@pytest.mark.timeout(BUILD)
@pytest.mark.parametrize(
    ("version", "server", "core"),
    [("5.0.3", "5.0.3", "2.0.6"), ("4.3.0", "4.3.0", "2.0.4"), ("3.1", "3.1.8", "1.10.18")],
)
def test_a_release_holds_the_registry_it_is_named_after(
    version: str, server: str, core: str
) -> None:
    """The jars of a release are Spring's server of that version and Netflix's core below it."""
    libraries = {path.name for path in (java.application(version) / "lib").iterdir()}

    assert f"spring-cloud-netflix-eureka-server-{server}.jar" in libraries
    assert f"eureka-core-{core}.jar" in libraries


@pytest.mark.java
@pytest.mark.timeout(BUILD)
def test_classes_of_the_application_come_from_the_archive() -> None:
    """The virtual machine accepts the archive: Spring's own classes are read from it."""
    reference = java.reference("5.0.3")

    said = tool.run(
        [
            *(str(reference.java), *reference.flags, "-Xlog:class+load:stdout"),
            *("-Dspring.context.exit=onRefresh", "-jar", str(reference.jar)),
            *("--eureka.client.fetch-registry=false", "--eureka.client.register-with-eureka=false"),
        ],
        what="starting the Java reference",
        budget=60,
    )

    line = next(line for line in said.splitlines() if "SpringApplication source:" in line)
    assert "shared objects file (top)" in line


@pytest.mark.java
@pytest.mark.timeout(BUILD)
def test_a_release_that_is_built_needs_no_maven(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the cache holds is found where there is no Maven on PATH any more."""
    built = java.application("5.0.3")
    monkeypatch.setenv("PATH", "")

    assert java.application("5.0.3") == built
