"""
Chapter 8, the delta: what has changed lately, and how a client keeps its copy by it.

What enters and leaves the delta with time is read from a recording
(`eureka_tck.observe.retention`); the rest is asked of the node that most tests share.
"""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from eureka_tck.actors.copy import Copy, hash_of
from eureka_tck.actors.instance import Instance
from eureka_tck.observe.retention import CHANGES, EARLY, RETENTION, RUNS
from eureka_tck.verdict import Inconclusive, expect, requirement
from eureka_tck.wire.client import JSON, XML, WireClient
from eureka_tck.wire.sample import DIRTY_MS, sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.retention import Retention
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case
    from eureka_tck.wire.record import Record

NEEDS = {"settings"}
COMPACT = {"X-Eureka-Accept": "compact"}


# DELTA-01: what a change is told as


@requirement("DELTA-01")
def test_a_registration_is_told_as_added(cart: Instance) -> None:
    """A new instance enters the delta as ADDED."""
    cart.register()

    told = cart.change()

    expect("the action of a new instance in the delta", action(told)).equals("ADDED")


@requirement("DELTA-01")
@pytest.mark.parametrize(
    ("deed", "due"),
    [
        pytest.param(lambda one: one.register(dirty=DIRTY_MS + 1), "ADDED", id="registered-again"),
        pytest.param(lambda one: one.set_metadata({"k": "v"}), "ADDED", id="given-metadata"),
        pytest.param(lambda one: one.set_status("DOWN"), "MODIFIED", id="given-another-status"),
        pytest.param(lambda one: one.remove_status("UP"), "MODIFIED", id="freed-of-its-override"),
        pytest.param(lambda one: one.cancel(), "DELETED", id="cancelled"),
    ],
)
def test_the_latest_change_decides_the_action(
    cart: Instance, deed: Callable[[Instance], object], due: str
) -> None:
    """What is done to an instance last decides as what the delta tells it."""
    cart.register()
    cart.set_status("OUT_OF_SERVICE")
    if due == "MODIFIED":  # so that the action must change
        cart.set_metadata({"between": "both"})

    deed(cart)

    expect("the action of the changed instance in the delta", action(cart.change())).equals(due)


@requirement("DELTA-01")
def test_an_instance_that_came_back_is_told_as_added(cart: Instance) -> None:
    """Registered, cancelled and registered again, an instance is ADDED and not DELETED."""
    cart.register()
    cart.cancel()
    cart.register()

    told = cart.change()

    expect("the action of an instance that came back", action(told)).equals("ADDED")


@requirement("DELTA-01")
def test_an_instance_changed_several_times_is_told_once(registry: Registry, cart: Instance) -> None:
    """Five changes of one instance are one entry of the delta."""
    cart.register()
    cart.set_status("DOWN")
    cart.cancel()
    cart.register()
    cart.set_metadata({"colour": "blue"})

    told = [one for one in registry.delta().applications() if one.app == cart.app]

    expect("the list of entries in the delta for one instance", told).has_size(1, of="entries")


@requirement("DELTA-01")
@pytest.mark.parametrize(
    ("deed", "read", "due"),
    [
        pytest.param(
            lambda one: one.set_metadata({"colour": "green"}),
            lambda record: record.user_metadata.get("colour"),
            "green",
            id="metadata",
        ),
        pytest.param(
            lambda one: one.set_status("DOWN"), lambda record: record.status, "DOWN", id="status"
        ),
        pytest.param(
            lambda one: one.register(ipAddr="10.9.9.9", dirty=DIRTY_MS + 1),
            lambda record: record.ip,
            "10.9.9.9",
            id="registration",
        ),
    ],
)
def test_a_change_is_told_with_the_latest_state(
    cart: Instance,
    deed: Callable[[Instance], object],
    read: Callable[[Record], object],
    due: str,
) -> None:
    """The entry shows the instance as it is after its last change, not after its first."""
    cart.register(metadata={"colour": "blue"})
    cart.change()

    deed(cart)

    told = cart.change()
    expect("the entry of the changed instance", told).is_present()
    expect("what the delta tells of the changed instance", told and read(told)).equals(due)


@requirement("DELTA-01", profile="retention", needs=NEEDS, seconds=30)
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_stays_for_the_retention(retention: Retention, change: str) -> None:
    """With a retention of 20 s, a change is still told when it is 15 s old."""
    if retention.early_at > RETENTION:
        raise Inconclusive(f"the delta was read {retention.early_at:.1f} s late.", late=True)

    told = retention.early[change]

    expect(f"the entry of what was {change} {EARLY:g} s before", told).is_present()


