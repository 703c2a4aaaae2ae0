"""
A storm: what the fleet does to the registry, as data (`load/storms/*.toml`).

Reading one is strict: an unknown key, a wrong type or a value out of range names file, key,
value and what was expected. This file knows nothing of Locust.
"""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from eureka_tck.complaint import complaint
from eureka_tck.errors import CannotRun, SettingsError
from eureka_tck.fleet.schedule import Phases

MOST_INSTANCES: Final = 1_000_000
MOST_CALLS_A_SECOND: Final = 100_000
"""More than one machine of today sends; a slip of the pen should not try."""
LONGEST_MINUTES: Final = 24 * 60
MOST_NODES: Final = 5

Deed: TypeAlias = Literal[
    "restart", "redeploy", "die", "status", "reconcile", "kill-node", "restart-node", "slow-links"
]
TO_NODES: Final = ("kill-node", "restart-node", "slow-links")
"""Deeds that are done to the cluster, not by the fleet."""
FORGETFUL: Final = frozenset({"kill-node", "restart-node"})
RECOVERY: Final = 20.0
"""Seconds for a node to start (a JVM takes 11 s on busy cores), and for answers and replication."""


class Moment(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """
    Something that happens once in a storm.

    `at` is a share of the storm's minutes, so that a shorter storm has all its moments too; what
    would end after them ends with them.
    `share` of the fleet takes part, spread over `over` seconds, each gone for `away` seconds:
    restart (silent, then registers anew), redeploy (cancels, then registers anew), die (silent for
    good), status (out of service, then back), reconcile (reads the delta, then all).
    Done to node `node`: kill-node, restart-node, slow-links (answers `delay_ms` later), for
    `away` seconds.
    """

    does: Deed
    at: float
    share: float = 1.0
    over: float = 0.0
    away: float = 0.0
    node: str = "a"
    delay_ms: int = 200


class Storm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """
    One storm. Durations are real seconds: load runs at speed 1.

    `jitter` is the share of the renewal interval by which one renewal may come early or late, as a
    client's timer does; 0 keeps every instance strictly on its phase. `drift` is the share by which
    an instance's own interval differs for good.
    The fleet registers within `arrive_over` seconds, renews for `minutes`, in which the moments
    fall, and then for `settle` seconds more, in which nothing happens and the registry is read.
    `readers` clients read every `read_interval` seconds, the delta or the full list; `hot`
    instances renew every `hot_interval` seconds besides.
    `audits` is the largest number of renewals a second that are read back.
    """

    name: str
    story: str
    instances: int
    minutes: float
    applications: int = 20
    renewal_interval: float = 30.0
    duration: float = 90.0
    jitter: float = 0.0
    drift: float = 0.0
    phases: Phases = "even"
    connections: int = 16
    nodes: int = 1
    arrive_over: float = 5.0
    settle: float = 6.0
    readers: int = 0
    read_interval: float = 30.0
    reads: Literal["delta", "full"] = "delta"
    hot: int = 0
    hot_interval: float = 0.1
    audits: float = 200.0
    moments: tuple[Moment, ...] = ()

    @property
    def length(self) -> float:
        """Seconds from the first registration until the fleet leaves."""
        return self.arrive_over + self.minutes * 60 + self.settle

    @property
    def calls_a_second(self) -> float:
        """What it sends on average, without its moments and arrival."""
        renewals = self.instances / self.renewal_interval + self.hot / self.hot_interval
        return renewals + min(self.audits, renewals) + self.readers / self.read_interval

    @property
    def renewals(self) -> int:
        """How many renewals come due in it, its moments apart."""
        seconds = self.minutes * 60 + self.settle
        return int(self.instances * seconds / self.renewal_interval)

    @property
    def forgets(self) -> bool:
        """Whether a node of it loses its memory, so that a live instance may be unknown."""
        return any(moment.does in FORGETFUL for moment in self.moments)

    @property
    def needs_links(self) -> bool:
        """Whether it needs Toxiproxy."""
        return any(moment.does == "slow-links" for moment in self.moments)


def _can_recover(storm: Storm, moment: Moment) -> bool:
    left = storm.minutes * 60 * (1 - moment.at) - moment.away
    return left >= storm.renewal_interval * (1 + 2 * storm.jitter) + RECOVERY


def storm_names(folder: Path) -> list[str]:
    """Return the names of all storms below `folder`, sorted."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def load_storm(folder: Path, name: str) -> Storm:
    """
    Return the storm `name`, or the one of a file where `name` is a path that ends in `.toml`.

    CannotRun lists the names that exist when it does not.
    """
    path = Path(name) if name.endswith(".toml") else folder / f"{name}.toml"
    known = storm_names(folder)
    if not path.is_file():
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise CannotRun(
            f"there is no storm called {name!r}", f"{hint}the storms are: {', '.join(known)}"
        )
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: is not TOML: {error}.") from error
    try:
        storm = msgspec.convert(raw, Storm)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}: {complaint(error, raw, Storm)}") from error
    return checked(storm, str(path))


def resized(
    storm: Storm, instances: int | None, minutes: float | None, settle: float | None = None
) -> Storm:
    """Return the storm with the size and length that somebody asks for."""
    if settle is not None:
        storm = msgspec.structs.replace(storm, settle=settle)
    if instances is not None:
        few = min(storm.applications, max(instances, 1))
        storm = msgspec.structs.replace(
            storm, instances=instances, applications=few, hot=min(storm.hot, max(instances, 1))
        )
    if minutes is not None:
        storm = msgspec.structs.replace(storm, minutes=minutes)
    return checked(storm, "the command line")


def checked(storm: Storm, source: str) -> Storm:
    """Return `storm` if every figure makes sense; SettingsError names the first that does not."""
    ranges: list[tuple[str, float, float, float]] = [
        ("instances", storm.instances, 1, MOST_INSTANCES),
        ("minutes", storm.minutes, 0.1, LONGEST_MINUTES),
        ("applications", storm.applications, 1, storm.instances),
        ("renewal_interval", storm.renewal_interval, 1, 3600),
        ("duration", storm.duration, storm.renewal_interval, 86_400),
        ("jitter", storm.jitter, 0, 0.5),
        ("drift", storm.drift, 0, 0.1),
        ("connections", storm.connections, 1, 1024),
        ("nodes", storm.nodes, 1, MOST_NODES),
        ("arrive_over", storm.arrive_over, 0, 3600),
        ("settle", storm.settle, 3, 600),
        ("readers", storm.readers, 0, MOST_INSTANCES),
        ("read_interval", storm.read_interval, 0.1, 3600),
        ("hot", storm.hot, 0, storm.instances),
        ("hot_interval", storm.hot_interval, 0.01, 3600),
        ("audits", storm.audits, 0, 10_000),
        ("the calls a second", storm.calls_a_second, 0, MOST_CALLS_A_SECOND),
    ]
    for number, moment in enumerate(storm.moments, start=1):
        if moment.does in FORGETFUL and not _can_recover(storm, moment):
            raise SettingsError(
                f"{source}: minutes is {storm.minutes:g}; after its moment {number} "
                f"({moment.does}) the storm has to last one renewal interval "
                f"and {RECOVERY:g} s more, for every instance to be heard again"
            )
        own = f"of moment {number} ({moment.does})"
        ranges += [
            (f"at {own}", moment.at, 0, 1),
            (f"share {own}", moment.share, 0, 1),
            (f"over {own}", moment.over, 0, 3600),
            (f"away {own}", moment.away, 0, 3600),
            (f"delay_ms {own}", moment.delay_ms, 1, 60_000),
        ]
        if moment.node not in "abcde"[: storm.nodes]:
            raise SettingsError(
                f"{source}: node {own} is {moment.node!r}; "
                f"the storm's nodes are {', '.join('abcde'[: storm.nodes])}"
            )
    for key, value, low, high in ranges:
        if not low <= value <= high:
            raise SettingsError(
                f"{source}: {key} is {value:g}; it must be from {low:g} to {high:g}"
            )
    return storm
