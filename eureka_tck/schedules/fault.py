"""
What a scenario may break: each kind of fault as data, `[[fault]]` of its file.

All times are registry seconds from the begin of *breaking*; `node` is a letter, or "any": the seed
decides. What plays a kind is in `faults`.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

Name: TypeAlias = Annotated[str, Meta(pattern="^[a-z][a-z0-9-]*$")]
Seconds: TypeAlias = Annotated[float, Meta(ge=0)]
Positive: TypeAlias = Annotated[float, Meta(gt=0)]
Share: TypeAlias = Annotated[float, Meta(gt=0, lt=1)]
Direction: TypeAlias = Literal["both", "in", "out"]


class Break(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every fault has; it begins `at` and is healed when it has lasted `lasts`."""

    name: Name
    at: Seconds
    lasts: Positive
    node: str = "any"


class Partition(Break, frozen=True, kw_only=True, tag="partition", tag_field="kind"):
    """
    Links between nodes are cut.

    `shape` "one": the node is cut off from its peers. "halves": it and the nodes after it, half of
    all, from the others. "bridge": the others fall into halves that only the node still joins.
    "ring": each node keeps its two neighbours, so that majorities overlap. "clients": its clients
    alone are cut off. `direction` is seen from the node, in the shapes "one" and "halves": "out"
    stops what it sends, "in" what it is sent. `clients` cuts the node's clients off too.
    """

    shape: Literal["one", "halves", "bridge", "ring", "clients"] = "one"
    direction: Direction = "both"
    clients: bool = False


class Poison(Break, frozen=True, kw_only=True, tag="poison", tag_field="kind"):
    """
    The links of a node carry badly.

    `toxic`: "latency" of `delay` ± `jitter` s; "bandwidth" of `rate` KB a registry second;
    "slow-close", `delay` s late; "timeout": nothing passes, and after `delay` s it is closed (0:
    never); "reset" after `delay` s; "limit-data": closed after `bytes`.
    `stream` is what is poisoned: the requests, or the answers that come back.
    """

    toxic: Literal["latency", "bandwidth", "slow-close", "timeout", "reset", "limit-data"]
    direction: Direction = "both"
    stream: Literal["requests", "answers"] = "answers"
    delay: Seconds = 0.0
    jitter: Seconds = 0.0
    rate: Seconds = 0.0
    bytes: Annotated[int, Meta(ge=0)] = 0


class Flapping(Break, frozen=True, kw_only=True, tag="flapping", tag_field="kind"):
    """The links of a node are cut for `down` s, whole for `up` s, and so on."""

    down: Positive
    up: Positive
    direction: Direction = "both"


class Death(Break, frozen=True, kw_only=True, tag="death", tag_field="kind"):
    """
    A node ends and starts again with the same identity and an empty memory.

    `how`: "kill" as by kill -9, "stop" as it is asked to.
    """

    how: Literal["kill", "stop"] = "kill"


class RollingRestart(
    Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag="rolling-restart",
    tag_field="kind",
):
    """
    Each node in turn ends, is away for `down` s and starts again, `between` s after the one before.

    A schedule has a `Death` for each node in its place.
    """

    name: Name
    at: Seconds
    down: Positive
    between: Positive
    how: Literal["kill", "stop"] = "stop"


class Pause(Break, frozen=True, kw_only=True, tag="pause", tag_field="kind"):
    """A node is frozen: its process is there and does nothing, as in a long collection."""


class Starvation(Break, frozen=True, kw_only=True, tag="starvation", tag_field="kind"):
    """
    A node gets no more than a `share` of a processor, dealt out anew every `period` s.

    In a container it is a share of what it used before, and the kernel deals out ten times a
    second.
    """

    share: Share
    period: Positive = 2.0


class ClockShift(Break, frozen=True, kw_only=True, tag="clock-shift", tag_field="kind"):
    """
    A node's wall clock is another than its peers'.

    It jumps by `jump` s (negative: backwards) and then goes `rate` times as fast; healing puts it
    right again, which is a jump too.
    """

    jump: float = 0.0
    rate: Positive = 1.0


class WrongAnswers(Break, frozen=True, kw_only=True, tag="wrong-answers", tag_field="kind"):
    """
    What stands before a node answers its peers wrongly.

    `lie`: "unavailable" is 503 to all; "unknown" says of each renewal that the lease is not known;
    "dropped" keeps the first task of each batch to itself and says that it was done.
    """

    lie: Literal["unavailable", "unknown", "dropped"]


class WrongPeers(Break, frozen=True, kw_only=True, tag="wrong-peers", tag_field="kind"):
    """A node is told of a peer where nobody listens, and no more of those that there are."""


Fault: TypeAlias = (
    Partition
    | Poison
    | Flapping
    | Death
    | Pause
    | Starvation
    | ClockShift
    | WrongAnswers
    | WrongPeers
)
"""What a schedule holds."""


def wrong_toxic(fault: Poison) -> str:
    """Return which amount a toxic lacks, as the end of a sentence; empty where it has all."""
    needed = {"latency": "delay", "bandwidth": "rate", "slow-close": "delay", "limit-data": "bytes"}
    amount = needed.get(fault.toxic)
    if amount is None or getattr(fault, amount) > 0:
        return ""
    return f"{amount} is 0, but {fault.toxic} is nothing without one"
