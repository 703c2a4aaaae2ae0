"""The Java reference, a release of Spring Cloud Netflix Eureka Server, unmodified."""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import ClassVar

from eureka_tck.properties import as_properties
from eureka_tck.targets.faketime import preload
from eureka_tck.targets.state import SPRING_PATH, read_spring_page
from eureka_tck.targets.target import (
    CAPABILITIES,
    ClockStamp,
    Counters,
    Fetch,
    ImageLaunch,
    Launch,
    NodePlan,
)

VERSIONS = ("5.0.3", "4.3.0", "3.1")
CONFIG = "application.properties"
HEAP = "-Xmx128m"  # 200 MB resident a node; some ten thousand instances fit
DATE_RESOLUTION = 1.0  # registry s: an HTTP Date has whole seconds


@dataclass(frozen=True, slots=True)
class JavaTarget:
    """One release of the reference; sped up by libfaketime."""

    version: str
    family: ClassVar[str] = "java"
    default_speed: ClassVar[float] = 5.0
    ready_path: ClassVar[str] = "/eureka/apps/TCK-IS-IT-READY"
    ready_line: ClassVar[str | None] = "Changing status to UP"
    scales_steps: ClassVar[bool] = False  # the shim stands before libfaketime and adds to its time
    ready_budget: ClassVar[float] = 90.0  # real s; 2 s alone, up to 40 s beside 17 others
    # Served where a profile exposes it; at no other time it reads its list of peers again.
    reload_path: ClassVar[str | None] = "/actuator/refresh"
    capabilities: ClassVar[frozenset[str]] = CAPABILITIES - {"rate-limiter"}

    @property
    def name(self) -> str:
        """Return the name on the command line, as java:5.0.3."""
        return f"java:{self.version}"

    def prepare(self, backend: str) -> None:
        """Build the jar and its class-data archive, or the image, on first use."""
        if backend == "docker":
            from eureka_tck.supplies import images  # noqa: PLC0415 - dear to import

            images.java(self.version)
        else:
            from eureka_tck.supplies import java  # noqa: PLC0415 - only this target's

            java.reference(self.version)

    def launch(self, plan: NodePlan) -> Launch:
        """Return the JVM with its settings in a file of the node's folder."""
        from eureka_tck.supplies import java  # noqa: PLC0415 - the same

        reference = java.reference(self.version)
        config = plan.folder / CONFIG
        return Launch(
            argv=(
                str(reference.java),
                *reference.flags,
                HEAP,
                f"-Djava.io.tmpdir={plan.folder}",  # what a killed one leaves, goes with the run
                "-jar",
                str(reference.jar),
                f"--spring.config.location=file:{config}",
            ),
            env={**preload(plan, faked=True), **_locale(plan)},
            files={config: as_properties(_settings(plan))},
        )

    def image(self, plan: NodePlan) -> ImageLaunch:
        """Return the container of this release, with its settings in a file."""
        from eureka_tck.supplies import images  # noqa: PLC0415 - the same

        config = f"/tmp/{CONFIG}"  # noqa: S108 - of a container that is nobody else's
        return ImageLaunch(
            image=images.java(self.version),
            command=(*images.java_command(HEAP), f"--spring.config.location=file:{config}"),
            env={
                "LANG": "C.UTF-8",  # a bare container has none, and Java 17 then loses Unicode
                **_locale(plan),
            },
            files={config: as_properties(_settings(plan))},
        )

    def counters(self, fetch: Fetch) -> Counters:
        """Read Spring's status page."""
        return read_spring_page(fetch(SPRING_PATH))

    def clock_stamp(self, fetch: Fetch, date: str | None) -> ClockStamp | None:  # noqa: ARG002 - the header says it
        """Return what the Date header of an answer says: Tomcat takes it from the JVM's clock."""
        return date_stamp(date)


def _settings(plan: NodePlan) -> dict[str, str]:
    return {
        "spring.application.name": "registry",
        "spring.main.banner-mode": "off",
        **plan.settings,
    }


def _locale(plan: NodePlan) -> dict[str, str]:
    """Return what sets a JVM's locale from outside, nothing where none was asked for."""
    language, _, country = plan.locale.partition("_")
    options = f"-Duser.language={language} -Duser.country={country}"
    return {"JAVA_TOOL_OPTIONS": options} if language else {}


def date_stamp(date: str | None) -> ClockStamp | None:
    """Return an HTTP Date as a reading of the clock that wrote it."""
    if date is None:
        return None
    at = parsedate_to_datetime(date).timestamp()
    return ClockStamp(round(at * 1000), DATE_RESOLUTION, "now")
