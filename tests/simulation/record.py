"""
What is written down while a schedule is played; judged afterwards, never while it runs.

The events are those of the judge's histories (`eureka_tck.history.event`) as far as a simulation
has them, and what only a simulation can see: each eviction, with what the world knew.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

from msgspec import Struct

View: TypeAlias = dict[str, tuple[str, str, int, str]]
"""Status, overridden status, T and metadata of each instance a node holds."""


class Called(Struct, frozen=True, kw_only=True, tag="op"):
    """A call ended: the HTTP status it was answered with; 0 where nobody answered."""

    at: float
    node: str
    verb: str
    instance: str
    status: int
    dirty_ms: int | None = None
    changed: bool = False
    override: str = ""


class Shown(Struct, frozen=True, kw_only=True, tag="shown"):
    """An instance came to a node's lists, or left them."""

    at: float
    node: str
    instance: str
    present: bool
    evicted: bool = False


class Sampled(Struct, frozen=True, kw_only=True, tag="sample"):
    """All that a node holds."""

    at: float
    node: str
    view: View


class Marked(Struct, frozen=True, kw_only=True, tag="mark"):
    """Something worth a line: a fault begins or ends, records were healed."""

    at: float
    node: str
    name: str
    said: str = ""


Event: TypeAlias = Called | Shown | Sampled | Marked


class Recorder(Protocol):
    """Takes what happens; a list in memory here, a history's file for whoever wants one."""

    def append(self, event: Event, /) -> None:
        """Take note of one event."""
        ...