@requirement("DELTA-01", profile="retention", needs=NEEDS, seconds=30)
def test_a_renewal_is_no_change(retention: Retention) -> None:
    """An instance that the delta has forgotten does not come back when it renews."""
    retention.forgot()
    expect("the entry of an instance given metadata", retention.late["control"]).is_present()

    told = retention.late["renewed"]

    expect("the entry of an instance that renewed", told).is_absent()


@requirement("DELTA-01", profile="retention", needs=NEEDS, seconds=30)
def test_a_put_of_the_status_already_held_is_no_change(retention: Retention) -> None:
    """An instance that the delta has forgotten does not come back by a PUT of the status it has."""
    retention.forgot()
    expect("the entry of an instance given metadata", retention.late["control"]).is_present()

    told = retention.late["held"]

    expect("the entry of an instance given the status it has", told).is_absent()


# DELTA-02: the hash of the whole


@requirement("DELTA-02")
@pytest.mark.parametrize("status", ["UP", "DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN"])
def test_the_hash_of_a_delta_is_that_of_the_whole_registry(
    registry: Registry, cart: Instance, status: str
) -> None:
    """After a change the delta carries the hash of all that is registered, changed or not."""
    cart.register(status=status)

    delta = registry.delta().applications()

    expect("the entry of the new instance", delta.find(cart.app, cart.id)).is_present()
    whole = hash_of(registry.apps().applications())
    expect("the hash that the delta carries", delta.hash).equals(
        whole, because="that is the hash of all that is listed"
    )


@requirement("DELTA-02", profile="retention", needs=NEEDS, seconds=30)
def test_the_hash_covers_what_the_delta_does_not_list(retention: Retention) -> None:
    """A delta that has forgotten nearly all still carries the hash of all."""
    retention.forgot()

    expect("the number of instances in the hash", counted(retention.hash)).is_at_least(
        5, unit="", because="so many are registered, though the delta lists fewer"
    )


# DELTA-03: a client's copy


@requirement("DELTA-03")
def test_a_copy_kept_by_deltas_has_the_hash_of_the_deltas(
    registry: Registry, case: Case, cart: Instance
) -> None:
    """A client that applies a delta after each of nine changes has the right hash each time."""
    copy = Copy(registry.apps().applications())
    other = Instance(registry, cart.app, case.id(2))
    seen, due = [], []
    deeds: tuple[Callable[[], object], ...] = (
        cart.register,
        other.register,
        lambda: cart.set_status("OUT_OF_SERVICE"),
        lambda: other.set_metadata({"a": "b"}),
        cart.remove_status,
        lambda: cart.register(dirty=DIRTY_MS + 1),
        other.cancel,
        lambda: other.register(status="STARTING"),
        cart.cancel,
    )

    for deed in deeds:
        deed()
        delta = registry.delta().applications()
        copy.apply(delta)
        seen.append(copy.hash)
        due.append(delta.hash)

    expect("the sequence of hashes of the copy", seen).equals(
        due, because="those are the hashes that the deltas carried"
    )


@requirement("DELTA-03", seconds=10)
def test_a_copy_kept_by_deltas_is_right_under_churn(
    cluster: Cluster, registry: Registry, case: Case
) -> None:
    """While another client changes 20 instances without pause, 40 deltas keep a copy right."""
    case.given("another client registers, cancels and changes 20 instances without pause")
    app = case.app("CHURN")
    copy = Copy(registry.apps().applications())
    wrong, told = [], 0

    with ThreadPoolExecutor(1, "churn") as crew:
        writing = crew.submit(churn, cluster["a"].root, app, [case.id(n) for n in range(20)])
        while not writing.done():
            delta = registry.delta().applications()
            copy.apply(delta)
            told += bool(delta.ids(app))
            if copy.hash != delta.hash:
                wrong.append(f"{copy.hash} for {delta.hash}")
    writing.result()

    if told < 10:
        raise Inconclusive(f"only {told} deltas were read while the other client wrote.", late=True)
    expect(f"the list of wrong hashes in {told} deltas", wrong).is_absent()


@requirement("DELTA-03", profile="retention", needs=NEEDS, seconds=30)
def test_a_copy_is_right_after_a_renewal_changed_a_status(retention: Retention) -> None:
    """A status that a renewal changed reaches a client's copy by the next delta."""
    retention.turned_by_renewal()

    expect("the hash of a copy kept by deltas", retention.copied_hash).equals(
        retention.hash, because="that is the hash that the delta carried"
    )


# DELTA-04: forgetting


@requirement("DELTA-04", profile="retention", needs=NEEDS, seconds=30)
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_older_than_the_retention_is_forgotten(retention: Retention, change: str) -> None:
    """With a retention of 20 s, checked every 5 s, a change is gone after 25 s."""
    expect(
        f"the time until what was {change} was forgotten", retention.forgotten[change]
    ).is_at_most(RETENTION + RUNS + 2, because="20 s, a run every 5 s, and 2 s to see it", margin=1)


