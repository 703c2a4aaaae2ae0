"""
What happens in one simulated run, as plain data: who lives where, who calls what, what breaks when.

Times are registry seconds since the start. Nodes are letters, links are "a>b" as the judge's are.
A schedule can be drawn from a seed, written down as JSON, and played alone.
"""

from __future__ import annotations

import random
from typing import Final, Literal, TypeAlias

from msgspec import Struct

LETTERS: Final = "abcdefg"

Leaving: TypeAlias = Literal["stays", "cancels", "dies"]
Verb: TypeAlias = Literal["status", "remove-status", "metadata", "register-again"]
FaultKind: TypeAlias = Literal[
    "cut", "lossy", "slow", "twice", "reset", "lie", "pause", "restart", "step"
]
Stream: TypeAlias = Literal["both", "requests", "answers"]
Lie: TypeAlias = Literal["", "unavailable", "unknown", "dropped"]


class Member(Struct, frozen=True, kw_only=True):
    """One instance: it registers at its home and renews there, or wherever it is answered."""

    id: str
    home: str
    joins: float
    interval: int
    lease: int
    leaving: Leaving = "stays"
    leaves: float = 0.0


class Call(Struct, frozen=True, kw_only=True):
    """Somebody changes an instance by a call at one node."""

    at: float
    node: str
    verb: Verb
    instance: str
    value: str


class Fault(Struct, frozen=True, kw_only=True):
    """
    Something is broken for a while.

    `cut`, `lossy`, `slow`, `twice` are of links: nothing passes, a share is lost (before or after
    it arrives), answers take `amount` seconds more, requests arrive twice.
    Drawn from scenarios alone: `reset` breaks the connection, `lie` answers batches wrongly, and
    `stream` is what of a link is meant: its requests, the answers that come back, or both.
    `pause`, `restart` (killed, started again at the end), `step` (of the wall clock, by `amount`)
    are of a node.
    """

    kind: FaultKind
    begins: float
    ends: float
    links: tuple[str, ...] = ()
    node: str = ""
    amount: float = 0.0
    stream: Stream = "both"
    jitter: float = 0.0
    lie: Lie = ""


class Schedule(Struct, frozen=True, kw_only=True):
    """All that is decided before a run."""

    seed: int
    nodes: str
    members: tuple[Member, ...]
    calls: tuple[Call, ...]
    faults: tuple[Fault, ...]
    healed: float
    """From here on nothing breaks and nobody calls, but for renewals."""
    self_preservation: bool = False
    eviction_interval: float = 5.0
    expected_renewal_interval: int = 10
    renewal_percent_threshold: float = 0.85
    open_count: int = 0
    copies: bool = True
    """Whether a node that starts again copies what a peer has."""
    read_timeout: float = 0.2
    delay: float = 0.02
    """One way over a sound link, at most."""

    @property
    def links(self) -> tuple[str, ...]:
        """All links, each in one direction."""
        return links_of(self.nodes)


def links_of(nodes: str) -> tuple[str, ...]:
    """Return the links of a full mesh."""
    return tuple(f"{one}>{other}" for one in nodes for other in nodes if one != other)


def draw(seed: int) -> Schedule:
    """Return the schedule of a seed."""
    chance = random.Random(f"simulation/{seed}")
    nodes = LETTERS[: chance.choice((3, 3, 3, 3, 4, 4, 5, 7))]
    healed = round(chance.uniform(40, 110), 1)
    members = tuple(
        _member(number, nodes, healed, chance) for number in range(chance.randint(3, 7))
    )
    faults = tuple(_fault(nodes, healed, chance) for _ in range(chance.randint(1, 4)))
    return Schedule(
        seed=seed,
        nodes=nodes,
        members=members,
        calls=tuple(_calls(members, nodes, healed, chance)),
        faults=faults,
        healed=healed,
        self_preservation=chance.random() < 0.3,
        eviction_interval=chance.choice((3.0, 5.0, 11.0)),
        read_timeout=chance.choice((0.2, 0.2, 1.0)),
        delay=chance.choice((0.002, 0.02, 0.09)),
    )


def _member(number: int, nodes: str, healed: float, chance: random.Random) -> Member:
    interval = chance.choice((5, 10, 10, 20))
    leaving: Leaving = chance.choice(("stays", "stays", "stays", "cancels", "dies"))
    joins = round(chance.uniform(0, healed / 2), 2)
    return Member(
        id=f"i{number}",
        home=chance.choice(nodes),
        joins=joins,
        interval=interval,
        lease=chance.choice((2, 3)) * interval,
        leaving=leaving,
        leaves=0.0 if leaving == "stays" else round(chance.uniform(joins, healed), 2),
    )


def _calls(
    members: tuple[Member, ...], nodes: str, healed: float, chance: random.Random
) -> list[Call]:
    calls: list[Call] = []
    for _ in range(chance.randint(0, 8)):
        member = chance.choice(members)
        verb: Verb = chance.choice(
            ("status", "status", "remove-status", "metadata", "register-again")
        )
        at = chance.uniform(min(member.joins + 1.5, healed), healed)
        # Some follow each other within a batching delay, at other nodes.
        for repeat in range(chance.choice((1, 1, 1, 2, 3))):
            value = {
                "status": chance.choice(("OUT_OF_SERVICE", "DOWN", "UP")),
                "remove-status": chance.choice(("UP", "UNKNOWN")),
                "metadata": f"{len(calls)}",
                "register-again": f"{len(calls)}",
            }[verb]
            calls.append(
                Call(
                    at=round(min(at + repeat * chance.uniform(0.05, 0.7), healed), 3),
                    node=chance.choice(nodes),
                    verb=verb,
                    instance=member.id,
                    value=value,
                )
            )
    return sorted(calls, key=lambda call: call.at)


def _fault(nodes: str, healed: float, chance: random.Random) -> Fault:
    kind: FaultKind = chance.choice(
        ("cut", "cut", "cut", "lossy", "slow", "twice", "pause", "restart", "step")
    )
    begins = round(chance.uniform(1, healed - 5), 2)
    lasts = chance.choice((chance.uniform(1, 8), chance.uniform(8, 40), chance.uniform(30, 60)))
    ends = round(min(begins + lasts, healed), 2)
    node = chance.choice(nodes)
    if kind in ("pause", "restart"):
        return Fault(kind=kind, begins=begins, ends=ends, node=node)
    if kind == "step":
        amount = round(chance.uniform(-120, 120), 1)
        return Fault(kind=kind, begins=begins, ends=begins, node=node, amount=amount)
    direction = chance.choice(("both", "both", "out", "in"))
    links = tuple(
        link
        for link in links_of(nodes)
        if (direction != "in" and link[0] == node) or (direction != "out" and link[2] == node)
    )
    if chance.random() < 0.3:
        links = (chance.choice(links),)
    amount = {"slow": chance.uniform(0.15, 3.0), "lossy": chance.uniform(0.1, 0.6)}.get(kind, 0.0)
    return Fault(kind=kind, begins=begins, ends=ends, links=links, amount=round(amount, 3))
