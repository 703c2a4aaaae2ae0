"""
Peers that answer wrongly: a proxy that knows HTTP stands before a node for a while.

It passes on what it is asked, but for what its lie is about. It listens in this process, and the
links of the node's peers lead to it meanwhile.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

import msgspec

from eureka_tck.actors.peer_server import PeerServer
from eureka_tck.actors.reaction import Reply
from eureka_tck.actors.relay import relay
from eureka_tck.clock import WaitedInVain
from eureka_tck.faults.fault import Fault, mend_all
from eureka_tck.links import link_name

if TYPE_CHECKING:
    from eureka_tck.actors.peer_server import Request
    from eureka_tck.actors.reaction import Close, Hang, Reset
    from eureka_tck.schedules import scenario
    from eureka_tck.workloads.site import Site

BATCH: Final = "peerreplication/batch"
"""What the path of a batch of replication tasks holds."""

RENEWAL: Final = "Heartbeat"
UNKNOWN: Final = 404
UNAVAILABLE: Final = 503
DONE: Final = 200
PROOF_BUDGET: Final = 60.0
"""s until something is replicated that can be answered wrongly: instances renew within 30 s."""

SAID: Final = {
    "unavailable": "answers every peer 503",
    "unknown": "says of every renewal of a peer that it does not know the lease",
    "dropped": "drops the first task of every batch and says that it was done",
}


class WrongAnswers(Fault):
    """Puts a liar before a node, for its peers alone."""

    kind: ClassVar[str] = "wrong-answers"
    needs: ClassVar[frozenset[str]] = frozenset({"links", "peers"})

    def __init__(self, data: scenario.WrongAnswers, site: Site) -> None:
        super().__init__(data.name, site)
        self._data = data
        self._links = tuple(link_name(one, data.node) for one in site.nodes if one != data.node)
        self._led_to: dict[str, str] = {}
        self._closing = threading.Event()
        self._server: PeerServer | None = None
        self._truth = ""
        self.lies = 0

    def said(self) -> str:
        """Return what it does."""
        return f"node {self._data.node} {SAID[self._data.lie]}"

    def links(self) -> tuple[str, ...]:
        """Return the links over which lies come."""
        return self._links

    def strike(self) -> None:
        """Listen, and lead the links of the peers here."""
        cluster = self.site.cluster
        self._truth = cluster[self._data.node].direct_root()
        self._server = PeerServer(cluster.here, 0, self._answer, self._wait)
        self._server.listen()
        for link in self._links:
            here = f"{self._server.host}:{self._server.port}"
            self._led_to[link] = cluster.links.reroute(link, here)

    def heal(self) -> None:
        """Lead every link back, even if one cannot be, and go."""
        reroute = self.site.cluster.links.reroute
        back = [partial(reroute, link, truth) for link, truth in self._led_to.items()]
        self._led_to.clear()
        self._closing.set()
        mend_all([*back, *([self._server.close] if self._server is not None else [])])

    def proof(self) -> tuple[str, ...]:
        """Return that a peer was lied to."""
        clock = self.site.clock
        try:
            clock.wait_until(lambda: self.lies, PROOF_BUDGET, "a peer to be lied to")
        except WaitedInVain:
            self.doubt(f"no peer sent node {self._data.node} what could be answered wrongly")
            return ()
        return (f"peers had been given {self.lies} wrong answers at {self.site.now():.1f} s",)

    def _answer(self, request: Request) -> Reply | Hang | Reset | Close:
        # Bodies have to be read here: nobody may compress an answer.
        plain = tuple(one for one in request.headers if one[0].lower() != "accept-encoding")
        request = replace(request, headers=plain)
        if BATCH not in request.path:
            return relay(self._truth, request)
        if self._data.lie == "unavailable":
            self.lies += 1
            return Reply(UNAVAILABLE)
        try:
            tasks = msgspec.json.decode(request.body, type=_Batch).tasks
        except (msgspec.DecodeError, msgspec.ValidationError):
            return relay(self._truth, request)
        lie = self._unknown if self._data.lie == "unknown" else self._dropped
        return lie(request, tasks)

    def _unknown(self, request: Request, tasks: list[dict[str, object]]) -> Reply | Close:
        """Pass the batch on, and say of the renewals in it that they are not known."""
        reply = relay(self._truth, request)
        if not isinstance(reply, Reply) or reply.status != DONE:
            return reply
        answers = msgspec.json.decode(reply.body, type=_Answers).answers
        for number, task in enumerate(tasks[: len(answers)]):
            if task.get("action") == RENEWAL:
                self.lies += 1
                answers[number] = {"statusCode": UNKNOWN}
        return replace(reply, body=msgspec.json.encode({"responseList": answers}))

    def _dropped(self, request: Request, tasks: list[dict[str, object]]) -> Reply | Close:
        """Pass the batch on without its first task, and say that it was done."""
        self.lies += 1
        done: list[dict[str, object]] = [{"statusCode": DONE}]
        if len(tasks) <= 1:
            return Reply(DONE, msgspec.json.encode({"responseList": done}))
        rest = msgspec.json.encode({"replicationList": tasks[1:]})
        reply = relay(self._truth, replace(request, body=rest))
        if not isinstance(reply, Reply) or reply.status != DONE:
            return reply
        answers = msgspec.json.decode(reply.body, type=_Answers).answers
        return replace(reply, body=msgspec.json.encode({"responseList": done + answers}))

    def _wait(self, seconds: float) -> bool:
        return self._closing.wait(self.site.clock.real(seconds))


class _Batch(msgspec.Struct):
    tasks: list[dict[str, object]] = msgspec.field(name="replicationList")


class _Answers(msgspec.Struct):
    answers: list[dict[str, object]] = msgspec.field(name="responseList")
