"""
A whole cluster of registry cores in one process, under a simulated network and simulated clocks.

A seed becomes a schedule (`schedule`), the world plays it (`world`, `network`, `station`,
`client`), what happens is recorded (`record`) and judged afterwards (`judgement`). Nothing is
real: no socket, no wait, no clock, so a failing seed fails again in just the same way.

    python -m tests.simulation --seeds 1-1000     play many, say how fast
    python -m tests.simulation --seed 17          play one, print its schedule and what happened
    python -m tests.simulation --schedule F.json  play one that was written down
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import process_time

import msgspec

from tests.simulation.run import play, play_seed
from tests.simulation.schedule import Schedule, draw


def main() -> int:
    """Play what the command line says; 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--seed", type=int)
    choice.add_argument("--seeds", metavar="FIRST-LAST")
    choice.add_argument("--schedule", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    if arguments.seeds is not None:
        first, _, last = arguments.seeds.partition("-")
        return _many(range(int(first), int(last or first) + 1))
    if arguments.seed is not None:
        return _one(draw(arguments.seed))
    return _one(msgspec.json.decode(arguments.schedule.read_bytes(), type=Schedule))


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
