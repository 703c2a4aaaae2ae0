"""
The fleet, for Locust: `locust -f load/locustfile.py --host http://127.0.0.1:8761 --storm steady`.

Locust's ordinary options all work; `eureka-tck load` starts a registry and calls this.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from locust import events

from eureka_tck.fleet.storm import checked, load_storm
from eureka_tck.fleet.user import FleetUser

if TYPE_CHECKING:
    from typing import Any

    from locust.argument_parser import LocustArgumentParser
    from locust.env import Environment

STORMS = Path(__file__).parent / "storms"


class Fleet(FleetUser):
    """The one user class of this file: a whole fleet."""


@events.init_command_line_parser.add_listener  # type: ignore[untyped-decorator] # Locust leaves it so
def add_arguments(parser: LocustArgumentParser) -> None:
    """Add what a storm needs to Locust's own options."""
    parser.add_argument("--storm", default="steady", help="a name from load/storms")
    parser.add_argument(
        "--instances", type=int, default=0, help="size of the fleet; 0: the storm's"
    )
    parser.add_argument("--tally", default="", help="file for the counts of intended sends")


@events.test_start.add_listener  # type: ignore[untyped-decorator] # the same
def choose_storm(environment: Environment, **_: Any) -> None:  # noqa: ANN401 - Locust passes any
    """Give the fleet its storm before any user starts."""
    options = environment.parsed_options
    assert options is not None, "Locust parses its options before a test starts"  # noqa: S101
    storm = load_storm(STORMS, options.storm)
    if options.instances:
        storm = msgspec.structs.replace(
            storm,
            instances=options.instances,
            applications=min(storm.applications, options.instances),
        )
    Fleet.storm = checked(storm, "the command line")
    Fleet.tally_file = Path(options.tally) if options.tally else None
