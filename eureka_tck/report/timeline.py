"""
The picture of a chaos run: all that its page draws, on one time axis for all nodes.

Lines are changes, not samples: a value holds from its instant to that of the next one.
Every instant is in registry seconds. What stands here reaches the page as JSON; the page's script
draws it and sets text alone.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec
from markupsafe import Markup
from msgspec import Struct

from eureka_tck.report.environment import visible

Mark: TypeAlias = Literal["cancel", "status", "death", "phase"]
Line: TypeAlias = tuple[tuple[float, float], ...]
Broken: TypeAlias = tuple[tuple[float, float | None], ...]
Strip: TypeAlias = tuple[tuple[float, str], ...]

_ESCAPES: Final = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


class Band(Struct, frozen=True, kw_only=True):
    """A fault that bit, from its begin to the end of healing."""

    began: float
    ended: float
    said: str


class Note(Struct, frozen=True, kw_only=True):
    """Something worth a mark at an instant."""

    at: float
    kind: Mark
    said: str


class Flag(Struct, frozen=True, kw_only=True):
    """
    A violation at the instant it was certain; `known` where it is a known deviation.

    `until` is the instant at which it was over; None where it never was.
    """

    at: float
    until: float | None
    known: bool
    promise: str
    node: str
    instance: str
    said: str


class Cut(Struct, frozen=True, kw_only=True):
    """One link: `down` are the stretches in which a fault cut or burdened it."""

    link: str
    down: tuple[tuple[float, float], ...]


class Dot(Struct, frozen=True, kw_only=True):
    """The replication delay of one change, at the instant of its call."""

    at: float
    seconds: float
    link: str


class Latency(Struct, frozen=True, kw_only=True):
    """Client calls that began from `at` on: median and 99 % in real milliseconds."""

    at: float
    p50: float
    p99: float


class Lane(Struct, frozen=True, kw_only=True):
    """
    One instance: what its client told, and what each node did; `""` is absent.

    `wrong` is from when to when a node broke a promise about it.
    """

    instance: str
    told: Strip
    nodes: dict[str, Strip]
    wrong: dict[str, tuple[float, float]]
    known: bool


class NodeLines(Struct, frozen=True, kw_only=True):
    """
    One node: instances, renewals of the last window, threshold, protection, evictions.

    `instances` is None while the node gave no answer.
    """

    instances: Broken
    renewals: Line
    threshold: Line
    protected: Line
    evicted: Line


class Around(Struct, frozen=True, kw_only=True):
    """A line of the table of what happened around a violation."""

    at: float
    where: str
    what: str
    result: str = ""
    is_breach: bool = False


class Timeline(Struct, frozen=True, kw_only=True):
    """
    The whole picture, from `began` to `end`; `around` has a table for each flag, in their order.

    Nodes that start slowly are the reason why a run does not begin with its clock.
    """

    end: float
    sampled_every: float
    nodes: dict[str, NodeLines]
    alive: Line
    bands: tuple[Band, ...]
    notes: tuple[Note, ...]
    flags: tuple[Flag, ...]
    around: tuple[tuple[Around, ...], ...]
    links: tuple[Cut, ...]
    delays: tuple[Dot, ...]
    latency: tuple[Latency, ...]
    lanes: tuple[Lane, ...]
    began: float = 0.0

    def as_json(self) -> Markup:
        """Return it as JSON that can stand inside a page: no tag can begin in it."""
        text = msgspec.json.encode(_shown(msgspec.to_builtins(self))).decode()
        return Markup(text.translate(_ESCAPES))  # noqa: S704 - JSON with <, > and & escaped

    def said(self) -> str:
        """Return the picture in words, for who cannot see it."""
        when = f"from {self.began:.0f} to {self.end:.0f} registry seconds"
        parts = [f"Nodes {', '.join(self.nodes)} {when}."]
        parts += [f"{band.said}, {band.began:.0f} to {band.ended:.0f} s." for band in self.bands]
        for name, lines in self.nodes.items():
            shown = lines.instances[-1][1] if lines.instances else None
            if shown is not None:
                parts.append(f"Node {name} shows {shown:g} instances at the end.")
        return " ".join(parts)


def _shown(value: object) -> object:
    """Return the value with every text made visible, as the rest of the page has it."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(str(key)): _shown(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(one) for one in value]
    return value
