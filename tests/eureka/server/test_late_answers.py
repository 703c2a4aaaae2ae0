"""Answers that come after their batch was cut down and sent again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from tests.eureka.server.conftest import Stage

JSON = "application/json"
SPEED = 5.0  # registry seconds in a real one: what is sent in 100 ms travels in one batch


def test_a_late_answer_to_a_larger_batch_does_not_end_replication(stage: Stage) -> None:
    """The smaller one, whose attempt it ends, is sent again, and what follows too."""
    first, second = asyncio.Event(), asyncio.Event()
    attempts = []

    async def script(_method: str, _path: str, body: bytes) -> tuple[int, bytes]:
        attempts.append(body)
        if len(attempts) == 1:
            await first.wait()
        elif len(attempts) == 2:
            await second.wait()
        tasks = msgspec.json.decode(body)["replicationList"]
        return 200, msgspec.json.encode({"responseList": [{"statusCode": 200} for _ in tasks]})

    async def story() -> None:
        async with (
            stage.scripted(script) as peer,
            stage.running(
                speed=SPEED,
                peers=(peer.url,),
                sync_retries=0,
                peer_connect_timeout=5.0,
                peer_read_timeout=5.0,
            ) as server,
        ):
            client = await server.connect()

            async def register(*names: str) -> None:
                bodies = [stage.registration(name) for name in names]
                head = f"POST /eureka/apps/CART HTTP/1.1\r\nHost: x\r\nContent-Type: {JSON}\r\n"
                await client.send(
                    b"".join(
                        b"%bContent-Length: %d\r\n\r\n%b" % (head.encode(), len(body), body)
                        for body in bodies
                    )
                )
                for _ in names:
                    assert await client.receive() is not None

            await register("1", "2")
            await stage.until(lambda: len(attempts) == 1, "the first attempt")
            assert attempts[0].count(b'"Register"') == 2
            await register("1")  # so what the first attempt said of it need not be sent again
            await stage.until(lambda: len(attempts) == 2, "the second attempt")
            assert attempts[1].count(b'"Register"') == 1
            first.set()
            await stage.until(lambda: len(attempts) >= 4, "the batches behind it")
            assert any(b'"id":"1"' in attempt for attempt in attempts[2:])
            second.set()

    stage.play(story())
