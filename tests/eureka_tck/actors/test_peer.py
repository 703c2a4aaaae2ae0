"""The scripted peer: what it records, how it answers and misbehaves, and that it ends."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import msgspec
import pytest
import requests

from eureka_tck.actors.peer import ScriptedPeer
from eureka_tck.actors.reaction import Close, Hang, Late, Reply, Reset, TaskReply
from eureka_tck.clock import Clock
from eureka_tck.errors import CannotRun
from eureka_tck.verdict.outcome import Inconclusive
from eureka_tck.wire.client import WireClient
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Iterator

BATCH = "/eureka/peerreplication/batch/"


@pytest.fixture
def peer() -> Iterator[ScriptedPeer]:
    """Give a peer that listens, and end it."""
    peer = ScriptedPeer("one", Clock(speed=10))
    peer.listen()
    yield peer
    peer.close()
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("peer ")]
    for thread in threads:
        thread.join(1)
    assert not [thread.name for thread in threads if thread.is_alive()]


def root(peer: ScriptedPeer) -> str:
    """Return where a test speaks to it."""
    return f"http://{peer.host}:{peer.port}"


def send(peer: ScriptedPeer, *tasks: dict[str, object], timeout: float = 5.0) -> requests.Response:
    """Send a batch as a registry does: chunked."""
    body = msgspec.json.encode({"replicationList": list(tasks)})
    return requests.post(
        root(peer) + BATCH,
        data=iter([body[:5], body[5:]]),
        headers={"Content-Type": "application/json"},
        timeout=timeout,
    )


def task(name: str, action: str = "Heartbeat", **more: object) -> dict[str, object]:
    """Return a task for an instance of application A."""
    return {"appName": "A", "id": name, "action": action, **more}


def test_a_batch_is_recorded_with_its_tasks_and_headers(peer: ScriptedPeer) -> None:
    """Each task is kept with its fields, in order, at the instant its batch had arrived."""
    send(peer, task("a1", lastDirtyTimestamp=7, status="UP"), task("a2", "Cancel"))

    (batch,) = peer.batches()
    first, second = batch.tasks
    assert (first.app, first.id, first.action, first.dirty_ms) == ("A", "a1", "Heartbeat", 7)
    assert (first.status, first.overridden) == ("UP", None)
    assert (second.id, second.action, second.place) == ("a2", "Cancel", 1)
    assert batch.header("transfer-encoding") == "chunked"
    assert first.at == batch.at > 0


def test_a_registration_shows_its_instance(peer: ScriptedPeer) -> None:
    """Metadata and T of the instance that a task carries can be asked for."""
    instance = {"metadata": {"k": "v"}, "lastDirtyTimestamp": "99"}

    send(peer, task("a1", "Register", instanceInfo=instance))

    (registration,) = peer.tasks(app="A", id="a1", action="Register")
    assert registration.metadata == {"k": "v"}
    assert registration.instance_dirty_ms == 99


def test_what_is_no_batch_is_recorded_with_its_fault(peer: ScriptedPeer) -> None:
    """A body without tasks is kept as an arrival that says what is wrong."""
    requests.post(root(peer) + BATCH, data=b"[]", timeout=5)
    requests.post(root(peer) + BATCH, data=b"{", timeout=5)

    faults = [batch.fault for batch in peer.batches()]
    assert faults[0] == "no list of objects under 'replicationList'"
    assert faults[1].startswith("no JSON")


def test_every_task_is_answered_200_by_itself(peer: ScriptedPeer) -> None:
    """Without a script each task is accepted."""
    answer = send(peer, task("a1"), task("a2"))

    assert answer.json() == {"responseList": [{"statusCode": 200}, {"statusCode": 200}]}


def test_a_script_answers_task_by_task(peer: ScriptedPeer) -> None:
    """Codes and entities are those the script says, in the order of the tasks."""
    replies = {"a1": TaskReply(404), "a2": TaskReply(409, {"instanceId": "a2"})}
    peer.answers(lambda one: replies.get(one.id))

    answer = send(peer, task("a1"), task("a2"), task("a3"))

    assert answer.json()["responseList"] == [
        {"statusCode": 404},
        {"statusCode": 409, "responseEntity": {"instanceId": "a2"}},
        {"statusCode": 200},
    ]


@pytest.mark.parametrize(
    "reply", [Reply(503), Reply(200, b"{}"), Reply(200, b"garbage", "text/plain"), Reply(302)]
)
def test_a_batch_is_answered_as_a_whole(peer: ScriptedPeer, reply: Reply) -> None:
    """Any status and body can be the answer to a batch."""
    peer.reacts(reply)

    answer = requests.post(root(peer) + BATCH, data=b"{}", timeout=5, allow_redirects=False)

    assert (answer.status_code, answer.content) == (reply.status, reply.body)


@pytest.mark.parametrize("reaction", [Reset(), Close(), Hang(seconds=0.5)])
def test_a_connection_ends_without_an_answer(
    peer: ScriptedPeer, reaction: Reset | Close | Hang
) -> None:
    """A reset, a close and a hang each leave the caller without an answer, recorded."""
    peer.reacts(reaction)

    with pytest.raises(requests.ConnectionError):
        send(peer, task("a1"))

    assert [one.id for one in peer.tasks()] == ["a1"]


def test_a_hanging_peer_can_be_ended(peer: ScriptedPeer) -> None:
    """Its end does not wait for those it lets wait; the fixture sees that no thread is left."""
    peer.reacts(Hang())

    with pytest.raises(requests.ReadTimeout):
        send(peer, task("a1"), timeout=0.1)


def test_who_gives_up_leaves_no_connection(peer: ScriptedPeer) -> None:
    """A hanging peer sees that its caller has closed."""
    peer.reacts(Hang())
    with pytest.raises(requests.ReadTimeout):
        send(peer, task("a1"), timeout=0.1)

    peer.clock.wait_until(lambda: not peer.open_connections, within=20, what="the close")

    assert peer.most_open_connections == 1


def test_an_answer_comes_late_in_registry_time(peer: ScriptedPeer) -> None:
    """Two registry seconds at speed 10 are 0.2 s."""
    peer.reacts(Late(2.0))
    peer.answers(lambda _: TaskReply(404))

    answer = send(peer, task("a1"))

    assert answer.elapsed.total_seconds() >= 0.2
    assert answer.json()["responseList"] == [{"statusCode": 404}]


def test_bytes_drip(peer: ScriptedPeer) -> None:
    """An answer of which the bytes come one by one still arrives whole."""
    peer.reacts(Reply(200, b"[]", drip=0.01))

    assert send(peer, task("a1")).content == b"[]"


def test_who_refuses_can_listen_again(peer: ScriptedPeer) -> None:
    """The port stays the same, and connections of before are gone."""
    url = root(peer)
    with socket.create_connection((peer.host, peer.port)) as kept:
        peer.refuse()
        with pytest.raises(requests.ConnectionError):
            requests.get(f"{url}/eureka/apps", timeout=5)
        kept.settimeout(5)
        with pytest.raises(ConnectionResetError):
            kept.recv(1)

    peer.listen()

    assert requests.get(f"{url}/eureka/apps", timeout=5).status_code == 200


def test_connections_are_counted(peer: ScriptedPeer) -> None:
    """A kept connection is one, however many requests it carries."""
    with requests.Session() as session:
        for _ in range(3):
            session.get(f"{root(peer)}/eureka/apps", timeout=5)

    assert (peer.connections, peer.most_open_connections) == (1, 1)
    assert {arrival.connection for arrival in peer.arrivals()} == {1}


def test_it_serves_what_it_holds(peer: ScriptedPeer) -> None:
    """A list of all instances by application, its hash, and a delta without changes."""
    peer.holds([sample("A", "a1"), sample("B", "b1", status="DOWN")])
    client = WireClient(root(peer))

    full = client.call("GET", "/apps/").applications()
    delta = client.delta().applications()
    client.close()

    assert full.ids("A") == {"a1"}
    assert full.hash == delta.hash == "DOWN_1_UP_1_"
    assert list(delta) == []


def test_reads_can_be_refused(peer: ScriptedPeer) -> None:
    """A peer that is no use to copy from answers as it is told."""
    peer.lists(Reply(503))

    assert requests.get(f"{root(peer)}/eureka/apps/", timeout=5).status_code == 503


def test_behaviour_lasts_as_long_as_its_block(peer: ScriptedPeer) -> None:
    """Behind the block the scripts of before hold again."""
    with peer.behaving(Reply(503)):
        assert send(peer, task("a1")).status_code == 503

    assert send(peer, task("a1")).status_code == 200


def test_a_mirror_passes_all_on(peer: ScriptedPeer) -> None:
    """Request and answer pass through, headers too, and are recorded on the way."""
    behind = ScriptedPeer("two", Clock(speed=10))
    behind.listen()
    behind.answers(lambda _: TaskReply(404))
    peer.mirrors(root(behind))

    answer = send(peer, task("a1"))

    assert answer.json()["responseList"] == [{"statusCode": 404}]
    assert [one.id for one in behind.tasks()] == [one.id for one in peer.tasks()] == ["a1"]
    assert behind.batches()[0].header("content-type") == "application/json"
    behind.close()


def test_a_mirror_of_nobody_answers_nothing(peer: ScriptedPeer) -> None:
    """Where the node behind is gone the connection is closed."""
    gone = ScriptedPeer("two", Clock())
    gone.listen()
    peer.mirrors(root(gone))
    gone.close()

    with pytest.raises(requests.ConnectionError):
        send(peer, task("a1"))


def test_tasks_are_awaited_and_missed_by_name(peer: ScriptedPeer) -> None:
    """What has come is returned; what has not is named."""
    send(peer, task("a1"))

    assert [one.id for one in peer.await_tasks(["a1"], app="A")] == ["a1"]
    with pytest.raises(Inconclusive, match=r"was not told of 1 of 2 instances \(a2\)"):
        peer.await_tasks(["a1", "a2"], app="A", within=0.5)


def test_a_taken_address_is_named(peer: ScriptedPeer) -> None:
    """Two peers cannot listen at the same place."""
    second = ScriptedPeer("two", Clock(), peer.host, peer.port)

    with pytest.raises(CannotRun, match="cannot listen on"):
        second.listen()


def test_what_is_no_http_ends_the_connection_alone(peer: ScriptedPeer) -> None:
    """Garbage costs the one who sent it."""
    with socket.create_connection((peer.host, peer.port)) as garbage:
        garbage.sendall(b"\x00\x01\x02\r\n\r\n")
        garbage.settimeout(5)
        assert garbage.recv(1) == b""

    assert send(peer, task("a1")).status_code == 200
