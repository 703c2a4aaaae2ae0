"""
One line of `history.jsonl`: the schema, version 2.

Every line is a JSON object whose `event` says what it is; the first line is the header.
`at` and every other instant is in registry seconds since the cluster's birth.
What an older reader would misread or not know as an event raises `SCHEMA`; an added field does not,
because readers ignore fields they do not know. All versions up to this one can be read.

Version 2 added: reads as calls, the copies that clients keep (`Copied`), the clocks of the nodes
(`NodeClockRead`), what a call asks for (`Invoked.value`), and which nodes a fault makes forget.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import Struct

SCHEMA: Final = 2
FILE: Final = "history.jsonl"

PROBE: Final = "probe"
"""Who makes the calls by which a fault proves itself; its instance is no part of the fleet."""

Outcome: TypeAlias = Literal["ok", "refused", "unknown"]
"""
How a call ended: `ok` the registry did it, `refused` it certainly did not (an answer that says no,
or no connection), `unknown` it may have (no answer, or a 5xx).
"""

Verb: TypeAlias = Literal[
    "register", "renew", "cancel", "status", "remove-status", "metadata", "read", "read-delta"
]
"""What a client calls; `read` is a full list, `read-delta` what changed lately."""

READS: Final[frozenset[Verb]] = frozenset({"read", "read-delta"})
"""The calls that change nothing; their `instance` is empty."""

Source: TypeAlias = Literal["list", "single"]
"""
Where a sample comes from: a full list, in which whatever had vanished was confirmed by a single
read (lists are cached, single reads are not), or single reads alone.
"""


class Seen(Struct, frozen=True, array_like=True):
    """What a node says of one instance; `data` is a digest of its metadata, `dirty_ms` its T."""

    status: str
    overridden: str
    dirty_ms: int
    data: str


class Header(Struct, frozen=True, kw_only=True, tag="header", tag_field="event"):
    """
    The first line: what was run, on what, with which settings.

    `settings` are the effective ones of each node, by Spring's names.
    `schedule` is the drawn schedule, enough to run the same once more.
    """

    schema: int = SCHEMA
    run: str
    scenario: str
    target: str
    backend: str
    speed: float
    seed: int
    started: str
    command: str
    nodes: tuple[str, ...]
    settings: dict[str, dict[str, str]]
    title: str = ""
    why: str = ""
    promises: tuple[str, ...] = ()
    schedule: dict[str, object] = {}
    versions: dict[str, str] = {}
    machine: str = ""


class Invoked(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="op", tag_field="event"):
    """
    A client begins a call; `op` is its number, `who` the workload or fault that makes it.

    `lease` (D) and `interval` (R) in seconds are what a registration declares.
    `value` is what it asks for: the status of a registration or of a status call.
    """

    at: float
    op: int
    who: str
    node: str
    verb: Verb
    instance: str
    dirty_ms: int | None = None
    lease: float | None = None
    interval: float | None = None
    value: str = ""


class Completed(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag="done", tag_field="event"
):
    """The call `op` ended; `status` is the HTTP status, None where no answer came."""

    at: float
    op: int
    outcome: Outcome
    status: int | None = None
    error: str = ""


class Sampled(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag="sample", tag_field="event"
):
    """
    What a node answered between `began` and `at`.

    A `whole` sample holds everything; another one only what differs from the sample before it of
    the same node: `present` what is new or changed, `absent` what is gone.
    `error` says why nothing was seen; such a sample changes nothing.
    """

    at: float
    began: float
    node: str
    source: Source = "list"
    whole: bool = False
    present: dict[str, Seen] = {}
    absent: tuple[str, ...] = ()
    error: str = ""


class Copied(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="copy", tag_field="event"):
    """
    The copy of the registry that a client held at `at`, as it told callers then.

    `node` is the registry it read last, `read_at` the instant at which it asked for what it holds.
    The values of `present` are statuses; a `whole` copy holds everything, another one only what
    differs from the copy before it of the same client.
    """

    at: float
    client: str
    node: str
    read_at: float
    whole: bool = False
    present: dict[str, str] = {}
    absent: tuple[str, ...] = ()


class Counted(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag="counters", tag_field="event"
):
    """What the target's own page says: threshold and renewals of the last complete minute."""

    at: float
    node: str
    threshold: int
    renewals: int
    expiration_enabled: bool
    self_preservation: bool
    emergency: bool | None = None


class FaultBegan(Struct, frozen=True, kw_only=True, tag="fault-begin", tag_field="event"):
    """
    A fault begins: from `at` on the named `links` may be cut and the named `nodes` out of action.

    `said` is the sentence that stands at its band on the page. `forgets` are the nodes whose
    memory is lost by it: they are killed or stopped, and start again with nothing.
    """

    at: float
    fault: str
    kind: str
    said: str
    links: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    forgets: tuple[str, ...] = ()


class FaultBit(Struct, frozen=True, kw_only=True, tag="fault-bit", tag_field="event"):
    """The fault is proven to have had its effect; each of `proof` is a sentence."""

    at: float
    fault: str
    proof: tuple[str, ...]


class FaultEnded(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag="fault-end", tag_field="event"
):
    """The fault is healed: healing began at `since` and was done at `at`; `error` if it failed."""

    at: float
    fault: str
    since: float
    error: str = ""


class ClockRead(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag="clock", tag_field="event"
):
    """Our own clock: `late` is this process's worst lateness since the reading before."""

    at: float
    epoch_ms: int
    late: float = 0.0


class NodeClockRead(Struct, frozen=True, kw_only=True, tag="node-clock", tag_field="event"):
    """
    The wall clock of a node, read from what it answers.

    `ahead` is how many registry seconds it is before the cluster's clock (negative: behind),
    known to `within` seconds.
    """

    at: float
    node: str
    ahead: float
    within: float


class Marked(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="mark", tag_field="event"):
    """A phase of the run begins, or something worth a line was seen."""

    at: float
    name: str
    said: str = ""


class Ended(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="end", tag_field="event"):
    """The last line of a run that came to its end; `error` says what broke it off."""

    at: float
    error: str = ""


Event: TypeAlias = (
    Invoked
    | Completed
    | Sampled
    | Copied
    | Counted
    | FaultBegan
    | FaultBit
    | FaultEnded
    | ClockRead
    | NodeClockRead
    | Marked
    | Ended
)
