"""
What a fleet of another size would take, computed from a finished storm's report. Pure.

Nothing here is measured: costs of that run times the renewals of the larger fleet. It is linear, so
what begins at a size only (a queue, a full core, a collector's pause) is not in it; a run of half
the size says more. A node that is asked for more than its cores does not carry it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.fleet.finding import SATURATED
from eureka_tck.report import load_cost
from eureka_tck.report.figures import size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka_tck.report.load_report import LoadReport

SIZES: Final = (100_000, 1_000_000)
"""Fleets that are projected unless others are asked for."""
EVERY: Final = 30.0
"""Seconds between two renewals of a client (leaseRenewalIntervalInSeconds, its default)."""
BUSY: Final = 0.2
"""Share of a core below which most of what a node uses is not for renewals."""
BATCH: Final = 250
"""Tasks of replication in a batch at most (eureka-core 2.0.6, PeerEurekaNode)."""
BATCHES_A_SECOND: Final = 2
"""A batch that is not full leaves after 500 ms (eureka-core 2.0.6, PeerEurekaNode)."""
TASK: Final = len(
    '{"appName":"FLEET-000","id":"fleet-0000000","lastDirtyTimestamp":1700000000000,'
    '"status":"UP","action":"Heartbeat"},'
)
"""Bytes of a renewal in a batch, as java:5.0.3 was seen to send one; heads not counted."""
BITS: Final = 8


@dataclass(frozen=True, slots=True)
class Costs:
    """
    What a storm measured, as far as it did: seconds and bytes, for one renewal or instance.

    `node` are processor seconds of all nodes together, `worker` those of the generator, for each
    renewal with its share of all else that was sent. `empty` and `instance` are bytes of one node.
    `renewal` and `full` are bytes on the network, request and answer; `full` of `instances`.
    """

    instances: int
    nodes: int
    node: float | None
    worker: float | None
    empty: float | None
    instance: float | None
    renewal: int | None
    full: int | None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the projection: what, of each size, and how it is computed; None: not measured."""

    name: str
    values: tuple[str, ...]
    how: str


def costs_of(report: LoadReport) -> Costs:
    """Return what a storm measured."""
    sizes = report.sizes
    renewal, full = sizes.get("PUT renew"), sizes.get("GET apps")
    empty, instance = _memory(report)
    return Costs(
        instances=report.storm.instances,
        nodes=report.storm.nodes,
        node=load_cost.nodes(report),
        worker=load_cost.generator(report),
        empty=empty,
        instance=instance,
        renewal=renewal.request + renewal.answer if renewal else None,
        full=full.request + full.answer if full else None,
    )


def projected(costs: Costs, sizes: Sequence[int], every: float = EVERY) -> list[Line]:
    """Return the projection for fleets of those sizes, on as many nodes as were measured."""
    peers = costs.nodes - 1
    rates = [count / every for count in sizes]
    lines = [
        Line("instances", tuple(f"{count:,}" for count in sizes), "asked for"),
        Line(
            "times what was measured",
            tuple(f"{count / costs.instances:,.3g}" for count in sizes),
            f"{costs.instances:,} instances were",
        ),
        Line(
            "renewals a second",
            tuple(f"{rate:,.0f}" for rate in rates),
            f"instances / {every:g} s",
        ),
        Line(
            f"cores of {'the node' if costs.nodes == 1 else 'each node'}",
            tuple(_cores(costs.node, rate, costs.nodes) for rate in rates),
            _micro(costs.node, "of all nodes together"),
        ),
        Line(
            "memory of a node",
            tuple(_held(costs, count) for count in sizes),
            "not measured"
            if costs.instance is None or costs.empty is None
            else f"{size(round(costs.empty))} empty, {costs.instance:,.0f} bytes an instance",
        ),
        Line(
            "network, renewals of clients",
            tuple(_network(costs.renewal, rate) for rate in rates),
            "not measured"
            if costs.renewal is None
            else f"{costs.renewal} bytes each, heads and answer; no TCP",
        ),
        Line(
            "a full list, compressed",
            tuple(_list(costs, count) for count in sizes),
            "grows with the fleet; each client reads it once, then changes",
        ),
        Line(
            "replication sent by a node",
            tuple(
                _network(TASK * peers, rate / costs.nodes) if peers else "none" for rate in rates
            ),
            f"to {peers} peer(s), {TASK} bytes a renewal by the form of a batch",
        ),
        Line(
            "batches a node receives a second",
            tuple(_batches(rate / costs.nodes, peers) for rate in rates),
            f"{BATCH} renewals each, or one every 500 ms from each peer",
        ),
        Line(
            "workers to storm it with",
            tuple(_workers(costs.worker, rate) for rate in rates),
            f"{_micro(costs.worker, 'of the generator')}; a core each, {SATURATED:.0%} busy",
        ),
    ]
    return [line for line in lines if peers or not line.name.startswith(("replication", "batches"))]


