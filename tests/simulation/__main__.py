"""
A whole cluster of registry cores in one process, under a simulated network and simulated clocks.

A seed becomes a schedule (`schedule`), the world plays it (`world`, `network`, `station`,
`client`), what happens is recorded (`record`) and judged afterwards (`judgement`). Nothing is
real: no socket, no wait, no clock, so a failing seed fails again in just the same way.

    python -m tests.simulation --seeds 1-1000     play many, say how fast
    python -m tests.simulation --seed 17          play one, print its schedule and what happened
    python -m tests.simulation --schedule F.json  play one that was written down

The same worlds play the judge's scenarios, whose promises judge them (`drama`, `damage`, `night`):

    python -m tests.simulation --scenarios --seeds 1-100           chaos/scenarios, a hundred times
    python -m tests.simulation --scenarios cancel-lost --seed 3    one of them
    python -m tests.simulation --explore --seeds 1-1000            as `eureka-tck chaos --explore`
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import msgspec

from tests.simulation.night import ALL, play_drawn, play_written
from tests.simulation.run import play, play_seed
from tests.simulation.schedule import Schedule, draw

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(given: Sequence[str] | None = None) -> int:
    """Play what the command line says; 1 if a promise was broken."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--seed", type=int)
    which.add_argument("--seeds", type=_seeds, metavar="FIRST-LAST")
    which.add_argument("--schedule", type=Path, metavar="FILE")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--scenarios", nargs="?", const=ALL, metavar="NAME,…", help="of the judge")
    what.add_argument("--explore", action="store_true", help="scenarios that nobody wrote")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keeps the histories that break")
    arguments = parser.parse_args(given)
    if arguments.schedule is not None:
        return _one(msgspec.json.decode(arguments.schedule.read_bytes(), type=Schedule))
    seeds = arguments.seeds or range(arguments.seed, arguments.seed + 1)
    if arguments.scenarios:
        return play_written(arguments.scenarios, seeds, arguments.out)
    if arguments.explore:
        return play_drawn(seeds, arguments.out)
    return _many(seeds) if arguments.seeds else _one(draw(arguments.seed))


def _seeds(text: str) -> range:
    """Read `17`, or the first and the last as `1-1000`."""
    first, _, last = text.partition("-")
    if first.isdecimal() and (last or first).isdecimal() and int(last or first) >= int(first):
        return range(int(first), int(last or first) + 1)
    raise argparse.ArgumentTypeError(f"{text!r} is no seed and no range such as 1-1000")


def _many(seeds: range) -> int:
    began = process_time()
    instances = nodes = failed = 0
    hours = 0.0
    for seed in seeds:
        outcome = play_seed(seed)
        nodes += len(outcome.schedule.nodes)
        instances += len(outcome.schedule.members)
        hours += outcome.seconds / 3600
        if outcome.broken:
            failed += 1
            sys.stdout.write(f"seed {seed}: {outcome.broken[0]}\n")
    took = process_time() - began
    count = len(seeds)
    sys.stdout.write(
        f"{count} schedules, {failed} with a broken promise; on average {nodes / count:.1f} nodes "
        f"and {instances / count:.1f} instances; {hours:.1f} registry hours in {took:.1f} s of "
        f"processor time: {hours / took * 60:.0f} a minute\n"
    )
    return 1 if failed else 0


def _one(schedule: Schedule) -> int:
    written = msgspec.json.format(msgspec.json.encode(schedule), indent=1)
    sys.stdout.write(f"{written.decode()}\n")
    outcome = play(schedule)
    for event in outcome.record:
        sys.stdout.write(f"{msgspec.json.encode(event).decode()}\n")
    for sentence in outcome.broken:
        sys.stdout.write(f"BROKEN: {sentence}\n")
    sys.stdout.write(f"{len(outcome.broken)} promises broken\n")
    return 1 if outcome.broken else 0


if __name__ == "__main__":
    sys.exit(main())
