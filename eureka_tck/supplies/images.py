"""
The container images, each built once and tagged by a hash of its sources.

All stand on `debian:bookworm-slim`, which Docker pulls unless the machine has made its own. The
jars, packages and servers in them are the ones the other supplies keep in the cache: nothing is
downloaded inside a build but Debian's packages. The images stay when a run ends.
"""

from __future__ import annotations

import tarfile
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from docker.errors import APIError, DockerException, ImageNotFound

from eureka_tck.errors import CannotRun
from eureka_tck.suite import suite_root
from eureka_tck.supplies import cache, engine, packages
from eureka_tck.supplies import java as java_supply
from eureka_tck.supplies import toxiproxy as toxiproxy_supply
from eureka_tck.supplies.progress import progress
from eureka_tck.supplies.tool import LAST_LINES, ToolFailed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import IO

    import docker

BUILD_BUDGET = 600.0  # seconds without a word from the engine; apt takes 11-43 s
KEPT = 10  # images of one name; older ones have most likely seen their last run
LABEL = "eureka-tck.image"  # on every image, with its name
JAVA_HOME = "/registry"  # in the image of the Java reference
WALL_FILE = "/cluster/wall_clock"  # where a container finds the mapped offset of its wall clock
WALL_CLOCK = "/cluster/wall_clock.so"  # and the shim that reads it


def jre() -> str:
    """Return the image that the Java references stand on."""
    folder = _sources("jre")
    return _built("jre", cache.key(folder), {".": folder})


def java(version: str) -> str:
    """Return the image of this release of the Java reference."""
    under = jre()
    dockerfile = _sources("java") / "Dockerfile"
    flags = " ".join(java_supply.FLAGS)
    key = cache.key(java_supply.source_key(version), dockerfile, under, flags)
    application = java_supply.application(version)
    context = {
        "Dockerfile": dockerfile,
        "application/reference.jar": application / "reference.jar",
        "application/lib": application / "lib",
    }
    return _built("java", f"{version}-{key}", context, {"JRE": under, "FLAGS": flags})


def java_command(heap: str) -> tuple[str, ...]:
    """Return the command of the Java reference in its image; `heap` as `-Xmx128m`."""
    return (
        *("java", *java_supply.FLAGS, f"-XX:SharedArchiveFile={JAVA_HOME}/reference.jsa"),
        *(heap, "-jar", f"{JAVA_HOME}/reference.jar"),
    )


def python_image() -> str:
    """Return the image of the Python registry, as its code stands in this installation."""
    engine.client().close()  # no package is fetched for an engine that is not there
    folder = _sources("python")
    site = packages.installed(folder / "packages.txt")
    code = _registry_code()
    context = {"Dockerfile": folder / "Dockerfile", "packages": site, "eureka": code}
    return _built("python", cache.key(folder, site.name, code), context)


def foreign(reference: str) -> None:
    """See that somebody's image is here, pulled if need be; CannotRun where it cannot be had."""
    what = f"looking for the image {reference}"
    client = engine.client(budget=BUILD_BUDGET)
    try:
        if not _is_there(client, reference):
            with progress(f"pulling the image {reference}"):
                client.images.pull(reference)
    except (DockerException, OSError) as error:
        raise CannotRun(f"{what}: {error}") from error
    finally:
        client.close()


def toxiproxy() -> str:
    """Return the image of the Toxiproxy server."""
    dockerfile = _sources("toxiproxy") / "Dockerfile"
    version = toxiproxy_supply.VERSION
    context = {"Dockerfile": dockerfile, "toxiproxy-server": toxiproxy_supply.built("linux")}
    return _built("toxiproxy", f"{version}-{cache.key(dockerfile)}", context)


def _sources(name: str) -> Path:
    return suite_root() / "fixtures" / "images" / name


def _registry_code() -> Path:
    """Return the folder of the Python registry's package, without importing it."""
    found = find_spec("eureka")
    if found is None or found.origin is None:
        raise CannotRun(
            "The image of the Python registry needs the package eureka, and it is not installed.",
            "Install eureka-tck again: both packages come with it.",
        )
    return Path(found.origin).parent


def _built(
    name: str, version: str, context: Mapping[str, Path], arguments: Mapping[str, str] | None = None
) -> str:
    """Return the image's tag, built from the context (path in it: file or folder) if need be."""
    tag = f"eureka-tck/{name}:{version}"
    what = f"building the image {tag}"
    client = engine.client(budget=BUILD_BUDGET)
    try:
        if not _is_there(client, tag):
            with cache.locked(f"image/{name}", what=what):
                if not _is_there(client, tag):
                    with progress(what):
                        _build(client, name, tag, context, arguments or {})
                    _drop_old(client, name)
    except (DockerException, OSError) as error:
        raise CannotRun(f"{what}: {error}") from error
    finally:
        client.close()
    return tag


def _is_there(client: docker.DockerClient, tag: str) -> bool:
    try:
        client.images.get(tag)
    except ImageNotFound:
        return False
    return True


def _build(
    client: docker.DockerClient,
    name: str,
    tag: str,
    context: Mapping[str, Path],
    arguments: Mapping[str, str],
) -> None:
    printed: list[str] = []
    with tempfile.TemporaryFile() as file:
        _pack(context, file)
        file.seek(0)
        for message in client.api.build(
            fileobj=file,
            custom_context=True,
            tag=tag,
            buildargs=dict(arguments),
            labels={LABEL: name},
            rm=True,
            forcerm=True,  # a failed step leaves its container otherwise
            decode=True,
        ):
            printed += str(message.get("stream", "")).splitlines()
            if "error" in message:
                tail = "\n".join(line for line in printed if line.strip()).splitlines()
                raise ToolFailed(
                    f"building the image {tag}: {str(message['error']).strip()}.",
                    "\n".join(tail[-LAST_LINES:]),
                    "Its base is debian:bookworm-slim, which must be there or can be pulled.",
                )


def _drop_old(client: docker.DockerClient, name: str) -> None:
    """Remove all but the newest images of this name: each change of the registry makes one."""
    repository = f"eureka-tck/{name}"
    images = sorted(client.images.list(repository), key=lambda image: str(image.attrs["Created"]))
    for image in images[:-KEPT]:
        for tag in image.tags:
            with suppress(APIError):  # a container stands on it, or another run was quicker
                client.images.remove(tag)


def _pack(context: Mapping[str, Path], file: IO[bytes]) -> None:
    with tarfile.open(fileobj=file, mode="w") as tar:
        for name, path in context.items():
            for source in cache.sources(path) if path.is_dir() else [path]:
                inside = Path(name, source.relative_to(path)) if path.is_dir() else Path(name)
                tar.add(source, inside.as_posix())
