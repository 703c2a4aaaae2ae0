"""
What a registry must keep during a storm, as data (`load/budgets.toml`), and what each line means.

A budget is the largest value of a measurement that is still good. Reading is strict.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from eureka_tck.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Bounds: TypeAlias = dict[str, float]
"""The largest good value of each measurement that is judged, by its name."""

Kind: TypeAlias = Literal["pace", "answers", "right", "alive", "cost", "machine"]
"""
`pace` and `alive` need a generator that was on time; `right` holds whoever was late.
What breaks a budget of the `machine` makes the storm inconclusive, and blames nobody for the pace.
"""

ANY: Final = "any"
LARGEST: Final = 1e12


@dataclass(frozen=True, slots=True)
class Metric:
    """One measurement: what its budget demands in a sentence, its unit, what kind it is of."""

    sentence: str
    unit: str
    kind: Kind


METRICS: Final[Mapping[str, Metric]] = {
    "renew_p99_ms": Metric("p99 of renewals, from the intended time", "ms", "pace"),
    "renew_p999_ms": Metric("p99.9 of renewals, from the intended time", "ms", "pace"),
    "register_p99_ms": Metric("p99 of registrations, from the intended time", "ms", "pace"),
    "delta_p99_ms": Metric("p99 of GET /apps/delta", "ms", "pace"),
    "full_p99_ms": Metric("p99 of GET /apps", "ms", "pace"),
    "replication_p99_ms": Metric("p99 of the delay of a change to a peer", "ms", "pace"),
    "errors": Metric("share of requests not answered as they should be", "", "alive"),
    "missed": Metric("renewals never sent, the one before being unanswered", "", "pace"),
    "late": Metric("share of renewals sent over 100 ms late", "", "pace"),
    "unregistered": Metric("instances whose registration was never answered 204", "", "right"),
    "lost_renewals": Metric("acknowledged renewals that did not move the lease", "", "right"),
    "evicted_live": Metric("renewals answered 404 within the instance's lease", "", "alive"),
    "listing_off": Metric("instances listed too few or too many", "", "alive"),
    "hash_off": Metric("nodes whose hash is not the fleet's", "", "alive"),
    "threshold_off": Metric("how far the threshold is from the computed one", "", "alive"),
    "leftover": Metric("instances still listed once all have cancelled", "", "right"),
    "others": Metric("share of the machine's processors that others used", "", "machine"),
    "memory_growth_mib": Metric(
        "growth of a node's memory while the fleet renews, lists apart", "MiB", "cost"
    ),
}


def load_bounds(file: Path, family: str, storm: str) -> Bounds:
    """Return what that kind of target has to keep in that storm; the narrower table wins."""
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{file}: cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: is not TOML: {error}.") from error
    _check(raw, file)
    bounds: dict[str, float | bool] = {}
    for target, name in ((ANY, ANY), (family, ANY), (ANY, storm), (family, storm)):
        bounds |= raw.get(target, {}).get(name, {})
    found = {name: float(bound) for name, bound in bounds.items() if bound is not False}
    if not found:
        raise SettingsError(f"{file}: holds no budget for {family}.{storm}.")
    return found


def _check(raw: Mapping[str, object], file: Path) -> None:
    for target, tables in raw.items():
        if not isinstance(tables, dict):
            raise SettingsError(f"{file}: {target} is {tables!r}; it must hold tables by storm.")
        for storm, table in tables.items():
            where = f"{target}.{storm}"
            if not isinstance(table, dict):
                raise SettingsError(f"{file}: {where} is {table!r}; it must be a table.")
            for name, bound in table.items():
                if name not in METRICS:
                    raise SettingsError(
                        f"{file}: {where} has no budget {name}; there are {', '.join(METRICS)}."
                    )
                good = bound is False or (type(bound) in (int, float) and 0 <= bound < LARGEST)
                if not good:
                    raise SettingsError(
                        f"{file}: {where}.{name} is {bound!r}; "
                        "it must be a number of at least 0, or false."
                    )
