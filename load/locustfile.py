"""
The fleet, for Locust: `locust -f load/locustfile.py --host http://127.0.0.1:8761 --storm steady`.

Locust's ordinary options all work, `--processes`, `--master` and `--worker` too: the fleet is
divided among the workers. `eureka-tck load` starts registries and calls this.
"""

from __future__ import annotations

import logging
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import gevent
from locust import events
from locust.runners import MasterRunner, WorkerRunner

from eureka_tck.errors import CannotRun
from eureka_tck.fleet.division import END, LEFT, MESSAGE, Division
from eureka_tck.fleet.storm import load_storm, resized
from eureka_tck.fleet.tally import Tally
from eureka_tck.fleet.user import WRITE_EVERY, FleetUser, StormShape, stop_gently
from eureka_tck.targets.near import admitted

if TYPE_CHECKING:
    from typing import Any

    from locust.argument_parser import LocustArgumentParser
    from locust.env import Environment

STORMS = Path(__file__).parent / "storms"


class Fleet(FleetUser):
    """The one user class of this file: a whole fleet."""


class Shape(StormShape):
    """Its shape: as long as the storm lasts."""


@events.init_command_line_parser.add_listener  # type: ignore[untyped-decorator] # Locust leaves it so
def add_arguments(parser: LocustArgumentParser) -> None:
    """Add what a storm needs to Locust's own options."""
    parser.add_argument("--storm", default="steady", help="a name from load/storms, or a file")
    parser.add_argument(
        "--instances", type=int, default=0, help="size of the fleet; 0: the storm's"
    )
    parser.add_argument("--minutes", type=float, default=0.0, help="its length; 0: the storm's")
    parser.add_argument(
        "--tally", default="", help="file for the counts of intended sends", include_in_web_ui=False
    )
    parser.add_argument(
        "--settle",
        type=float,
        default=0.0,
        help="seconds at its end in which nothing happens; 0: the storm's",
        include_in_web_ui=False,
    )
    parser.add_argument("--nodes", default="", help="roots of a cluster's nodes, comma-separated")
    parser.add_argument(
        "--bulk", action="store_true", help="enter requests into the statistics in bulk, no events"
    )
    parser.add_argument(
        "--i-own-this-target",
        action="store_true",
        help="storm a registry beyond this machine and its containers",
        include_in_web_ui=False,
    )


@events.init.add_listener  # type: ignore[untyped-decorator] # the same
def prepare(environment: Environment, **_: Any) -> None:  # noqa: ANN401 - Locust passes any
    """Read the storm before any shape ticks, and listen to master or workers."""
    FleetUser.division = StormShape.division = division = Division(environment)
    options = environment.parsed_options
    assert options is not None, "Locust parses its options before it prepares"  # noqa: S101
    FleetUser.tally_file = Path(options.tally) if options.tally else None
    FleetUser.owned = options.i_own_this_target
    # A storm has no number of users to ask for; without the web UI --run-time may still end it.
    StormShape.use_common_options = environment.web_ui is None
    try:
        choose(environment)
        if headless(environment):
            refuse_nobody()
    except CannotRun as refused:  # an Exception would only be logged
        raise SystemExit(f"eureka-tck: {refused}") from None
    if headless(environment):
        # Locust listens to SIGTERM only once a shape has ended: the fleet would not leave.
        gevent.signal_handler(signal.SIGTERM, StormShape.end)
    if isinstance(environment.runner, WorkerRunner):
        environment.runner.register_message(
            MESSAGE,
            lambda environment, msg, **_: division.told(msg),  # noqa: ARG005 - Locust's names
        )
        environment.runner.register_message(END, lambda **_: leave(division))
        environment.events.report_to_master.add_listener(report)  # type: ignore[no-untyped-call] # the same
    if isinstance(environment.runner, MasterRunner):
        environment.runner.register_message(
            LEFT,
            lambda environment, msg, **_: division.told_left(msg.node_id, msg.data),  # noqa: ARG005 - Locust's names
        )
        environment.events.worker_report.add_listener(  # type: ignore[no-untyped-call] # the same
            lambda client_id, data, **_: division.reported(client_id, data)
        )
        gevent.spawn(write_all, division)


