"""
What a target is: a kind of registry that can be started, asked for its counters and judged.

A target says how one node of it is launched; a backend (`eureka_tck.backends`) does it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from pathlib import Path

Fetch = Callable[[str], str]
"""Fetch a page of a node by its path below the root: the body's text."""

CAPABILITIES = frozenset(
    {
        "settings",  # takes settings by Spring's names, and starts afresh with them
        "counters",  # threshold and renewals of the last minute can be read
        "stamps",  # evictionTimestamp and its like are on the wire
        "peers",  # several nodes replicate to each other
        "links",  # the traffic between nodes can be cut and delayed
        "kill",  # kill -9 and restart with the same identity
        "pause",  # a freeze of the process
        "clock",  # its time can be sped up
        "step",  # its wall clock can be stepped while it runs
        "reload",  # it takes a new list of peers without a restart
        "memory",  # resident memory and CPU seconds of a node can be read
        "locale",  # it can be started in another locale
        "rate-limiter",  # it limits list reads
        "regions",  # it fetches from remote regions
        "destructive",  # rows that can harm may be judged: the node is ours
    }
)


@dataclass(frozen=True, slots=True)
class NodePlan:
    """
    One node as it is to be started, the same at every restart.

    `settings` are complete: those all clusters set, the profile's and the node's own.
    `epoch` is the cluster's birth in unix seconds; `folder` is the node's own.
    `wall_file` is the mapped offset of its wall clock, where steps were asked for;
    `locale` is the language and country it runs in, as tr_TR, where one was asked for.
    """

    name: str
    host: str
    port: int
    peers: tuple[str, ...]
    settings: Mapping[str, str]
    speed: float
    epoch: float
    folder: Path
    wall_file: Path | None = None
    locale: str = ""


@dataclass(frozen=True, slots=True)
class Launch:
    """A process to start: its arguments, what it adds to our environment, files to write first."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[Path, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImageLaunch:
    """
    A container to start: the image, its command (None: the image's own) and environment.

    `files` are put into it before its first start, by their absolute paths there.
    """

    image: str
    command: tuple[str, ...] | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Counters:
    """What a node says of its own self-preservation; `emergency` is None where it does not say."""

    threshold: int
    renewals_last_minute: int
    expiration_enabled: bool
    self_preservation: bool
    emergency: bool | None


@dataclass(frozen=True, slots=True)
class ClockStamp:
    """
    A reading of a node's wall clock that left no trace in the registry.

    `when` says whether it was taken "now" or at some instant "since its start";
    `resolution` is in registry seconds.
    """

    epoch_ms: int
    resolution: float
    when: Literal["now", "since its start"]


class Target(Protocol):
    """A kind of registry to judge; `name` is what stands on the command line."""

    @property
    def name(self) -> str:
        """Return the name as written on the command line, as `java:5.0.3`."""

    @property
    def family(self) -> str:
        """Return "python", "java", "command", "image" or "url"."""

    @property
    def default_speed(self) -> float:
        """Return the speed at which it is judged unless another is asked for."""

    @property
    def capabilities(self) -> frozenset[str]:
        """Return what it can do, of CAPABILITIES."""

    @property
    def ready_path(self) -> str:
        """Return a path whose answer (200, 403, 404) shows that it serves, and primes no cache."""

    @property
    def ready_line(self) -> str | None:
        """Return what its log says once it has opened for traffic; None: HTTP alone decides."""

    @property
    def scales_steps(self) -> bool:
        """Say whether it multiplies real time itself, and with it a step of the real clock."""

    @property
    def reload_path(self) -> str | None:
        """
        Return what to POST to once its settings have changed; None: it sees that by itself.

        Only where it is capable of "reload".
        """

    @property
    def ready_budget(self) -> float:
        """Return the real seconds a node may take to become ready."""

    def prepare(self, backend: str) -> None:
        """Build what the first start needs, and say so if it takes long; CannotRun if it cannot."""

    def launch(self, plan: NodePlan) -> Launch:
        """Return the process that is this node."""

    def image(self, plan: NodePlan) -> ImageLaunch:
        """Return the container that is this node; CannotRun where there is no image of it."""

    def counters(self, fetch: Fetch) -> Counters:
        """Read the node's own figures; CannotRun where it shows none."""

    def clock_stamp(self, fetch: Fetch, date: str | None) -> ClockStamp | None:
        """Return a reading of the node's clock; `date` is the Date header of an answer of it."""
