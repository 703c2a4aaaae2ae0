"""The server as an instance of itself, and its last words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka.core.instant import Instant
from eureka.core.status import Status
from eureka.server.registration import own_instance
from eureka.server.settings import OwnInstance, Security, Settings

if TYPE_CHECKING:
    from tests.eureka.server.conftest import Running, Stage

NOW = Instant(1.0, 5000)
OWN = "/eureka/apps/REGISTRY/r-1"


def settings_of(**more: object) -> dict[str, object]:
    """Return the settings of a server that registers itself."""
    own = OwnInstance(instance_id="r-1", app="registry", renewal_interval=10, duration=30)
    return {"register_with_eureka": True, "own": own, "sync_retries": 0, **more}


def ids(server: Running) -> list[str]:
    """Return who holds a lease."""
    return [str(lease.instance.key) for lease in server.server.service.node.registry.leases]


def test_it_registers_and_renews(stage: Stage) -> None:
    """It outlives its lease, and comes back when somebody cancelled it."""

    async def story() -> None:
        async with stage.running(
            speed=100, self_preservation=False, eviction_interval=5.0, **settings_of()
        ) as server:
            registry = server.server.service.node.registry
            await stage.until(lambda: ids(server) == ["REGISTRY/r-1"], "its registration")
            await stage.until(lambda: registry.preservation.renewals >= 8, "eighty seconds of it")
            assert ids(server) == ["REGISTRY/r-1"]
            assert "registered-itself app=REGISTRY id=r-1" in server.log
            assert (await server.call("DELETE", OWN)).status == 200
            await stage.until(lambda: ids(server) == ["REGISTRY/r-1"], "its return")

    stage.play(story())


def test_it_cancels_when_it_ends_and_its_peers_learn_of_it(stage: Stage) -> None:
    """The last words are said before the connections are closed."""

    async def story() -> None:
        timeouts = {"peer_connect_timeout": 30.0, "peer_read_timeout": 30.0}
        async with stage.running(speed=10, host_name="registry-b", sync_retries=0) as b:
            async with stage.running(speed=10, peers=(b.url,), **settings_of(**timeouts)):
                await stage.until(lambda: ids(b) == ["REGISTRY/r-1"], "its registration at b")
            await stage.until(lambda: ids(b) == [], "its end at b")

    stage.play(story())


def test_it_may_be_told_not_to_cancel(stage: Stage) -> None:
    """As Spring's clients may."""

    async def story() -> None:
        own = OwnInstance(cancels=False)
        async with stage.running(register_with_eureka=True, own=own, sync_retries=0) as server:
            await stage.until(lambda: len(ids(server)) == 1, "its registration")
            server.server.stop()
            assert len(ids(server)) == 1

    stage.play(story())


def test_it_describes_itself_as_springs_servers_do() -> None:
    """Names, ports and pages follow from host and port."""
    settings = Settings(host="10.1.2.3", host_name="registry-a", application="registry")
    instance = own_instance(settings, 8761, now=NOW)

    assert str(instance.key) == "REGISTRY/registry-a:registry:8761"
    assert (instance.host_name, instance.ip_address) == ("registry-a", "10.1.2.3")
    assert (instance.port.number, instance.port.enabled) == (8761, True)
    assert not instance.secure_port.enabled
    assert instance.vip_address == "registry"
    assert instance.home_page_url == "http://registry-a:8761/"
    assert instance.health_check_url == "http://registry-a:8761/health"
    assert (instance.status, instance.dirty_ms) == (Status.UP, 5000)


def test_what_is_set_goes_before_that() -> None:
    """Address instead of name, ports, pages, metadata; TLS shows in all of it."""
    own = OwnInstance(
        ip_address="10.9.9.9",
        prefer_ip_address=True,
        secure_port=443,
        status_page_path="/status",
        metadata={"zone": "z1"},
        initial_status="STARTING",
    )
    security = Security(certificate="c", private_key="k")
    instance = own_instance(Settings(own=own, security=security), 8761, now=NOW)

    assert instance.host_name == instance.ip_address == "10.9.9.9"
    assert not instance.port.enabled
    assert (instance.secure_port.number, instance.secure_port.enabled) == (443, True)
    assert instance.status_page_url == "https://10.9.9.9:443/status"
    assert (instance.metadata, instance.status) == ({"zone": "z1"}, Status.STARTING)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "localhost"])  # noqa: S104 - to be recognised
def test_an_address_is_found_where_none_is_listened_on(host: str) -> None:
    """One that others could call, or this machine's own."""
    address = own_instance(Settings(host=host), 1, now=NOW).ip_address

    assert address.count(".") == 3
    assert address != "0.0.0.0"  # noqa: S104 - the same
