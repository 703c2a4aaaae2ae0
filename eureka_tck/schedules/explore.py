"""
Scenarios that nobody wrote: a seed draws the cluster, the faults and who uses it meanwhile.

At most one fault of links and one of nodes, the second later than the first is proven: two that
touch the same thing would undo each other, and a probe needs nodes that answer.
No peer drops tasks here and says that they were done: a change of metadata that is lost so cannot
be known of by anybody.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from eureka_tck.promises import PROMISES
from eureka_tck.schedules import fault, workload
from eureka_tck.schedules.scenario import Budgets, Lasts, Scenario

if TYPE_CHECKING:
    from collections.abc import Callable

NAME: Final = "drawn"

SETTINGS: Final[dict[str, str | int | float]] = {
    "eureka.server.renewalPercentThreshold": 0.85,
    "eureka.server.expectedClientRenewalIntervalSeconds": 10,
    "eureka.server.evictionIntervalTimerInMs": 7000,
    "eureka.server.peerNodeReadTimeoutMs": 3000,
    "eureka.server.peerNodeConnectTimeoutMs": 3000,
    "eureka.server.peerEurekaNodesUpdateIntervalMs": 5000,
    "management.endpoints.web.exposure.include": "refresh",  # Spring reads them when told to
    "eureka.instance.registry.defaultOpenForTrafficCount": 1,
}
"""Those of the written scenarios, whose `why` gives the reasons."""

LONGEST: Final = 45.0
"""s a fault lasts at most; leases of the fleet live 2·60 s, so that nobody has to be evicted."""

LATER: Final = (20.0, 30.0)
"""When a fault of nodes begins: the proof of one of links takes 12 s at most."""


def explore(seed: int) -> Scenario:
    """Return the scenario of a seed, the same every time."""
    chance = random.Random(f"explore/{seed}")
    nodes = chance.choice((2, 3, 3, 4))
    faults = _faults(chance, nodes)
    return Scenario(
        name=NAME,
        title=", and ".join(_said(one) for one in faults),
        why=(
            "Drawn from a seed, to meet what nobody thought of. The fleet's leases live longer "
            "than any fault, so that nothing living may go; what is not put to the test in such a "
            "run is inconclusive in it, and says nothing."
        ),
        nodes=nodes,
        max_speed=10,
        promises=tuple(PROMISES),
        workload=_workloads(chance),
        fault=faults,
        budgets=Budgets(settling=60, recovering=120),
        lasts=Lasts(breaking=60, recovering=35),
        settings={**SETTINGS, "eureka.server.enableSelfPreservation": chance.random() < 1 / 2},
    )


def _said(one: fault.Fault) -> str:
    kind = str(one.__struct_config__.tag)
    detail = getattr(one, "shape", None) or getattr(one, "toxic", None) or getattr(one, "lie", "")
    return f"{kind} {detail}".strip() + f" for {one.lasts:g} s"


def _faults(chance: random.Random, nodes: int) -> tuple[fault.Fault, ...]:
    of_links, of_nodes = _of_links(chance, nodes), _of_nodes(chance)
    which = chance.choice(("links", "nodes", "both"))
    return {"links": (of_links,), "nodes": (of_nodes,), "both": (of_links, of_nodes)}[which]


def _lasts(chance: random.Random) -> float:
    return round(chance.uniform(12, LONGEST), 1)


def _of_links(chance: random.Random, nodes: int) -> fault.Fault:
    at, lasts = round(chance.uniform(2, 6), 1), _lasts(chance)
    shapes = ["one", "halves", *(["bridge"] if nodes > 2 else []), *(["ring"] if nodes > 3 else [])]  # noqa: PLR2004 - what a shape needs
    ways: tuple[fault.Direction, ...] = ("both", "both", "in", "out")
    kinds: tuple[Callable[[], fault.Fault], ...] = (
        lambda: fault.Partition(
            name="cut",
            at=at,
            lasts=lasts,
            shape=chance.choice(shapes),  # type: ignore[arg-type] # the list holds shapes alone
            direction=chance.choice(ways),
        ),
        lambda: fault.Poison(
            name="latency",
            at=at,
            lasts=lasts,
            toxic="latency",
            stream=chance.choice(("requests", "answers")),
            delay=round(chance.uniform(1, 5), 1),
            jitter=0.3,
        ),
        lambda: fault.Poison(name="hole", at=at, lasts=lasts, toxic="timeout", stream="requests"),
        lambda: fault.Poison(name="resets", at=at, lasts=lasts, toxic="reset"),
        lambda: fault.Poison(
            name="stumps", at=at, lasts=lasts, toxic="limit-data", bytes=chance.randint(1, 150)
        ),
        lambda: fault.Flapping(
            name="flaps", at=at, lasts=lasts, down=chance.randint(1, 7), up=chance.randint(1, 7)
        ),
        lambda: fault.WrongAnswers(
            name="liar",
            at=at,
            lasts=lasts,
            lie=chance.choice(("unavailable", "unknown")),
        ),
        lambda: fault.WrongPeers(name="typo", at=at, lasts=lasts),
    )
    return chance.choice(kinds)()


def _of_nodes(chance: random.Random) -> fault.Fault:
    at, lasts = round(chance.uniform(*LATER), 1), _lasts(chance)
    kinds: tuple[Callable[[], fault.Fault], ...] = (
        lambda: fault.Death(name="killed", at=at, lasts=lasts, how="kill"),
        lambda: fault.Death(name="stopped", at=at, lasts=lasts, how="stop"),
        lambda: fault.Pause(name="frozen", at=at, lasts=lasts),
        lambda: fault.Starvation(name="starved", at=at, lasts=lasts, share=0.3),
        lambda: fault.ClockShift(
            name="clock", at=at, lasts=lasts, jump=chance.choice((-60, -20, 30, 120))
        ),
    )
    return chance.choice(kinds)()


def _workloads(chance: random.Random) -> tuple[workload.Workload, ...]:
    def some(name: str, least: int, most: int) -> dict[str, object]:
        return {
            "name": name,
            "instances": chance.randint(least, most),
            "applications": chance.randint(1, 3),
            "lease": 60.0,
            "interval": 10.0,
        }

    fleet = some("fleet", 9, 24)
    steady: workload.Workload = (
        workload.SteadyRenewals(**fleet)  # type: ignore[arg-type] # `some` gives what each has
        if chance.random() < 1 / 2
        else workload.FailoverRenewals(**fleet)  # type: ignore[arg-type] # the same
    )
    kinds: list[Callable[[], workload.Workload]] = [
        lambda: workload.Leaving(
            **some("leavers", 2, 6),  # type: ignore[arg-type] # the same
            leaves=5.0,
            spread=40.0,
        ),
        lambda: workload.Churn(
            **some("churning", 2, 6),  # type: ignore[arg-type] # the same
            leaves=4.0,
            spread=15.0,
            away=8.0,
            stays=12.0,
            times=2,
        ),
        lambda: workload.Redeploy(
            **some("redeployed", 2, 6),  # type: ignore[arg-type] # the same
            leaves=6.0,
            every=8.0,
            away=5.0,
        ),
        lambda: workload.Moving(
            **some("nomads", 2, 6),  # type: ignore[arg-type] # the same
            moves=8.0,
            spread=30.0,
        ),
        lambda: workload.Overrides(
            **some("repaired", 2, 4),  # type: ignore[arg-type] # the same
            begins=8.0,
            every=20.0,
            changes=chance.randint(1, 2),
        ),
        lambda: workload.MetadataChanges(
            **some("changing", 2, 4),  # type: ignore[arg-type] # the same
            begins=6.0,
            every=9.0,
            changes=4,
        ),
        lambda: workload.Readers(name="readers", clients=2, every=5.0),
    ]
    return (steady, *(kind() for kind in chance.sample(kinds, 3)))
