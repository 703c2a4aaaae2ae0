"""A registry in this process that does as the model says, or is made to do otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from eureka_tck.model.call import (
    Call,
    Cancel,
    ReadAll,
    ReadApp,
    ReadDelta,
    ReadOne,
    Register,
    RegisterWrongly,
    RemoveStatus,
    Renew,
    SetMetadata,
    SetStatus,
    Who,
)
from eureka_tck.model.registry import Held, ModelRegistry
from eureka_tck.wire.answer import Answer
from eureka_tck.wire.client import WireClient
from eureka_tck.wire.exchange import Exchange
from eureka_tck.wire.recorder import Recorder
from eureka_tck.wire.sample import DIRTY_MS

if TYPE_CHECKING:
    from collections.abc import Callable


class Obedient(WireClient):
    """
    Answers calls by a model of its own; `twist` may change a call before, or the held state after.

    It is asked in values: `say` of a call is replaced by `obey`.
    """

    def __init__(self, twist: Callable[[Call, ModelRegistry], None] | None = None) -> None:
        super().__init__("http://127.0.107.1:1", recorder=Recorder())
        self.model = ModelRegistry()
        self._twist = twist
        self.calls = 0

    def obey(self, call: Call) -> Answer:
        """Answer a call as the model predicts, in JSON."""
        self.calls += 1
        due = self.model.answer(call)
        if self._twist:
            self._twist(call, self.model)
        status = due.statuses[0].start
        body = self._body(call) if status == 200 else None
        return self._answer(call, status, body)

    def cancel(self, app: str, instance_id: str, *, replication: bool = False) -> Answer:
        """Cancel outside of a program: how a program before is undone."""
        del replication
        who = Who(app, instance_id)
        self.model.held.pop(who, None)
        self.model.changes.pop(who, None)
        return self._answer(Cancel(who), 200, None)

    def _answer(self, call: Call, status: int, body: Any) -> Answer:  # noqa: ANN401 - any JSON
        exchange = Exchange(
            method="CALL", url=f"http://fake/{type(call).__name__}", status=status, curl=f"# {call}"
        )
        self.recorder.record(exchange)
        data = b"" if body is None else msgspec.json.encode(body)
        headers = {"Content-Type": "application/json"}
        return Answer(status, headers, data, data, exchange, 0.0)

    def _body(self, call: Call) -> Any:  # noqa: ANN401 - any JSON
        held = self.model.held
        match call:
            case ReadOne():
                return {"instance": _instance(call.who, held[call.who])}
            case ReadApp():
                found = [_instance(who, one) for who, one in held.items() if who.app == call.app]
                return {"application": {"name": call.app, "instance": found}}
            case ReadAll():
                return self._list([_instance(who, one) for who, one in held.items()])
            case ReadDelta():
                return self._list(
                    [
                        _instance(who, last or held[who], action)
                        for who, (action, last) in self.model.changes.items()
                    ]
                )
        return None

    def _list(self, instances: list[dict[str, Any]]) -> dict[str, Any]:
        by_app: dict[str, list[dict[str, Any]]] = {}
        for one in instances:
            by_app.setdefault(one["app"], []).append(one)
        return {
            "applications": {
                "versions__delta": "1",
                "apps__hashcode": self.model._hash(),
                "application": [
                    {"name": name, "instance": found} for name, found in by_app.items()
                ],
            }
        }


def _instance(who: Who, held: Held, action: str = "ADDED") -> dict[str, Any]:
    return {
        "instanceId": who.id,
        "app": who.app,
        "status": held.status,
        "overriddenStatus": held.override or "UNKNOWN",
        "ipAddr": held.ip,
        "lastDirtyTimestamp": str(DIRTY_MS + held.t),
        "metadata": dict(held.metadata),
        "actionType": action,
    }


@pytest.fixture
def obedient(monkeypatch: pytest.MonkeyPatch) -> type[Obedient]:
    """Give the class, and let every call be asked of it in values."""
    for kind in (
        Cancel, ReadAll, ReadApp, ReadDelta, ReadOne, Register, RegisterWrongly, RemoveStatus,
        Renew, SetMetadata, SetStatus,
    ):  # fmt: skip
        monkeypatch.setattr(kind, "say", lambda self, wire: wire.obey(self))
    return Obedient
