"""
What is judged: `parse_target` turns the word of the command line into targets, one a node.

    python              the registry of this distribution
    java:5.0.3          the Java reference, Spring Cloud Netflix Eureka Server of that version
    command:my.toml     any local program; the adapter says how it is started
    image:REF           any container image that takes Spring's settings as environment
    image:my.toml       any image; the adapter says how settings are handed over
    url:http://host:80  a registry that runs already
"""

from __future__ import annotations

import difflib
from pathlib import Path

from eureka_tck.errors import CannotRun
from eureka_tck.targets.command import load_adapter
from eureka_tck.targets.image import load_image
from eureka_tck.targets.java import VERSIONS, JavaTarget
from eureka_tck.targets.python import PythonTarget
from eureka_tck.targets.target import (
    CAPABILITIES,
    ClockStamp,
    Counters,
    Fetch,
    ImageLaunch,
    Launch,
    NodePlan,
    Target,
)
from eureka_tck.targets.url import running

__all__ = [
    "CAPABILITIES",
    "JAVA_TARGETS",
    "ClockStamp",
    "Counters",
    "Fetch",
    "ImageLaunch",
    "Launch",
    "NodePlan",
    "Target",
    "parse_target",
]

JAVA_TARGETS = tuple(f"java:{version}" for version in VERSIONS)
NAMES = (
    "python",
    *JAVA_TARGETS,
    "command:ADAPTER.toml",
    "image:REF",
    "url:URL",
)


def parse_target(text: str, here: Path = Path()) -> tuple[Target, ...]:
    """
    Return the targets a command line names: one, or a comma list with one a node.

    Args:
        text: the words of the command line.
        here: the folder where a relative path of an adapter begins.
    """
    return tuple(_parse_one(word.strip(), text, here) for word in text.split(","))


def _parse_one(word: str, text: str, here: Path) -> Target:
    if word == "python":
        return PythonTarget()
    kind, _, rest = word.partition(":")
    if kind == "java" and rest in VERSIONS:
        return JavaTarget(rest)
    if kind == "command" and rest:
        return load_adapter(here / rest)
    if kind == "url" and rest:
        return running(rest)
    if kind == "image" and rest:
        return load_image(rest, here)
    where = f" (in {text!r})" if word != text else ""
    nearest = difflib.get_close_matches(word, NAMES, n=1, cutoff=0.4)
    hint = f" Did you mean {nearest[0]}?" if nearest else ""
    raise CannotRun(
        f"there is no target {word!r}{where}.{hint}",
        f"A target is one of {', '.join(NAMES)}, or a comma list of them, one a node.",
    )