def fan_out(one: Costs, other: Costs) -> float | None:
    """
    Return the processor seconds that one more peer costs a renewal, by two runs.

    None where both had as many nodes, where a cost was not measured, or where the larger cluster
    was no dearer: then chance was larger than the cost.
    """
    few, many = sorted((one, other), key=lambda costs: costs.nodes)
    if few.nodes == many.nodes or few.node is None or many.node is None:
        return None
    each = (many.node - few.node) / (many.nodes - few.nodes)
    return each if each > 0 else None


def text(report: LoadReport, sizes: Sequence[int], every: float = EVERY) -> str:
    """Return the projection from a run, for a terminal, with where every figure comes from."""
    storm, machine, tally = report.storm, report.machine, report.fleet
    costs = costs_of(report)
    lines = projected(costs, sizes, every)
    width = max(len(line.name) for line in lines)
    columns = [max(len(line.values[n]) for line in lines) for n in range(len(sizes))]
    rows = [
        f"  {line.name:<{width}}  "
        + "  ".join(value.rjust(wide) for value, wide in zip(line.values, columns, strict=True))
        + f"   {line.how}"
        for line in lines
    ]
    done = max(1, tally.acknowledged)
    origin = (
        f"Computed, not measured: from {storm.name} on {report.target}, {report.started}, "
        f"{storm.instances:,} instances, {storm.nodes} node(s), {report.backend}, "
        f"{machine.cores} cores."
    )
    mix = (
        f"As in that run, each renewal brings {tally.reads / done:.3g} reads of lists and "
        f"{tally.audited / done:.3g} reads of instances. Linear: what begins at a size only is "
        "not in it."
    )
    return "\n".join([origin, mix, *_doubt(report, costs), "", *rows])


def _doubt(report: LoadReport, costs: Costs) -> list[str]:
    """Warn of a run in which the nodes had little to do."""
    if costs.node is None:
        return []
    share = costs.node * report.storm.instances / report.storm.renewal_interval / costs.nodes
    if share >= BUSY:
        return []
    doubt = (
        f"A node used {share:.0%} of a core then: much of that is not for renewals, so the cores "
        "are too many. Compute from a run that keeps the nodes busy, with a short renewal_interval."
    )
    return [doubt]


def _memory(report: LoadReport) -> tuple[float | None, float | None]:
    """Return the bytes of an empty node, and of an instance in it: means over the nodes."""
    empty, each = [], []
    for name in report.nodes:
        own = [one for one in report.of_node(name) if load_cost.is_steady(report, one.at, one.at)]
        before = report.empty.get(name, 0)
        if not own or not before or not own[-1].registered:
            return None, None
        empty.append(before)
        each.append((own[-1].memory - before) / own[-1].registered)
    if not each or sum(each) <= 0:
        return None, None
    return sum(empty) / len(empty), sum(each) / len(each)


def _cores(cost: float | None, rate: float, nodes: int) -> str:
    return "–" if cost is None else f"{cost * rate / nodes:.3g}"


def _micro(cost: float | None, whose: str) -> str:
    return "not measured" if cost is None else f"{cost * 1e6:,.0f} µs {whose} a renewal"


def _held(costs: Costs, count: int) -> str:
    if costs.empty is None or costs.instance is None:
        return "–"
    return size(round(costs.empty + costs.instance * count))


def _network(each: int | None, rate: float) -> str:
    return "–" if each is None else f"{each * rate * BITS / 1e6:,.3g} Mbit/s"


def _list(costs: Costs, count: int) -> str:
    return "–" if costs.full is None else size(round(costs.full * count / costs.instances))


def _batches(rate: float, peers: int) -> str:
    return f"{peers * max(rate / BATCH, BATCHES_A_SECOND):,.3g}"


def _workers(cost: float | None, rate: float) -> str:
    return "–" if cost is None else f"{max(1, math.ceil(cost * rate / SATURATED)):,}"
