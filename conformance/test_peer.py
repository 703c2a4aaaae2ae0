"""
Chapter 14, the receiving side of replication: what a batch of a peer does, and what is answered.

The batches are ours. That nothing of them is sent on is judged with a scripted peer
(`test_repl_sending.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.sample import DIRTY_MS, Json, sample
from eureka_tck.wire.task import (
    cancel_task,
    heartbeat_task,
    register_task,
    removal_task,
    status_task,
    task,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eureka_tck.actors.instance import Instance
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case
    from eureka_tck.wire.answer import Answer

BATCH = "/peerreplication/batch/"
NEWER = DIRTY_MS + 1000
OLDER = DIRTY_MS - 1000


def codes(answer: Answer) -> list[int]:
    """Return what a batch was answered, task by task."""
    return [one.status for one in answer.batch()]


def body(tasks: Sequence[Mapping[str, Json] | Json]) -> bytes:
    """Return the body of a batch, of tasks that are none too."""
    return msgspec.json.encode({"replicationList": list(tasks)})


# PEER-01: a batch


@requirement("PEER-01")
@pytest.mark.parametrize("path", [BATCH, BATCH.rstrip("/")], ids=["slash", "no-slash"])
def test_each_task_is_answered_in_its_place(registry: Registry, cart: Instance, path: str) -> None:
    """Three renewals of an unknown, a known and an unknown instance are 404, 200, 404."""
    cart.register()
    ids = ["nobody-1", cart.id, "nobody-2"]

    answer = registry.call(
        "POST",
        path,
        headers={"Content-Type": "application/json"},
        body=body([heartbeat_task(cart.app, name) for name in ids]),
    )

    expect("the answer to a batch", answer).has_status(200)
    expect("the codes of its tasks", codes(answer)).equals([404, 200, 404])


@requirement("PEER-01")
def test_a_batch_is_answered_in_json_if_asked_for(registry: Registry, cart: Instance) -> None:
    """With Accept: application/json the body is a JSON object with the list of answers."""
    cart.register()

    answer = registry.batch([heartbeat_task(cart.app, cart.id)])

    document = answer.json()
    expect("the root of the answer", sorted(document) if isinstance(document, dict) else []).equals(
        ["responseList"]
    )
    expect("its Content-Type", answer.content_type.partition(";")[0]).equals("application/json")


@requirement("PEER-01")
@pytest.mark.parametrize(
    ("order", "statuses", "there"),
    [(("register", "cancel"), [200, 200], False), (("cancel", "register"), [404, 200], True)],
    ids=["register-cancel", "cancel-register"],
)
def test_tasks_run_in_their_order(
    registry: Registry, cart: Instance, order: tuple[str, ...], statuses: list[int], there: bool
) -> None:
    """Registering then cancelling leaves nothing, cancelling then registering the instance."""
    made = {
        "register": register_task(sample(cart.app, cart.id)),
        "cancel": cancel_task(cart.app, cart.id),
    }

    answer = registry.batch([made[name] for name in order])

    expect("the codes of the tasks", codes(answer)).equals(statuses)
    expect("the status of a read of the instance", cart.read().status).equals(200 if there else 404)


@requirement("PEER-01")
def test_a_batch_counts_as_replicated_without_any_header(
    registry: Registry, cart: Instance
) -> None:
    """A renewal with an older T, for which a client gets 200, is a conflict in a batch."""
    cart.register()
    expect("a client's renewal with an older T", cart.renew(dirty=OLDER)).has_status(200)

    answer = registry.batch([heartbeat_task(cart.app, cart.id, dirty=OLDER)])

    expect("the code of the same renewal in a batch", codes(answer)).equals([409])


@requirement("PEER-01")
def test_a_chunked_batch_is_read(registry: Registry, cart: Instance) -> None:
    """A batch without Content-Length, as the reference sends it, is carried out."""
    answer = registry.call(
        "POST",
        BATCH,
        headers={"Content-Type": "application/json", "Content-Length": None},
        body=body([register_task(sample(cart.app, cart.id))]),
    )

    expect("the answer to a chunked batch", answer).has_status(200)
    expect("the instance it registers", cart.read()).is_present()


@requirement("PEER-01")
def test_more_than_250_tasks_are_accepted(registry: Registry, case: Case) -> None:
    """A batch of 300 registrations is answered 300 times, and all are there."""
    app = case.app("MANY")
    tasks = [register_task(sample(app, case.id(number))) for number in range(300)]

    answer = registry.batch(tasks)

    expect("the answers to 300 tasks", codes(answer)).equals([200] * 300)
    expect("the set of instances listed", registry.apps().applications().ids(app)).has_size(300)


# PEER-02: renewals


@requirement("PEER-02")
@pytest.mark.parametrize(
    ("dirty", "code"),
    [(DIRTY_MS, 200), (NEWER, 404), (OLDER, 409), (0, 409), (None, 200)],
    ids=["equal", "newer", "older", "zero", "none"],
)
def test_a_renewal_is_answered_by_its_t(
    registry: Registry, cart: Instance, dirty: int | None, code: int
) -> None:
    """An equal T, or none, is 200; a newer one 404; an older one, 0 too, 409."""
    cart.register()

    answer = registry.batch([heartbeat_task(cart.app, cart.id, dirty=dirty)])

    expect("the code of the renewal", codes(answer)).equals([code])


@requirement("PEER-02")
def test_a_renewal_of_an_unknown_instance_is_404(registry: Registry, cart: Instance) -> None:
    """Whoever sent it has to register the instance here."""
    answer = registry.batch([heartbeat_task(cart.app, cart.id)])

    expect("the code of the renewal", codes(answer)).equals([404])


@requirement("PEER-02")
def test_a_conflict_comes_with_the_stored_instance(registry: Registry, cart: Instance) -> None:
    """The 409 carries the fields of the instance held, bare, without a root around them."""
    cart.register(metadata={"colour": "blue"})

    answer = registry.batch([heartbeat_task(cart.app, cart.id, dirty=OLDER)])

    document = answer.json()
    responses = document.get("responseList") if isinstance(document, dict) else None
    first = responses[0] if isinstance(responses, list) and responses else None
    entity = first.get("responseEntity") if isinstance(first, dict) else None
    held = entity if isinstance(entity, dict) else {}
    expect("the id in the entity", held.get("instanceId")).equals(cart.id)
    record = answer.batch()[0].entity
    expect("the instance in the answer", record).is_present()
    expect("its T and metadata", record and (record.dirty_ms, record.user_metadata)).equals(
        (DIRTY_MS, {"colour": "blue"})
    )


@requirement("PEER-02")
@pytest.mark.parametrize("dirty", [DIRTY_MS, NEWER, None], ids=["equal", "newer", "none"])
def test_only_a_conflict_carries_an_instance(
    registry: Registry, cart: Instance, dirty: int | None
) -> None:
    """The answers 200 and 404 to a renewal come without an entity."""
    cart.register()

    answer = registry.batch([heartbeat_task(cart.app, cart.id, dirty=dirty)])

    expect("the entity of the answer", answer.batch()[0].entity).is_absent()


@requirement("PEER-02")
def test_a_renewal_with_a_newer_t_leaves_its_override(registry: Registry, cart: Instance) -> None:
    """It is answered 404, and the override it carried decides from the next renewal on."""
    cart.register()

    answer = registry.batch([heartbeat_task(cart.app, cart.id, dirty=NEWER, overridden="DOWN")])
    cart.renew()

    expect("the code of the renewal", codes(answer)).equals([404])
    expect("the status after the next renewal", cart.record().status).equals("DOWN")


# PEER-03: the other kinds


@requirement("PEER-03")
def test_a_registration_is_stored(registry: Registry, cart: Instance) -> None:
    """Register answers 200, and the instance can be read with the data that came."""
    answer = registry.batch([register_task(sample(cart.app, cart.id, metadata={"k": "v"}))])

    expect("the code of the registration", codes(answer)).equals([200])
    expect("the metadata of the instance", cart.record().user_metadata).equals({"k": "v"})


@requirement("PEER-03")
def test_a_cancellation_is_200_then_404(registry: Registry, cart: Instance) -> None:
    """Cancel of a known instance is 200 and takes it away; of an unknown one 404."""
    cart.register()

    answer = registry.batch([cancel_task(cart.app, cart.id), cancel_task(cart.app, cart.id)])

    expect("the codes of the cancellations", codes(answer)).equals([200, 404])
    expect("the instance", cart.read()).is_absent()


@requirement("PEER-03")
def test_a_status_change_is_carried_out(registry: Registry, cart: Instance) -> None:
    """StatusUpdate of a known instance is 200 and sets status and override; else 404."""
    cart.register()

    answer = registry.batch(
        [
            status_task(cart.app, cart.id, "OUT_OF_SERVICE"),
            status_task(cart.app, "nobody", "OUT_OF_SERVICE"),
        ]
    )

    record = cart.record()
    expect("the codes of the status changes", codes(answer)).equals([200, 404])
    expect("status and override", (record.status, record.overridden_status)).equals(
        ("OUT_OF_SERVICE", "OUT_OF_SERVICE")
    )


@requirement("PEER-03")
def test_the_removal_of_an_override_is_carried_out(registry: Registry, cart: Instance) -> None:
    """DeleteStatusOverride of a known instance is 200 and removes it; else 404."""
    cart.register()
    cart.set_status("OUT_OF_SERVICE")

    answer = registry.batch([removal_task(cart.app, cart.id), removal_task(cart.app, "nobody")])

    record = cart.record()
    expect("the codes of the removals", codes(answer)).equals([200, 404])
    expect("status and override", (record.status, record.overridden_status)).equals(
        ("UP", "UNKNOWN")
    )


# PEER-04, PEER-10, PEER-06: odd tasks among others


def inexecutable(odd: str, app: str, instance_id: str) -> dict[str, Json]:
    """Return a task that can be read and not be carried out."""
    known = heartbeat_task(app, instance_id)
    return {
        "no-id": {name: value for name, value in known.items() if name != "id"},
        "no-app": {name: value for name, value in known.items() if name != "appName"},
        "no-instance": task(app, "odd", "Register", lastDirtyTimestamp=DIRTY_MS, status="UP"),
        "bad-status": status_task(app, instance_id, "NO-STATUS"),
    }[odd]


@requirement("PEER-04")
@pytest.mark.parametrize("odd", ["no-id", "no-app", "no-instance", "bad-status"])
def test_a_task_that_cannot_be_executed_is_500_for_itself(
    registry: Registry, cart: Instance, case: Case, odd: str
) -> None:
    """The tasks before and after it are answered 200 and carried out."""
    before, after = case.id("before"), case.id("after")
    cart.register()

    answer = registry.batch(
        [
            register_task(sample(cart.app, before)),
            inexecutable(odd, cart.app, cart.id),
            register_task(sample(cart.app, after)),
        ]
    )

    expect("the answer to the batch", answer).has_status(200)
    expect("the codes of its tasks", codes(answer)).equals([200, 500, 200])
    expect("the set of instances", registry.app(cart.app).application().find(after)).is_present()


def unreadable(odd: str, app: str) -> Json:
    """Return a task that no registry can read."""
    instance = sample(app, "odd")
    tasks: dict[str, Json] = {
        "unknown-action": task(app, "odd", "Explode", lastDirtyTimestamp=DIRTY_MS, status="UP"),
        "unreadable-instance": register_task(
            instance | {"dataCenterInfo": {"@class": "java.lang.Object", "name": "MyOwn"}}
        ),
        "text-for-t": heartbeat_task(app, "odd", dirty="yesterday"),
        "null": None,
        "text": "task",
    }
    return tasks[odd]


@requirement("PEER-10")
@pytest.mark.parametrize(
    "odd", ["unknown-action", "unreadable-instance", "text-for-t", "null", "text"]
)
def test_a_task_that_cannot_be_read_does_not_spoil_the_others(
    registry: Registry, cart: Instance, case: Case, odd: str
) -> None:
    """The tasks before and after it are answered 200 in their places, and carried out."""
    ids = [case.id("before"), case.id("after")]
    first, last = (register_task(sample(cart.app, name)) for name in ids)

    answer = registry.call(
        "POST",
        BATCH,
        headers={"Content-Type": "application/json"},
        body=body([first, unreadable(odd, cart.app), last]),
    )

    expect("the answer to the batch", answer).has_status(200)
    answered = codes(answer)
    expect("the answers to its tasks", answered).has_size(3)
    expect("the codes of the tasks around it", answered[::2]).equals([200, 200])
    statuses = [registry.instance(cart.app, name).status for name in ids]
    expect("the reads of what the others registered", statuses).equals([200, 200])


@requirement("PEER-06")
@pytest.mark.parametrize("odd", ["in-task", "scalar-in-instance", "object-in-instance"])
def test_unknown_fields_are_ignored(
    registry: Registry, cart: Instance, case: Case, odd: str
) -> None:
    """A task that says more than we know is carried out as if it did not."""
    fields = sample(cart.app, cart.id)
    strange = {
        "in-task": register_task(fields, weather="fine"),
        "scalar-in-instance": register_task(fields | {"weather": "fine"}),
        "object-in-instance": register_task(fields | {"weather": {"sky": ["blue"]}}),
    }[odd]
    after = case.id("after")

    answer = registry.batch([strange, register_task(sample(cart.app, after))])

    expect("the answer to the batch", answer).has_status(200)
    expect("the codes of its tasks", codes(answer)).equals([200, 200])
    expect("the instance", cart.read()).is_present()


# PEER-05: registrations and T


@requirement("PEER-05")
@pytest.mark.parametrize(
    ("dirty", "colour"),
    [(OLDER, "blue"), (DIRTY_MS, "red"), (NEWER, "red")],
    ids=["older", "equal", "newer"],
)
def test_a_registration_replaces_what_is_not_newer(
    registry: Registry, cart: Instance, dirty: int, colour: str
) -> None:
    """With an older T the stored data stay, with an equal or newer one they are replaced."""
    cart.register(metadata={"colour": "blue"})
    fields = sample(cart.app, cart.id, lastDirtyTimestamp=str(dirty), metadata={"colour": "red"})

    registry.batch([register_task(fields)])

    expect("the metadata", cart.record().user_metadata).equals({"colour": colour})


@requirement("PEER-05")
@pytest.mark.parametrize(
    ("task_dirty", "instance_dirty", "colour"),
    [(OLDER, NEWER, "red"), (NEWER, OLDER, "blue")],
    ids=["instance-newer", "task-newer"],
)
def test_the_t_of_the_instance_counts(
    registry: Registry, cart: Instance, task_dirty: int, instance_dirty: int, colour: str
) -> None:
    """Where task and instance disagree, the T of the instance decides."""
    cart.register(metadata={"colour": "blue"})
    fields = sample(
        cart.app, cart.id, lastDirtyTimestamp=str(instance_dirty), metadata={"colour": "red"}
    )

    registry.batch([register_task(fields, lastDirtyTimestamp=task_dirty)])

    expect("the metadata", cart.record().user_metadata).equals({"colour": colour})


@requirement("PEER-05")
@pytest.mark.parametrize(
    ("stored", "due"), [(None, "DOWN"), ("OUT_OF_SERVICE", "OUT_OF_SERVICE")], ids=["none", "other"]
)
def test_an_override_in_a_registration_is_stored_if_there_is_none(
    registry: Registry, cart: Instance, stored: str | None, due: str
) -> None:
    """The override that is held wins, over a newer T too."""
    cart.register()
    if stored is not None:
        cart.set_status(stored)
    fields = sample(
        cart.app, cart.id, lastDirtyTimestamp=str(NEWER), status="DOWN", overriddenStatus="DOWN"
    )

    registry.batch([register_task(fields | {"status": "UP"})])

    expect("the override", cart.record().overridden_status).equals(due)


# PEER-08


@requirement("PEER-08")
def test_a_cancel_of_an_unknown_instance_removes_the_override(
    registry: Registry, cart: Instance, case: Case
) -> None:
    """Cancelling the id under an application that has none takes the override kept under it."""
    cart.register()
    cart.set_status("OUT_OF_SERVICE")

    answer = registry.batch([cancel_task(case.app("OTHER"), cart.id)])
    cart.register(dirty=str(NEWER))
    cart.renew()

    expect("the code of the cancellation", codes(answer)).equals([404])
    expect("the override after the next registration", cart.record().overridden_status).equals(
        "UNKNOWN"
    )
