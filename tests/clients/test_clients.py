"""What people have in their programs works with this registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.clients.conftest import driven

if TYPE_CHECKING:
    from eureka_tck.clock import Clock
    from tests.clients.conftest import Client, Registry

START_BUDGET = 60.0  # seconds; a JVM among busy neighbours
RENEWAL_BUDGET = 20.0  # seconds; ten renewal intervals
OTHER = {
    "instance": {
        "instanceId": "other:1",
        "hostName": "other",
        "app": "OTHER",
        "vipAddress": "other",
        "ipAddr": "10.0.0.1",
        "status": "UP",
        "port": {"$": 80, "@enabled": "true"},
        "dataCenterInfo": {
            "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo",
            "name": "MyOwn",
        },
    }
}


@pytest.mark.clients
@pytest.mark.slow
@pytest.mark.timeout(400)  # a first fetch included
def test_a_real_client_lives_its_life_here(
    client: Client, registry: Registry, clock: Clock
) -> None:
    """It registers, renews, finds others, comes back after its lease was lost, and leaves."""
    registry.call("POST", "apps/OTHER", OTHER).raise_for_status()
    app, instance_id = "REAL", "real:1"

    def held() -> dict[str, object] | None:
        return registry.instance(app, instance_id)

    def renewed() -> bool:
        lease = (held() or {}).get("leaseInfo")
        if lease is None:
            return False
        assert isinstance(lease, dict)
        return bool(lease["lastRenewalTimestamp"] != lease["registrationTimestamp"])

    with driven(client, registry, app.lower(), instance_id) as driver:
        clock.wait_until(held, what="its registration", within=START_BUDGET)
        record = held()
        assert record is not None
        assert record["port"] == {"$": 8123, "@enabled": "true"}

        clock.wait_until(renewed, what="its first renewal", within=RENEWAL_BUDGET)
        clock.wait_until(
            lambda: driver.sees("OTHER") == "1", what="OTHER in its copy", within=RENEWAL_BUDGET
        )

        assert registry.call("DELETE", f"apps/{app}/{instance_id}").ok
        clock.wait_until(held, what="its return", within=RENEWAL_BUDGET)
        clock.wait_until(
            lambda: (held() or {}).get("status") == "UP", what="it to be UP", within=RENEWAL_BUDGET
        )

        driver.leave()
        assert held() is None
