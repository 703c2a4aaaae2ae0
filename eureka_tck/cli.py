"""
The command `eureka-tck`: finds the subcommand, runs it, turns what stopped it into an exit code.

3 could not run, 130 stopped by Ctrl-C, 143 by SIGTERM; the others are the subcommands' own.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import traceback
from typing import TYPE_CHECKING, Final

from eureka_tck import __version__
from eureka_tck.commands.console import COULD_NOT_RUN, STOPPED, Parser, harmless
from eureka_tck.errors import CannotRun
from eureka_tck.signals import ToldToEnd, heeded

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS: Final = {
    "gate": "judge a registry, requirement by requirement",
    "chaos": "break network, processes and clocks, and judge what survives",
    "load": "storm a registry with renewals, and judge it by budgets",
    "rejudge": "judge the history of a chaos run again",
    "compare": "two runs beside each other, or two registries asked the same",
    "catalogue": "print the requirements",
    "sweep": "remove what dead runs have left",
    "doctor": "say what this machine has, and how to bring what it lacks",
}
"""Modules of `eureka_tck.commands`; only the one that is asked for is imported."""

DESCRIPTION: Final = """\
Does a Eureka registry keep its promises?
eureka-tck starts a cluster of registries, asks them, breaks the network, the processes and the
clock between them, and reports requirement by requirement what held, with the evidence.
"""

EPILOG: Final = """\
first steps:
  eureka-tck gate                            judge the Python registry: about a minute, no Docker
  eureka-tck gate --target java:5.0.3        judge the Java reference
  eureka-tck doctor                          what this machine has, and what would bring the rest
  eureka-tck catalogue EVICT                 what is required of eviction
  eureka-tck COMMAND --help                  everything about a command

Exit codes: 0 kept, 1 broken, 2 inconclusive, 3 could not run.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        with heeded():
            parser = _parser(given[0] if given else "")
            arguments = parser.parse_args(given)
            arguments.argv = given
            code: int = arguments.run(arguments)
    except CannotRun as error:
        sys.stderr.write(f"eureka-tck: {harmless(str(error))}\n")
        return COULD_NOT_RUN
    except KeyboardInterrupt:
        return _stopped(STOPPED)
    except ToldToEnd as told:
        return _stopped(told.code)
    except BrokenPipeError:  # the reader of our output has gone, as in `… | head`
        sys.stderr.close()
        return COULD_NOT_RUN
    except Exception:  # noqa: BLE001 - exit code 1 would say that a row failed
        traceback.print_exc()
        sys.stderr.write("eureka-tck: this is a fault of eureka-tck itself, not of the target.\n")
        return COULD_NOT_RUN
    return code


def _stopped(code: int) -> int:
    sys.stderr.write("\neureka-tck: stopped; nothing is left running.\n")
    return code


def _parser(wanted: str) -> Parser:
    """Return the parser, with the options of the command that is wanted."""
    parser = Parser(
        prog="eureka-tck",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"eureka-tck {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, purpose in COMMANDS.items():
        if name == wanted:
            importlib.import_module(f"eureka_tck.commands.{name}").add_parser(subparsers)
        else:
            subparsers.add_parser(name, help=purpose)
    return parser


if __name__ == "__main__":
    sys.exit(main())
