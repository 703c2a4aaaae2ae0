"""
What a storm may reach unasked: this machine and the networks of its own containers.

Narrower than what a gate may ask as a guest. A private address (10.0.0.0/8 and its like) says that
a registry is not on the internet, not that it is nobody's: a company's is at just such a one.
"""

from __future__ import annotations

import ipaddress
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import psutil

from eureka_tck.errors import CannotRun
from eureka_tck.targets.url import OWNER, running

if TYPE_CHECKING:
    from collections.abc import Iterable

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

INTERFACES: Final = Path("/sys/class/net")
CONTAINED: Final = (Path("/.dockerenv"), Path("/run/.containerenv"))
"""Docker and Podman leave one of them in every container."""


def admitted(root: str, *, owned: bool) -> tuple[str, int]:
    """
    Return where to connect to; CannotRun where a storm would be too far from home.

    Unless it is owned, that is the address that was looked at, not its name: the name could mean
    another by then.
    """
    host, port = running(root).address
    if owned:
        return host, port
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise CannotRun(f"url:{root}: the host {host} is not known: {error}.") from error
    addresses = [str(entry[4][0]) for entry in found]
    networks = near()
    for text in addresses:
        if not within(ipaddress.ip_address(text.partition("%")[0]), networks):
            raise CannotRun(
                f"url:{root} is at {text}, beyond this machine and its containers' networks.",
                f"Storm it only if it is yours, with {OWNER}.",
            )
    return addresses[0], port


def within(address: Address, networks: Iterable[Network]) -> bool:
    """Say whether an address is this machine's own, or in one of the networks."""
    mapped = getattr(address, "ipv4_mapped", None)
    one: Address = mapped or address
    return one.is_loopback or one.is_unspecified or any(one in network for network in networks)


def near() -> list[Network]:
    """Return this machine's own addresses and the networks of its containers."""
    contained = any(path.exists() for path in CONTAINED)
    networks: list[Network] = []
    for name, addresses in psutil.net_if_addrs().items():
        is_bridge = (INTERFACES / name / "bridge").exists()
        for one in addresses:
            if one.family not in (socket.AF_INET, socket.AF_INET6):
                continue
            text = one.address.partition("%")[0]
            mask = f"/{one.netmask}" if one.family == socket.AF_INET and one.netmask else ""
            wide = is_bridge or contained
            networks.append(ipaddress.ip_network(text + (mask if wide else ""), strict=False))
    return networks
