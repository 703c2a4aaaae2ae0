"""A storm as its report tells it, every figure invented."""

from __future__ import annotations

from typing import Any

from eureka_tck.fleet.finding import Finding
from eureka_tck.fleet.sighting import Deed, Delay, Pulse, Sample, Size
from eureka_tck.fleet.storm import Storm
from eureka_tck.fleet.tally import Tally
from eureka_tck.report.load_report import LoadReport
from eureka_tck.report.model import Machine

STORM = Storm(name="steady", story="A day.", instances=1000, minutes=1, nodes=2)
EARLY, LATE = STORM.arrive_over + 1, STORM.length - STORM.settle
MIB = 2**20


def stormed(**changes: Any) -> LoadReport:  # noqa: ANN401 - fields of a report
    """
    Return a storm of 1,000 instances on two nodes, with some fields changed.

    In its minute 2,000 renewals were acknowledged; each node used 2 s of a core for them, the
    generator 0.4 s, and each node grew by 10 MiB.
    """
    samples = [
        Sample(at, node, cpu, memory * MIB, 1700, renewals, acknowledged, 1000)
        for at, cpu, memory, renewals, acknowledged in (
            (EARLY, 1.0, 60, 0, 100),
            (LATE, 3.0, 70, 2000, 2100),
        )
        for node in "ab"
    ]
    halfway = (EARLY + LATE) / 2
    pulses = [
        Pulse(began=began, at=at, sent=1000, late=10, missed=missed, acknowledged=count,
              failures=0, median_ms=1.0, p99_ms=p99, worst_ms=1900.0, generator_cpu=cpu)
        for began, at, count, missed, p99, cpu in (
            (EARLY, EARLY + 1, 100, 0, 4.0, 1.0),
            (EARLY + 1, halfway, 1000, 3, 700.0, 1.2),
            (halfway, LATE, 1000, 0, 5.0, 1.4),
        )
    ]  # fmt: skip
    whole: dict[str, Any] = {
        "target": "python",
        "backend": "process",
        "speed": 1.0,
        "seed": 7,
        "started": "20261130T120000Z",
        "command": "eureka-tck load --storm steady",
        "machine": Machine(system="Linux", cores=2, memory_bytes=2**34, load=0.5),
        "versions": {"Python": "3.11"},
        "storm": STORM,
        "processes": 1,
        "elsewhere": False,
        "bulk": False,
        "exit_code": 0,
        "sentence": "All was met.",
        "budgets": (Finding("errors", "share that failed", "at most 0.001", "0", "met"),),
        "measures": {"errors": 0.0, "replication_p99_ms": 600.0},
        "bounds": {"renew_p99_ms": 500.0, "errors": 0.001},
        "fleet": Tally(
            instances=1000,
            workers=1,
            acknowledged=2100,
            intended_us={"PUT renew": {1_000: 2000, 1_900_000: 100}},
            reported_us={"PUT renew": {1_000: 2100}},
        ),
        "samples": tuple(samples),
        "pulses": tuple(pulses),
        "delays": (Delay(12.0, 600.0, True), Delay(14.0, 30_000.0, False)),
        "deeds": (Deed(20.0, 40.0, "node b killed"),),
        "empty": {"a": 50 * MIB, "b": 50 * MIB},
        "sizes": {"PUT renew": Size(150, 100), "GET delta": Size(120, 900)},
    }
    return LoadReport(**{**whole, **changes})
