"""
What several commands take: target, backend, speed, seed, out, settings; and how a wrong one ends.

A command line that cannot be run ends with exit code 3, like anything else that could not run:
2 means inconclusive.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from eureka_tck.backends import NAMES as BACKENDS
from eureka_tck.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

COULD_NOT_RUN: Final = 3
STOPPED: Final = 130
"""Exit code of a command that Ctrl-C ended: 128 + 2, as a shell reports it."""

_SPELT_OUT: Final = {
    code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"
}

TARGET_HELP: Final = (
    "what is judged: python, java:5.0.3, java:4.3.0, java:3.1, command:ADAPTER.toml, "
    "image:REF, url:URL, "
    "or a comma list with one target a node (default: python)"
)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors end with exit code 3."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and how to learn more."""
        self.exit(COULD_NOT_RUN, f"{self.prog}: {message}.\n  {self.prog} --help explains.\n")


SPEED_HELP: Final = (
    "how much faster the registries' time passes, at most; a profile may bear less "
    "(default: python 10, java 5)"
)


def add_common(parser: argparse.ArgumentParser, speed: str = SPEED_HELP) -> None:
    """Add the options that gate, chaos and load share; `speed` explains what it does there."""
    group = parser.add_argument_group("what is judged, and where")
    group.add_argument("--target", default="python", metavar="TARGET", help=TARGET_HELP)
    group.add_argument(
        "--backend",
        default="process",
        choices=BACKENDS,
        help="where its nodes run (default: process: no Docker, no root)",
    )
    group.add_argument(
        "--speed",
        type=positive,
        metavar="N",
        help=speed,
    )
    group.add_argument(
        "--settings",
        type=Path,
        metavar="FILE",
        help="your own application.yml or .properties, by Spring's names; "
        "what a profile sets itself, wins",
    )
    group.add_argument("--seed", type=natural, metavar="N", help="repeats all that is drawn")
    group.add_argument(
        "--out",
        type=Path,
        default=Path("reports"),
        metavar="DIR",
        help="where the run's folder goes (default: reports)",
    )


def settings_of(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the user's own settings; SettingsError names file, key, value, expectation."""
    return load_settings(arguments.settings) if arguments.settings else {}


def positive(text: str) -> float:
    """Read a number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def natural(text: str) -> int:
    """Read a whole number of at least 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def words(text: str) -> tuple[str, ...]:
    """Read a comma list; commas within brackets belong to the word."""
    found, depth, word = [], 0, ""
    for one in text:
        depth += (one == "[") - (one == "]")
        if one == "," and depth <= 0:
            found.append(word)
            word = ""
        else:
            word += one
    return tuple(stripped for one in [*found, word] if (stripped := one.strip()))


def say(text: str) -> None:
    """Print a part of a command's output at once, also into a pipe."""
    sys.stdout.write(f"{harmless(text)}\n")
    sys.stdout.flush()


def harmless(text: str) -> str:
    """Return the text with its control characters spelt out: a target's words steer no terminal."""
    return text.translate(_SPELT_OUT)


def quoted(argv: Sequence[str]) -> str:
    """Return a command line as a person would type it."""
    return shlex.join(["eureka-tck", *argv])
