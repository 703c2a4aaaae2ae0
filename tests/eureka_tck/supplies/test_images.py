"""Images are built from their sources once; what cannot be built says why."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.supplies import engine, images, tool

if TYPE_CHECKING:
    from pathlib import Path


def test_a_machine_without_docker_is_told_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where no engine answers, one sentence says where it was looked for and what else to do."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")

    with pytest.raises(CannotRun) as missing:
        engine.client()

    assert missing.value.problem == (
        "The docker backend needs a running Docker engine, and none answers at "
        f"unix://{tmp_path}/docker.sock: No such file or directory."
    )
    assert "--backend process" in missing.value.way_out


@pytest.mark.docker
@pytest.mark.timeout(600)
def test_an_image_that_is_there_is_not_built_again(capsys: pytest.CaptureFixture[str]) -> None:
    """The second call returns the same tag and builds nothing."""
    first = images.toxiproxy()
    capsys.readouterr()

    second = images.toxiproxy()

    assert first == second
    assert capsys.readouterr().err == ""


@pytest.mark.docker
@pytest.mark.timeout(600)
def test_a_build_that_fails_shows_its_last_lines(tmp_path: Path) -> None:
    """The error of a failed build holds what the failing step printed, and no image is left."""
    dockerfile = tmp_path / "Dockerfile"
    dockerfile.write_text(
        "FROM debian:bookworm-slim\nRUN echo the reason is printed here; exit 3\n", "utf-8"
    )

    with pytest.raises(tool.ToolFailed) as failed:
        images._built("broken", "test", {"Dockerfile": dockerfile})

    assert "building the image eureka-tck/broken:test" in failed.value.problem
    assert "the reason is printed here" in failed.value.log_tail
    with closing(engine.client()) as client:
        assert client.images.list("eureka-tck/broken") == []


@pytest.mark.docker
@pytest.mark.timeout(600)
def test_the_python_image_holds_what_the_registry_imports() -> None:
    """Every package the registry needs can be imported in its image, with Debian's Python."""
    names = "h11, httpcore, httptools, isal, msgspec, starlette, uvicorn, uvloop, yaml, eureka"
    with closing(engine.client()) as client:
        said = client.containers.run(
            images.python_image(), ["python3", "-c", f"import {names}; print('all')"], remove=True
        )

    assert said == b"all\n"


@pytest.mark.docker
@pytest.mark.timeout(600)
def test_old_images_of_a_name_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a new image is built, only the newest of its name stay."""
    monkeypatch.setattr(images, "KEPT", 2)
    tags = []
    for version in "123":
        dockerfile = tmp_path / "Dockerfile"
        dockerfile.write_text(
            f"FROM scratch\nLABEL version={version}\nCOPY Dockerfile /\n", "utf-8"
        )
        tags.append(images._built("dropped", version, {"Dockerfile": dockerfile}))

    with closing(engine.client()) as client:
        left = {tag for image in client.images.list("eureka-tck/dropped") for tag in image.tags}
        for tag in left:
            client.images.remove(tag)

    assert left == set(tags[1:])
