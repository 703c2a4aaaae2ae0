"""
Who uses the registries while they are broken: each kind of workload as data, `[[workload]]`.

Instances join in the workload's `phase`; what they do beyond renewing begins with *breaking*, so
that it can be set against the faults. What plays a kind is in `workloads`.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from eureka_tck.schedules.fault import Name, Positive, Seconds

Phase: TypeAlias = Literal["settling", "breaking", "recovering"]
Count: TypeAlias = Annotated[int, Meta(ge=1)]


class Renewing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    Instances that register and then renew every `interval`, each at a home node of its own.

    They join at random instants of `at` to `at + over` (of `interval` unless told otherwise),
    counted from the phase's begin.
    """

    name: Name
    instances: Count
    lease: Positive
    interval: Positive
    applications: Count = 1
    phase: Phase = "settling"
    at: Seconds = 0.0
    over: Seconds | None = None


class SteadyRenewals(Renewing, frozen=True, kw_only=True, tag="steady-renewals", tag_field="kind"):
    """
    Instances that renew and do nothing else.

    It has reached what it is for when every node shows them all.
    """


class FailoverRenewals(
    Renewing, frozen=True, kw_only=True, tag="failover-renewals", tag_field="kind"
):
    """
    Instances whose client goes on to the next node when its own gives no answer, and stays there.

    It has reached what it is for when every node shows them all.
    """


class Leaving(Renewing, frozen=True, kw_only=True, tag="leaving", tag_field="kind"):
    """
    Instances that leave between `leaves` and `leaves + spread`, counted from *breaking*.

    `how`: "cancel" as a client does that shuts down, "silence" as one that is killed.
    From then on it has reached what it is for when they are gone from every node.
    """

    leaves: Seconds
    spread: Seconds = 0.0
    how: Literal["cancel", "silence"] = "cancel"


class Churn(Renewing, frozen=True, kw_only=True, tag="churn", tag_field="kind"):
    """
    Instances that cancel and register again, `times` times.

    They leave first between `leaves` and `leaves + spread`, counted from *breaking*, are away for
    `away` s and stay for `stays` s. It has reached what it is for when every node shows them all.
    """

    leaves: Seconds
    away: Positive
    stays: Positive
    spread: Seconds = 0.0
    times: Count = 1


class Redeploy(Renewing, frozen=True, kw_only=True, tag="redeploy", tag_field="kind"):
    """
    A rolling redeploy: one instance after the other cancels, is `away` s, and registers again.

    The first leaves `leaves` s after *breaking* began, each other one `every` s after the one
    before. It has reached what it is for when every node shows them all.
    """

    leaves: Seconds
    every: Positive
    away: Positive


class Moving(Renewing, frozen=True, kw_only=True, tag="moving", tag_field="kind"):
    """
    Instances whose client goes to another node between `moves` and `moves + spread` of *breaking*.

    It registers there, with a newer T, and renews there from then on. It has reached what it is for
    when every node shows them all alike.
    """

    moves: Seconds
    spread: Seconds = 0.0


class Overrides(Renewing, frozen=True, kw_only=True, tag="overrides", tag_field="kind"):
    """
    Instances whose status an operator sets to OUT_OF_SERVICE and frees again, `changes` times.

    The first change is `begins` s after *breaking* began, each other one `every` s after the one
    before; `by` "home" calls the instance's own node, "any" one that the seed chooses.
    It has reached what it is for when every node shows all alike.
    """

    begins: Seconds
    every: Positive
    changes: Count = 1
    by: Literal["home", "any"] = "home"


class MetadataChanges(
    Renewing, frozen=True, kw_only=True, tag="metadata-changes", tag_field="kind"
):
    """Instances whose metadata is changed, at their own node; the rest is as of `Overrides`."""

    begins: Seconds
    every: Positive
    changes: Count = 1


class Abandoned(
    Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag="abandoned",
    tag_field="kind",
):
    """
    Instances that register at one node and never renew: the control of all that must stay.

    It has reached what it is for when they are gone from every node.
    """

    name: Name
    lease: Positive
    instances: Count = 1
    phase: Phase = "settling"
    at: Seconds = 0.0


class Readers(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="readers", tag_field="kind"
):
    """
    Clients that keep a copy: a full read first, then a delta every `every` s.

    Each reads one node; where the hash of its copy is not the node's, it reads all again.
    It has reached what it is for when each holds a copy.
    """

    name: Name
    clients: Count
    every: Positive
    phase: Phase = "settling"
    at: Seconds = 0.0


Workload: TypeAlias = (
    SteadyRenewals
    | FailoverRenewals
    | Leaving
    | Churn
    | Redeploy
    | Moving
    | Overrides
    | MetadataChanges
    | Abandoned
    | Readers
)
