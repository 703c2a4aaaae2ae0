"""What the page shows, for programs; health."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from tests.eureka.server.conftest import Stage

JSON = "application/json"


def test_applications_are_listed_as_json(stage: Stage) -> None:
    """All of them, with all their instances."""

    async def story() -> None:
        async with stage.running() as server:
            assert (await server.call("GET", "/registry/applications")).json() == []
            for app in ("CART", "BILLING"):
                await server.call(
                    "POST", f"/eureka/apps/{app}", stage.registration(app=app), Content_Type=JSON
                )

            assert (await server.call("GET", "/registry/applications")).json() == [
                {
                    "name": app,
                    "size": 1,
                    "zones": {"default": 1},
                    "images": {"n/a": 1},
                    "byStatus": {"UP": 1},
                    "instances": [
                        {
                            "id": "1",
                            "status": "UP",
                            "overridden": False,
                            "zone": "default",
                            "hostName": "h",
                            "url": "",
                        }
                    ],
                }
                for app in ("BILLING", "CART")
            ]

    stage.play(story())


def test_recent_leases_are_listed_as_json(stage: Stage) -> None:
    """As on the page of the last leases."""

    async def story() -> None:
        async with stage.running() as server:
            await server.call("POST", "/eureka/apps/CART", stage.registration(), Content_Type=JSON)
            await server.call("DELETE", "/eureka/apps/CART/1")
            recent = msgspec.convert(
                (await server.call("GET", "/registry/recent")).json(),
                dict[str, list[dict[str, object]]],
            )

            assert [one["how"] for one in recent["cancelled"]] == ["cancelled"]
            assert [(one["app"], one["again"]) for one in recent["registered"]] == [("CART", False)]

    stage.play(story())


def test_the_state_explains_protection(stage: Stage) -> None:
    """In figures and in words."""

    async def story() -> None:
        async with stage.running() as server:
            await stage.until(lambda: "opened" in server.log, "the registry to open")
            state = msgspec.convert(
                (await server.call("GET", "/registry/state")).json(), dict[str, object]
            )

            protection = msgspec.convert(state["protection"], dict[str, object])
            assert protection["reason"] == "first minute"
            assert protection["sinceMs"] == state["openedAtMs"]
            assert state["phase"] == "open"

    stage.play(story())


def test_a_node_that_refuses_lists_is_live_and_not_ready(stage: Stage) -> None:
    """A load balancer leaves it alone, Kubernetes does not kill it."""

    async def story() -> None:
        async with stage.running(open_count=0) as server:
            await stage.until(lambda: "opened" in server.log, "the registry to open")
            ready = await server.call("GET", "/health/ready")

            assert (ready.status, ready.json()) == (
                503,
                {"status": "OUT_OF_SERVICE", "reason": "waiting"},
            )
            assert (await server.call("GET", "/health/live")).status == 200
        async with stage.running() as server:
            await stage.until(lambda: "opened" in server.log, "the registry to open")
            for path in ("/health", "/health/live", "/health/ready", "/actuator/health"):
                reply = await server.call("GET", path)
                assert (reply.status, reply.json()) == (200, {"status": "UP"})

    stage.play(story())
