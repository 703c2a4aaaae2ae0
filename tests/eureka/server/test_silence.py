"""How much is said about a peer that is down."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.eureka.server.conftest import Stage

HOST = "127.0.0.1"
JSON = "application/json"


def test_a_peer_that_stays_down_is_told_at_first_and_summed_up_seldom(stage: Stage) -> None:
    """Hundreds of attempts are three lines: the beginning, and one each five minutes."""

    async def story() -> None:
        with socket.create_server((HOST, 0)) as taken:
            port = taken.getsockname()[1]
        url = f"http://{HOST}:{port}/eureka/"
        async with stage.running(speed=1000, peers=(url,), sync_retries=0) as server:
            client = await server.connect()
            await client.call("POST", "/eureka/apps/CART", stage.registration(), Content_Type=JSON)
            clock = server.server.service.clock
            while clock.monotonic() < 1000:
                assert (await client.call("PUT", "/eureka/apps/CART/1")).status in (200, 404)
            assert server.log.count(" peer-fails ") == 1
            summaries = [line for line in server.log.splitlines() if " peer-still-fails " in line]
            assert 1 <= len(summaries) <= 3
            assert f" url={url} " in summaries[0]
            since = summaries[0].partition(" since=")[2].partition(" ")[0]
            assert float(since) >= 300
            assert " queued=" in summaries[0]

    stage.play(story())
