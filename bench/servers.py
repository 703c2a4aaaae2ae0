"""The servers that are measured: their commands and their settings."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.properties import as_properties
from eureka_tck.settings import normalise
from eureka_tck.supplies import java
from eureka_tck.yaml_documents import as_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

REFERENCE: Final = "5.0.3"
HEAP: Final = "-Xmx1g"  # the only flag: the virtual machine chooses everything else by itself

_ALONE: Final = {
    "eureka.client.registerWithEureka": "false",
    "eureka.client.fetchRegistry": "false",
    # Who reads after a change sees it: with the second layer it would read what was made before.
    "eureka.server.useReadOnlyResponseCache": "false",
}


@dataclass(frozen=True, slots=True)
class Launch:
    """A command, and the files it reads."""

    argv: tuple[str, ...]
    files: Mapping[str, str]
    ready: str  # a path that is answered 200 once it serves


def python(peers: Sequence[str] = ()) -> Callable[[str, int, Path], Launch]:
    """Return the plan of the Python registry."""

    def launch(host: str, port: int, folder: Path) -> Launch:
        return Launch(
            (sys.executable, "-m", "eureka.server", "--config", str(folder / "application.yml")),
            {"application.yml": as_yaml(_settings(host, port, peers))},
            "/eureka/apps/delta",
        )

    return launch


def reference(peers: Sequence[str] = ()) -> Callable[[str, int, Path], Launch]:
    """Return the plan of the Java reference, started as anyone starts it."""

    def launch(host: str, port: int, folder: Path) -> Launch:
        settings = {
            "spring.application.name": "registry",
            "spring.main.banner-mode": "off",
            **_settings(host, port, peers),
        }
        jar = java.application(REFERENCE) / "reference.jar"
        config = folder / "application.properties"
        return Launch(
            (
                *(str(java.runtime(REFERENCE)), HEAP, "-jar", str(jar)),
                f"--spring.config.location=file:{config}",
            ),
            {config.name: as_properties(settings)},
            "/eureka/apps/delta",
        )

    return launch


def nginx(*, registers: bool = False) -> Callable[[str, int, Path], Launch]:
    """
    Return the plan of nginx answering 200 to everything, with one worker.

    With `registers` a POST is answered 204: for a generator that wants its fleet registered.
    """
    posted = "if ($request_method = POST) { return 204; } " if registers else ""

    def launch(host: str, port: int, folder: Path) -> Launch:
        temporary = "".join(
            f"  {kind}_temp_path {folder};\n"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        config = (
            "worker_processes 1;\ndaemon off;\n"
            f"pid {folder}/nginx.pid;\nerror_log {folder}/error.log;\n"
            "events { worker_connections 4096; }\n"
            "http {\n  access_log off;\n  keepalive_requests 1000000000;\n"
            f"{temporary}"
            f"  server {{ listen {host}:{port}; location / {{ {posted}return 200; }} }}\n}}\n"
        )
        return Launch(
            ("nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")),
            {"nginx.conf": config},
            "/",
        )

    return launch


def _settings(host: str, port: int, peers: Sequence[str]) -> dict[str, str]:
    own = f"http://{host}:{port}/eureka/"
    return normalise(
        {
            **_ALONE,
            "eureka.client.serviceUrl.defaultZone": ",".join(peers) or own,
            "eureka.instance.hostname": host,
            # A list is read from the start, however few are registered.
            "eureka.server.waitTimeInMsWhenSyncEmpty": "0",
            # The peers share the generator's core: 200 ms would be its lateness, not theirs.
            "eureka.server.peerNodeConnectTimeoutMs": "5000",
            "eureka.server.peerNodeReadTimeoutMs": "5000",
            "server.address": host,
            "server.port": str(port),
        },
        "the settings of the bench",
    )
