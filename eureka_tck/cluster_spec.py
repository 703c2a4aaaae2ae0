"""
A cluster as it is asked for: how many nodes of what, where they run, and with which settings.

A value: nothing is started here, and no file is read.
"""

from __future__ import annotations

import string
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from eureka_tck.errors import CannotRun
from eureka_tck.settings import normalise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eureka_tck.profile import Profile
    from eureka_tck.targets.target import Target

LETTERS = string.ascii_lowercase
NOTHING: Mapping[str, str] = MappingProxyType({})
NOTHING_FOR: Mapping[str, Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ClusterSpec:
    """
    A cluster as it is asked for.

    `targets` has one a node, so a mixed cluster is a list;
    `settings_for` adds to `settings` by the node's letter.
    `ready` says when a node counts as started: when it has opened for traffic, or as soon as it
    answers HTTP (for rows about the time before it opens).
    `wall_steps` preloads what steps the wall clock of a running node.
    With `autostart` off no node runs until it is started by its letter.
    `locale` is the language and country its nodes run in, as tr_TR; the machine's where empty.
    `scripted` names peers that are ours (`eureka_tck.actors.peer`): each node is told of them,
    but of those named `beside-a`, …, which listen on a node's own host and must be told of by
    settings. There "{name}" stands for the URL of such a peer, "{a}", … for that of a node.
    """

    name: str
    targets: tuple[Target, ...]
    backend: str = "process"
    settings: Mapping[str, str] = field(default_factory=dict)
    settings_for: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    speed: float = 1.0
    links: bool = False
    wall_steps: bool = False
    ready: Literal["open", "http"] = "open"
    autostart: bool = True
    scripted: tuple[str, ...] = ()
    locale: str = ""

    @classmethod
    def of(  # noqa: PLR0913 - a cluster has that many sides; all but the first two are named
        cls,
        name: str,
        targets: Sequence[Target],
        *,
        nodes: int | None = None,
        backend: str = "process",
        settings: Mapping[str, object] = NOTHING,
        settings_for: Mapping[str, Mapping[str, object]] = NOTHING_FOR,
        speed: float | None = None,
        links: bool = False,
        wall_steps: bool = False,
        ready: Literal["open", "http"] = "open",
        autostart: bool = True,
        scripted: Sequence[str] = (),
        locale: str = "",
    ) -> ClusterSpec:
        """
        Return a spec with settings brought to one spelling, and one target a node.

        A single target serves all nodes; a list must have as many as there are nodes,
        or may be longer than they are. Without a speed it is the slowest of their defaults.
        """
        count = nodes if nodes is not None else len(targets)
        chosen = _one_a_node(targets, count)
        return cls(
            name=name,
            targets=chosen,
            backend=backend,
            settings=normalise(settings, f"the settings of {name}"),
            settings_for={
                node: normalise(own, f"the settings of {name} for node {node}")
                for node, own in settings_for.items()
            },
            speed=min(t.default_speed for t in chosen) if speed is None else speed,
            links=links,
            wall_steps=wall_steps,
            ready=ready,
            autostart=autostart,
            scripted=tuple(scripted),
            locale=locale,
        )

    @classmethod
    def from_profile(
        cls,
        profile: Profile,
        targets: Sequence[Target],
        *,
        backend: str = "process",
        speed: float | None = None,
        settings: Mapping[str, object] = NOTHING,
    ) -> ClusterSpec:
        """Return the spec of a profile: its ceiling of speed wins, `settings` add to its own."""
        chosen = _one_a_node(targets, profile.nodes)
        wished = min(t.default_speed for t in chosen) if speed is None else speed
        return cls.of(
            profile.name,
            chosen,
            backend=backend,
            settings={**profile.settings, **settings},
            settings_for=profile.settings_for,
            speed=min(wished, profile.max_speed),
            links=profile.links,
            wall_steps=profile.wall_steps,
            ready=profile.ready,
            autostart=profile.autostart,
            scripted=profile.scripted,
            locale=profile.locale,
        )

    @property
    def node_names(self) -> tuple[str, ...]:
        """Return the letters of the nodes."""
        return tuple(LETTERS[: len(self.targets)])


def _one_a_node(targets: Sequence[Target], nodes: int) -> tuple[Target, ...]:
    if not 1 <= nodes <= len(LETTERS):
        raise CannotRun(f"a cluster has 1 to {len(LETTERS)} nodes, not {nodes}.")
    if len(targets) == 1:
        return tuple(targets) * nodes
    if len(targets) < nodes:
        raise CannotRun(
            f"{len(targets)} targets are named for a cluster of {nodes} nodes.",
            "Name one target for all, or one a node.",
        )
    return tuple(targets[:nodes])
