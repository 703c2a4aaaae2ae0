"""What a client may say to a registry, as values, and how each is said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from eureka_tck.wire.sample import DIRTY_MS, Sample, registration, sample, without

if TYPE_CHECKING:
    from eureka_tck.wire.answer import Answer
    from eureka_tck.wire.client import WireClient

Fault: TypeAlias = Literal["another application", "no host name", "no data centre", "no JSON"]
Pairs: TypeAlias = tuple[tuple[str, str], ...]

LONG: Final = 3600  # s, the leases: nothing expires while a program runs


@dataclass(frozen=True, slots=True, order=True)
class Who:
    """An instance: its application in upper case, and its id."""

    app: str
    id: str

    def __str__(self) -> str:
        return f"{self.app}/{self.id}"


@dataclass(frozen=True, slots=True)
class Register:
    """
    A registration. `t` is added to the T of all samples; `status` None leaves it out.

    `lower_case` spells the application so, in the path and in the body.
    """

    who: Who
    t: int = 0
    status: str | None = "UP"
    override: str | None = None
    metadata: Pairs = ()
    ip: str = "10.0.0.1"
    lower_case: bool = False

    def say(self, wire: WireClient) -> Answer:
        """Send it."""
        return wire.register(self.fields())

    def fields(self) -> Sample:
        """Return the body's fields."""
        app = self.who.app.lower() if self.lower_case else self.who.app
        fields = sample(
            app,
            self.who.id,
            duration=LONG,
            lastDirtyTimestamp=str(DIRTY_MS + self.t),
            metadata=dict(self.metadata),
            ipAddr=self.ip,
            overriddenStatus=self.override or "UNKNOWN",
        )
        return (
            without(fields, "status") if self.status is None else fields | {"status": self.status}
        )


@dataclass(frozen=True, slots=True)
class RegisterWrongly:
    """A registration that nobody may take."""

    who: Who
    fault: Fault

    def say(self, wire: WireClient) -> Answer:
        """Send it."""
        fields, app = sample(self.who.app, self.who.id), self.who.app
        match self.fault:
            case "another application":
                return wire.post(app, registration(fields | {"app": f"{app}-ELSEWHERE"}))
            case "no host name":
                return wire.post(app, registration(without(fields, "hostName")))
            case "no data centre":
                return wire.post(app, registration(without(fields, "dataCenterInfo")))
        return wire.post(app, b'{"instance":{"instanceId":')


@dataclass(frozen=True, slots=True)
class Renew:
    """A renewal; `t` is added to the T of all samples, or is a text that is no number."""

    who: Who
    t: int | str | None = None
    status: str | None = None

    def say(self, wire: WireClient) -> Answer:
        """Send it."""
        return wire.renew(self.who.app, self.who.id, dirty=_t(self.t), status=self.status)


@dataclass(frozen=True, slots=True)
class Cancel:
    """A cancellation."""

    who: Who

    def say(self, wire: WireClient) -> Answer:
        """Send it."""
        return wire.cancel(self.who.app, self.who.id)


@dataclass(frozen=True, slots=True)
class SetStatus:
    """An override; `t` as of a renewal."""

    who: Who
    value: str | None
    t: int | None = None

    def say(self, wire: WireClient) -> Answer:
        """Send it."""
        return wire.set_status(self.who.app, self.who.id, self.value, dirty=_t(self.t))


@dataclass(frozen=True, slots=True)
class RemoveStatus:
    """The removal of an override; `value` is the status to go on with."""

    who: Who
    value: str | None = None
    t: int | None = None

    def say(self, wire: WireClient) -> Answer:
        """Send it."""
        return wire.remove_status(self.who.app, self.who.id, self.value, dirty=_t(self.t))


@dataclass(frozen=True, slots=True)
class SetMetadata:
    """Keys of the metadata, added or replaced."""

    who: Who
    entries: Pairs

    def say(self, wire: WireClient) -> Answer:
        """Send it."""
        return wire.set_metadata(self.who.app, self.who.id, dict(self.entries))


@dataclass(frozen=True, slots=True)
class ReadOne:
    """A single read, below its application or by its id alone."""

    who: Who
    by_id: bool = False

    def say(self, wire: WireClient) -> Answer:
        """Send it."""
        if self.by_id:
            return wire.instance_by_id(self.who.id)
        return wire.instance(self.who.app, self.who.id)


@dataclass(frozen=True, slots=True)
class ReadApp:
    """The list of an application."""

    app: str

    def say(self, wire: WireClient) -> Answer:
        """Send it."""
        return wire.app(self.app)


@dataclass(frozen=True, slots=True)
class ReadAll:
    """The whole list."""

    def say(self, wire: WireClient) -> Answer:
        """Send it."""
        return wire.apps()


@dataclass(frozen=True, slots=True)
class ReadDelta:
    """The recent changes."""

    def say(self, wire: WireClient) -> Answer:
        """Send it."""
        return wire.delta()


Call: TypeAlias = (
    Register
    | RegisterWrongly
    | Renew
    | Cancel
    | SetStatus
    | RemoveStatus
    | SetMetadata
    | ReadOne
    | ReadApp
    | ReadAll
    | ReadDelta
)


def _t(offset: int | str | None) -> int | str | None:
    return DIRTY_MS + offset if isinstance(offset, int) else offset
