"""Calls with large bodies: answered as others are, but read beside the loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka.server.beside import beside
from eureka.wire.reading import LARGE, MOST_VALUES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.eureka.server.conftest import Stage

JSON = "application/json"
FILLING = "x" * LARGE


@pytest.fixture
def read_beside(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of what is done beside the loop."""
    names: list[str] = []

    async def noted(work: Callable[[], object], *, name: str) -> object:
        names.append(name)
        return await beside(work, name=name)

    monkeypatch.setattr("eureka.server.described.beside", noted)
    return names


def test_a_large_registration_is_read_beside_the_loop(stage: Stage, read_beside: list[str]) -> None:
    """A small one is not."""

    async def story() -> None:
        async with stage.running() as server:
            client = await server.connect()
            path = "/eureka/apps/CART"
            assert (
                await client.call("POST", path, stage.registration(), Content_Type=JSON)
            ).status == 204
            assert read_beside == []
            body = stage.registration(metadata={"a": FILLING})
            assert (await client.call("POST", path, body, Content_Type=JSON)).status == 204
            assert read_beside == ["body"]
            assert FILLING.encode() in (await client.call("GET", f"{path}/1")).body

    stage.play(story())


@pytest.mark.parametrize(
    ("path", "port", "headers", "status", "text"),
    [
        (
            "PAY",
            None,
            {"Content_Type": JSON},
            400,
            b"Mismatched appName, expecting PAY but was CART",
        ),
        (
            *("CART", None, {"Content_Type": "text/plain"}, 415),
            b"A registration comes as application/json or application/xml.",
        ),
        (
            *("CART", None, {"Content_Type": JSON, "Content_Encoding": "gzip"}, 400),
            b"A body must not have a Content-Encoding.",
        ),
        ("CART", None, {"Content_Type": JSON, "Accept": "image/png"}, 406, b""),
        (
            *("CART", [0] * MOST_VALUES, {"Content_Type": JSON}, 400),
            b"A body of 524288 bytes or more may have 200000 values.",
        ),
    ],
    ids=["application", "type", "encoding", "accept", "values"],
)
def test_a_large_body_is_refused_like_a_small_one(
    stage: Stage,
    path: str,
    port: object,
    headers: dict[str, str],
    status: int,
    text: bytes,
) -> None:
    """With the same status and sentence; one of very many values is refused too."""

    async def story() -> None:
        async with stage.running() as server:
            sent = stage.registration(metadata={"a": FILLING}, port=port)
            reply = await server.call("POST", f"/eureka/apps/{path}", sent, **headers)
            assert (reply.status, reply.body) == (status, text or reply.body)

    stage.play(story())


def test_the_tasks_of_a_large_batch_are_answered_in_order(stage: Stage) -> None:
    """However many they are."""
    beat = {"action": "Heartbeat", "appName": "CART", "id": "2", "x": FILLING}
    known = {"action": "Heartbeat", "appName": "CART", "id": "1"}
    odd = {"action": "Odd", "appName": "CART", "id": "1"}
    body = msgspec.json.encode({"replicationList": [beat, *[known] * 600, odd]})

    async def story() -> None:
        async with stage.running() as server:
            client = await server.connect()
            await client.call("POST", "/eureka/apps/CART", stage.registration(), Content_Type=JSON)
            reply = await client.call(
                "POST", "/eureka/peerreplication/batch/", body, Content_Type=JSON
            )
            answers = msgspec.convert(reply.json(), dict[str, list[dict[str, int]]])
            codes = [one["statusCode"] for one in answers["responseList"]]
            assert codes == [404, *[200] * 600, 400]

    stage.play(story())