@requirement("DELTA-04", profile="retention", needs=NEEDS, seconds=30)
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_not_forgotten_before_its_time(retention: Retention, change: str) -> None:
    """Read every half second, a change is seen until shortly before it is 20 s old."""
    expect(
        f"the time for which what was {change} was told", retention.forgotten[change]
    ).is_at_least(RETENTION, because="the retention is 20 s")


# DELTA-05: the version


@requirement("DELTA-05")
@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"Accept": JSON}, id="json"),
        pytest.param({"Accept": XML}, id="xml"),
        pytest.param({"Accept": JSON, **COMPACT}, id="compact"),
    ],
)
def test_the_version_of_one_representation_never_falls(
    registry: Registry, cart: Instance, headers: dict[str, str]
) -> None:
    """Read between changes of five kinds, and twice after each, the version only rises or stays."""

    def read() -> int | None:
        return registry.call("GET", "/apps/delta", headers=headers).applications().version

    versions = [read()]
    deeds: tuple[Callable[[], object], ...] = (
        cart.register,
        lambda: cart.set_status("DOWN"),
        cart.remove_status,
        lambda: cart.set_metadata({"a": "b"}),
        cart.cancel,
    )

    for deed in deeds:
        deed()
        versions += [read(), read()]

    expect(
        "the list of versions that are no number", [one for one in versions if one is None]
    ).is_absent()
    expect("the sequence of versions", versions).equals(
        sorted(one for one in versions if one is not None), because="a version never decreases"
    )


# DELTA-06: no delta at all


@requirement("DELTA-06", profile="crowd", needs=NEEDS)
@pytest.mark.parametrize("query", ["", "?regions=somewhere"])
def test_a_disabled_delta_is_refused(registry: Registry, cart: Instance, query: str) -> None:
    """With `disableDelta` a delta is answered 403, so that clients read the whole list."""
    cart.register()

    answer = registry.call("GET", f"/apps/delta{query}")

    expect("the answer to a delta that is switched off", answer).has_status(403)


@requirement("DELTA-06", profile="crowd", needs=NEEDS)
def test_the_whole_list_is_served_without_a_delta(registry: Registry, cart: Instance) -> None:
    """With `disableDelta` the whole list is answered 200, and lists what is registered."""
    cart.register()

    answer = registry.apps()

    expect("the answer to a full read", answer).has_status(200)
    expect("the entry of the instance", answer.applications().find(cart.app, cart.id)).is_present()


# DELTA-07, DELTA-08: those that are gone


@requirement("DELTA-07", profile="retention", needs=NEEDS, seconds=30)
def test_an_evicted_instance_is_told_as_deleted(retention: Retention) -> None:
    """An instance whose lease ran out is told as DELETED once it is no longer listed."""
    expect("the action of an evicted instance in the delta", action(retention.evicted)).equals(
        "DELETED"
    )


@requirement("DELTA-08")
@pytest.mark.parametrize("order", ["as told", "reversed", "shuffled"])
def test_a_replaced_application_comes_out_right_in_any_order(
    cluster: Cluster, registry: Registry, case: Case, order: str
) -> None:
    """Six instances are replaced by six, one id staying: the delta gives the right six."""
    app = case.app("ROLLED")
    old, new = [case.id(f"old{n}") for n in range(6)], [case.id(f"new{n}") for n in range(5)]
    for name in old:
        registry.register(sample(app, name))
    copy = Copy(registry.apps().applications())
    for name in old:
        registry.cancel(app, name)
    for name in [*new, old[0]]:
        registry.register(sample(app, name))

    changes = [one for one in registry.delta().applications() if one.app == app]
    shuffled = random.Random(cluster.run.seed).sample(changes, len(changes))
    copy.apply({"as told": changes, "reversed": changes[::-1], "shuffled": shuffled}[order])

    expect("the set of instances in the copy", copy.ids(app)).consists_of({*new, old[0]})


def action(record: Record | None) -> str | None:
    """Return as what an entry tells its instance, None where there is no entry."""
    return None if record is None else record.action


def counted(hash_: str | None) -> int:
    """Return how many instances a hash counts."""
    return sum(int(part) for part in (hash_ or "").split("_") if part.isdecimal())


def churn(root: str, app: str, names: list[str]) -> None:
    """Register, change and cancel these instances many times, in a drawn order."""
    rng, wire = random.Random(app), WireClient(root)
    try:
        for _ in range(300):
            name = rng.choice(names)
            one = Instance(wire, app, name)
            match rng.randrange(5):
                case 0 | 1:
                    one.register()
                case 2:
                    one.cancel()
                case 3:
                    one.set_status(rng.choice(["DOWN", "OUT_OF_SERVICE", "UP"]))
                case _:
                    one.set_metadata({"a": "b"})
    finally:
        wire.close()
