"""What a storm may reach unasked."""

from __future__ import annotations

import ipaddress
import socket
from types import SimpleNamespace
from typing import TYPE_CHECKING

import psutil
import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.targets import near as module
from eureka_tck.targets.near import admitted, near, within

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be a machine at 10.1.2.3 of a company's network, with Docker's bridge at 172.17.0.1."""

    def at(address: str, mask: str) -> list[SimpleNamespace]:
        return [SimpleNamespace(family=socket.AF_INET, address=address, netmask=mask)]

    (tmp_path / "docker0" / "bridge").mkdir(parents=True)
    monkeypatch.setattr(module, "INTERFACES", tmp_path)
    monkeypatch.setattr(module, "CONTAINED", (tmp_path / "contained",))
    monkeypatch.setattr(
        psutil,
        "net_if_addrs",
        lambda: {
            "eth0": at("10.1.2.3", "255.0.0.0"),
            "docker0": at("172.17.0.1", "255.255.0.0"),
            "odd": [SimpleNamespace(family=-1, address="00:00", netmask=None)],
        },
    )
    return tmp_path


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.0.138.5", "[::1]", "localhost", "10.1.2.3", "172.17.0.9", "0.0.0.0"],  # noqa: S104 - a target's
)
def test_this_machine_and_its_containers_may_be_stormed(host: str) -> None:
    """Its own addresses, whatever they are called, and its bridges' networks."""
    assert admitted(f"http://{host}:8761", owned=False)[1] == 8761


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    "host",
    [
        "10.1.2.4", "192.168.1.1", "8.8.8.8", "169.254.169.254", "100.64.0.1",
        "[::ffff:8.8.8.8]", "[::ffff:10.1.2.4]", "[2001:db8::1]", "[fe80::1]", "[64:ff9b::7f00:1]",
    ],
)  # fmt: skip
def test_neighbours_and_the_rest_of_the_world_may_not(host: str) -> None:
    """A private address is a company's registry as likely as not."""
    with pytest.raises(CannotRun, match="beyond this machine") as caught:
        admitted(f"http://{host}:8761", owned=False)

    assert "--i-own-this-target" in str(caught.value)
    assert admitted(f"http://{host}:8761", owned=True) == (host.strip("[]"), 8761)


@pytest.mark.usefixtures("machine")
def test_a_name_is_where_it_resolves_to_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """One address beyond is enough to refuse; what is admitted is the address, not the name."""
    found = ["127.0.0.1", "8.8.8.8"]
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda _, port, **__: [(socket.AF_INET, 1, 6, "", (one, port)) for one in found],
    )
    with pytest.raises(CannotRun, match=r"is at 8\.8\.8\.8"):
        admitted("http://rebound.example:8761", owned=False)

    found.pop()

    assert admitted("http://rebound.example:8761", owned=False) == ("127.0.0.1", 8761)


def test_a_name_that_nobody_knows_is_said() -> None:
    """Not by a traceback."""
    with pytest.raises(CannotRun, match=r"the host nowhere\.invalid is not known"):
        admitted("http://nowhere.invalid:8761", owned=False)


def test_within_a_container_its_network_is_one_of_containers(machine: Path) -> None:
    """Masters, workers and registries of one Compose file reach each other."""
    neighbour = ipaddress.ip_address("10.1.2.4")
    assert not within(neighbour, near())

    (machine / "contained").touch()

    assert within(neighbour, near())