@events.test_start.add_listener  # type: ignore[untyped-decorator] # the same
def begin(environment: Environment, **_: Any) -> None:  # noqa: ANN401 - the same
    """Take what the web UI may have changed, and begin."""
    FleetUser.stopping = StormShape.refused = False
    FleetUser.last = None
    if not isinstance(environment.runner, WorkerRunner) and environment.parsed_options is not None:
        # Whoever reaches the web UI may choose a storm, and not whom it may hit; workers are told.
        environment.parsed_options.i_own_this_target = FleetUser.owned
    try:
        choose(environment)
        refuse_nobody()
    except CannotRun as refused:
        logging.getLogger(__name__).error("%s", refused)  # noqa: TRY400 - the sentence says it all
        FleetUser.stopping = StormShape.refused = True
        return
    FleetUser.division.begin(FleetUser.storm.instances)


@events.quitting.add_listener  # type: ignore[untyped-decorator] # the same
def write_the_last(**_: Any) -> None:  # noqa: ANN401 - the same
    """Write the workers' last counts, which came with their end."""
    write(FleetUser.division)


@events.test_stopping.add_listener  # type: ignore[untyped-decorator] # the same
def end(environment: Environment, **_: Any) -> None:  # noqa: ANN401 - the same
    """Let the fleet leave."""
    stop_gently(environment)
    FleetUser.division.end()
    if FleetUser.division.is_master:
        FleetUser.division.leave()


def leave(division: Division) -> None:
    """Let this worker's fleet leave; where there is none it has left."""
    FleetUser.stopping = True
    if FleetUser.fleet is None:
        division.left(FleetUser.last or Tally())


def choose(environment: Environment) -> None:
    """Give user and shape the storm of the options, and refuse what is not ours to storm."""
    options = environment.parsed_options
    assert options is not None, "Locust parses its options before a test starts"  # noqa: S101
    storm = load_storm(STORMS, options.storm)
    storm = resized(
        storm,
        int(options.instances) or None,
        float(options.minutes) or None,
        float(options.settle) or None,
    )
    roots = tuple(root for root in options.nodes.split(",") if root)
    FleetUser.nodes = roots or ((environment.host,) if environment.host else ())
    FleetUser.addresses = tuple(
        admitted(root, owned=options.i_own_this_target) for root in FleetUser.nodes
    )
    FleetUser.storm = StormShape.storm = storm
    FleetUser.bulk = options.bulk


def headless(environment: Environment) -> bool:
    """Say whether nobody can name a registry later, as in the web UI or as a master does."""
    options = environment.parsed_options
    is_worker = isinstance(environment.runner, WorkerRunner)
    return options is not None and bool(options.headless) and not is_worker


def refuse_nobody() -> None:
    """Refuse to begin without a registry."""
    if not FleetUser.nodes:
        raise CannotRun("no registry is named; say which with --host.")


def report(client_id: str, data: dict[str, Any], **_: Any) -> None:  # noqa: ANN401, ARG001 - Locust's
    """Let the tally travel with the worker's report."""
    if FleetUser.fleet is not None:
        FleetUser.last = FleetUser.fleet.counted()
    if FleetUser.last is not None:
        FleetUser.division.report(FleetUser.last, data)


def write_all(division: Division) -> None:
    """Write the workers' counts as one, all the time: nothing is lost when the master is ended."""
    while True:
        write(division)
        gevent.sleep(WRITE_EVERY)


def write(division: Division) -> None:
    """Write the workers' counts as one, where there are workers."""
    if FleetUser.tally_file is not None and division.tallies:
        division.write(FleetUser.tally_file, division.whole())
