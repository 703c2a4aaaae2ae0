"""
Blocks of loopback addresses: 127.0.x belongs to one cluster while it lives.

Its nodes are .11, .12, …, scripted peers .51, .52, …, Toxiproxy is .9; a socket bound on .1 says
that the block is taken, to every run of this machine, and goes with the process that holds it.
A block where anything listens is passed over, as are ports that a server holds on all addresses.
"""

from __future__ import annotations

import errno
import socket
from dataclasses import dataclass

from eureka_tck.errors import CannotRun

BLOCKS = range(2, 100)  # x of 127.0.x; 127.0.0 and 127.0.1 are used by systems themselves
GUARD = 1  # the address of a block that says it is taken
TOXIPROXY = 9
FIRST_NODE = 11
FIRST_GUEST = 51
SHARED = "127.0.0.1"
NOBODY = "127.0.254.253"  # an address no cluster uses
NODE_PORT = 8761  # Eureka's own
LINK_PORT = 8800  # + index of the source
CLIENT_PORT = 8790
GUEST_PORT = 8780  # of a scripted peer on a node's own address
API_PORT = 8474  # Toxiproxy's own
SHIFTS = (0, 10_000, 20_000)  # where a server of this machine holds port 8761 of all addresses


@dataclass(frozen=True, slots=True)
class Block:
    """A block of addresses that is ours while `guard` is open; `shift` is added to all ports."""

    prefix: str
    shift: int
    guard: socket.socket

    def node(self, index: int) -> str:
        """Return the address of a node."""
        return f"{self.prefix}.{FIRST_NODE + index}"

    def guest(self, index: int) -> str:
        """Return the address of a scripted peer."""
        return f"{self.prefix}.{FIRST_GUEST + index}"

    @property
    def toxiproxy(self) -> tuple[str, int]:
        """The address and port of Toxiproxy's API."""
        return f"{self.prefix}.{TOXIPROXY}", API_PORT + self.shift


def has_blocks() -> bool:
    """Say whether this system answers on loopback addresses beyond 127.0.0.1."""
    with socket.socket() as probe:
        try:
            probe.bind((f"127.0.{BLOCKS[0]}.{FIRST_NODE}", 0))
        except OSError:
            return False
    return True


def single_address() -> tuple[str, int]:
    """Return an address and a free port of a system that has no blocks."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return "127.0.0.1", int(probe.getsockname()[1])


def take_block(nodes: int, *, links: bool) -> Block:
    """Take the first block nobody holds, on the first ports nobody listens on."""
    holder = ""
    for shift in SHIFTS:
        for x in BLOCKS:
            guard = _bound(f"127.0.{x}.{GUARD}", API_PORT + shift, again=False)
            if guard is None:
                continue  # another cluster's
            block = Block(f"127.0.{x}", shift, guard)
            busy = next((a for a in _ports(block, nodes, links=links) if not _is_free(*a)), None)
            if busy is None:
                return block
            guard.close()
            holder = f"{busy[0]}:{busy[1]}"
            if not _is_free(NOBODY, busy[1]):
                break  # a server listens on all addresses, so no other block is better
    raise CannotRun(
        f"no block of loopback addresses is free for a cluster: {holder or 'all'} is in use.",
        "`eureka-tck sweep` removes what dead runs left; else end the server that listens there.",
    )


def _ports(block: Block, nodes: int, *, links: bool) -> list[tuple[str, int]]:
    """Return all a cluster of so many nodes will listen on."""
    hosts = [block.node(index) for index in range(nodes)]
    ports = [NODE_PORT]
    if links:
        ports += [CLIENT_PORT, *(LINK_PORT + index for index in range(nodes))]
    wanted = [(host, port + block.shift) for host in hosts for port in ports]
    return [*wanted, block.toxiproxy] if links else wanted


def _is_free(host: str, port: int) -> bool:
    probe = _bound(host, port, again=True)
    if probe is not None:
        probe.close()
    return probe is not None


def _bound(host: str, port: int, *, again: bool) -> socket.socket | None:
    """Return a socket bound there; None if it is taken. With `again`, closed ones do not count."""
    probe = socket.socket()
    if again:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        probe.bind((host, port))
    except OSError as error:
        probe.close()
        if error.errno not in {errno.EADDRINUSE, errno.EACCES, errno.EADDRNOTAVAIL}:
            raise
        return None
    return probe
