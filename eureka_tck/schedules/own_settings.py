"""
A scenario on somebody's own settings: theirs win, and the story keeps its shape.

Clients renew, expire and read as the settings say; what happens after what must have had its time
(a lease to run out, a cache to be renewed) is put off as far as the settings are slower than the
scenario's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict, replace

from eureka_tck.promises.rules import LEASE_FACTOR, WINDOW, Rules
from eureka_tck.schedules.workload import Readers, Renewing, Workload

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.schedules.scenario import Scenario

LEASE: Final = "eureka.instance.leaseExpirationDurationInSeconds"
INTERVAL: Final = "eureka.instance.leaseRenewalIntervalInSeconds"
FETCH: Final = "eureka.client.registryFetchIntervalSeconds"

PUT_OFF: Final = ("at", "leaves", "moves", "begins")
"""Instants of a workload or fault that wait for what was before them."""


def on_own_settings(scenario: Scenario, own: Mapping[str, str]) -> Scenario:
    """Return the scenario as it is played on these settings; it must be one that yields to them."""
    settings = {**scenario.settings, **own}
    workloads = tuple(_on(workload, own) for workload in scenario.workload)
    changed = replace(scenario, settings=settings, workload=workloads)
    after = _slowest(changed, settings)
    factor = max(1.0, after / _slowest(scenario, scenario.settings))
    return replace(
        changed,
        workload=tuple(
            workload
            if workload.phase == "settling" and not _turns(workload)
            else _later(workload, factor)
            for workload in workloads
        ),
        fault=tuple(replace(fault, at=fault.at * factor) for fault in scenario.fault),
        budgets=replace(
            scenario.budgets,
            settling=max(scenario.budgets.settling, 3 * WINDOW + after),
            recovering=max(scenario.budgets.recovering, 3 * WINDOW + after),
        ),
    )


def _slowest(scenario: Scenario, settings: Mapping[str, object]) -> float:
    """Return how long the slowest thing takes: a death until the last client has heard of it."""
    rules = Rules.of({name: str(value) for name, value in settings.items()})
    leases = [one.lease for one in scenario.workload if isinstance(one, Renewing)]
    return (
        LEASE_FACTOR * max(leases, default=0.0)
        + rules.eviction_interval
        + rules.cache
        + rules.fetch
    )


def _on(workload: Workload, own: Mapping[str, str]) -> Workload:
    if isinstance(workload, Renewing):
        return replace(
            workload,
            lease=float(own.get(LEASE, workload.lease)),
            interval=float(own.get(INTERVAL, workload.interval)),
        )
    if isinstance(workload, Readers):
        return replace(workload, every=float(own.get(FETCH, workload.every)))
    return workload


def _turns(workload: Workload) -> bool:
    """Whether a workload of the first phase does something in the next one."""
    return any(name in asdict(workload) for name in PUT_OFF if name != "at")


def _later(workload: Workload, factor: float) -> Workload:
    fields = asdict(workload)
    names = [name for name in PUT_OFF if name in fields]
    if workload.phase == "settling":
        names = [name for name in names if name != "at"]
    return replace(workload, **{name: fields[name] * factor for name in names})
