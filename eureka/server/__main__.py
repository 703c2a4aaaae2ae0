"""The command `eureka-server`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from eureka import __version__
from eureka.core.errors import ConfigurationError
from eureka.server.binding import Sources, load_with_sources
from eureka.server.clock import Clock
from eureka.server.description import described
from eureka.server.manual import DESCRIPTION, MANUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka.server.settings import Settings

CANNOT_RUN = 3
HIGHEST_PORT = 65535
FASTEST = 1000.0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    arguments = _parser().parse_args(argv)
    try:
        settings, sources = _load(arguments)
        if arguments.check_config:
            sys.stdout.write(described(settings, sources))
            return 0
        # Imported late: a wrong setting is told without loading a web server first.
        from eureka.server import server  # noqa: PLC0415 - as the line above says

        clock = Clock(speed=arguments.speed, epoch=arguments.epoch)
        with server.listen(settings) as listener:
            server.run(settings, clock, listener, reload=lambda: _load(arguments)[0])
    except ConfigurationError as error:
        sys.stderr.write(f"eureka-server: {error}\n")
        return CANNOT_RUN
    return 0


def _load(arguments: argparse.Namespace) -> tuple[Settings, Sources]:
    settings, sources = load_with_sources(arguments.config, os.environ)
    given = {"host": arguments.host, "port": arguments.port, "log_format": arguments.log_format}
    given = {name: value for name, value in given.items() if value is not None}
    sources |= {name: f"argument --{name.replace('_', '-')}" for name in given}
    return msgspec.structs.replace(settings, **given), sources


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="eureka-server",
        description=DESCRIPTION,
        epilog=MANUAL,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="settings, as YAML or .properties"
    )
    parser.add_argument("--host", help="address to listen on (server.address; all of them)")
    parser.add_argument("--port", type=_port, help="port to listen on (server.port; 8761)")
    parser.add_argument(
        "--log-format",
        choices=("text", "json"),
        help="lines for people or JSON for programs (eureka.server.logFormat; text)",
    )
    parser.add_argument(
        "--speed",
        type=_speed,
        default=1.0,
        metavar="N",
        help="registry seconds in a real second, for tests (1)",
    )
    parser.add_argument(
        "--epoch",
        type=float,
        metavar="UNIX_SECONDS",
        help="the real moment at which registry time was real time; one for all nodes (now)",
    )
    parser.add_argument(
        "--check-config",
        action="store_true",
        help="print the effective settings and where each comes from, and end",
    )
    parser.add_argument("--version", action="version", version=f"eureka-server {__version__}")
    return parser


def _port(value: str) -> int:
    if not value.isdecimal() or int(value) > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"must be a port from 0 to 65535, but is '{value}'")
    return int(value)


def _speed(value: str) -> float:
    try:
        speed = float(value)
    except ValueError:
        speed = 0.0
    if not 0 < speed <= FASTEST:
        raise argparse.ArgumentTypeError(
            f"must be a number above 0, at most {FASTEST:.0f}, but is '{value}'"
        )
    return speed


if __name__ == "__main__":
    sys.exit(main())
