"""
One line of `history.jsonl`: the schema, version 1.

Every line is a JSON object whose `event` says what it is; the first line is the header.
`at` and every other instant is in registry seconds since the cluster's birth.
A change that an older reader would misread raises `SCHEMA`; an added event or field does not,
because readers ignore fields they do not know.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import Struct

SCHEMA: Final = 1
FILE: Final = "history.jsonl"

Outcome: TypeAlias = Literal["ok", "refused", "unknown"]
"""
How a call ended: `ok` the registry did it, `refused` it certainly did not (an answer that says no,
or no connection), `unknown` it may have (no answer, or a 5xx).
"""

Verb: TypeAlias = Literal["register", "renew", "cancel", "status", "remove-status", "metadata"]

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

    `said` is the sentence that stands at its band on the page.
    """

    at: float
    fault: str
    kind: str
    said: str
    links: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()


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
    | Counted
    | FaultBegan
    | FaultBit
    | FaultEnded
    | ClockRead
    | Marked
    | Ended
)
