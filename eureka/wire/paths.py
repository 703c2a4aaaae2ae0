"""
The paths of the protocol, below `/eureka` or `/eureka/v2`:
which resource is meant, which names it carries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import unquote

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

Resource = Literal[
    "apps",
    "delta",
    "app",
    "instance",
    "status",
    "metadata",
    "by-id",
    "vip",
    "svip",
    "batch",
    "overrides",
    "server-status",
]

METHODS: Final[dict[Resource, tuple[str, ...]]] = {
    "apps": ("GET", "HEAD", "OPTIONS"),
    "delta": ("GET", "HEAD", "OPTIONS"),
    "app": ("GET", "HEAD", "OPTIONS", "POST"),
    "instance": ("DELETE", "GET", "HEAD", "OPTIONS", "PUT"),
    "status": ("DELETE", "OPTIONS", "PUT"),
    "metadata": ("OPTIONS", "PUT"),
    "by-id": ("GET", "HEAD", "OPTIONS"),
    "vip": ("GET", "HEAD", "OPTIONS"),
    "svip": ("GET", "HEAD", "OPTIONS"),
    "batch": ("OPTIONS", "POST"),
    "overrides": ("GET", "HEAD", "OPTIONS"),
    "server-status": ("GET", "HEAD", "OPTIONS"),
}


class Target(msgspec.Struct, frozen=True, gc=False):
    """A resource and the names in its path: `name` an application, VIP or id, `id` an instance."""

    resource: Resource
    name: str = ""
    id: str = ""


def find(raw_path: str) -> Target | None:
    """
    Return what a raw (still percent-encoded) path below the server's root means, None for nothing.

    A slash in an id comes as `%2F`, so the path is split first and decoded after.
    One trailing slash changes nothing; an empty segment means nothing,
    nor does a character that should have been encoded.
    """
    if not raw_path.isascii():
        return None
    segments = raw_path.removesuffix("/").split("/")
    start = 3 if segments[2:3] == ["v2"] else 2
    if segments[:2] != ["", "eureka"] or len(segments) <= start or not all(segments[start:]):
        return None
    segments = segments[start:]
    names = [unquote(segment) if "%" in segment else segment for segment in segments]
    shape = _SHAPES.get((names[0], len(names)))
    return shape(names) if shape else None


def _one_app(names: list[str]) -> Target:
    return Target("delta") if names[1] == "delta" else Target("app", names[1].upper())


def _part_of_instance(names: list[str]) -> Target | None:
    if names[3] == "status":
        return Target("status", names[1].upper(), names[2])
    if names[3] == "metadata":
        return Target("metadata", names[1].upper(), names[2])
    return None


_OVERRIDES: Final = "statusoverrides"

_SHAPES: Final[dict[tuple[str, int], Callable[[list[str]], Target | None]]] = {
    ("apps", 1): lambda _: Target("apps"),
    ("apps", 2): _one_app,
    ("apps", 3): lambda names: Target("instance", names[1].upper(), names[2]),
    ("apps", 4): _part_of_instance,
    ("instances", 2): lambda names: Target("by-id", id=names[1]),
    ("vips", 2): lambda names: Target("vip", names[1]),
    ("svips", 2): lambda names: Target("svip", names[1]),
    ("peerreplication", 2): lambda names: Target("batch") if names[1] == "batch" else None,
    ("serverinfo", 2): lambda names: Target("overrides") if names[1] == _OVERRIDES else None,
    ("status", 1): lambda _: Target("server-status"),
}
