"""Any sequence of calls, time and runs, against a model that is a plain dictionary."""

from __future__ import annotations

from random import Random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from eureka.core.errors import UnknownInstance
from eureka.core.event import Evicted, EvictionRan
from eureka.core.instance import DataCenter, Instance, Key
from eureka.core.instant import Instant
from eureka.core.policy import Policy
from eureka.core.registry import Registry
from eureka.core.status import Status

KEYS = st.builds(Key, st.sampled_from(["CART", "PAY"]), st.sampled_from(["1", "2", "3"]))
STATUSES = st.sampled_from(list(Status))
COMMANDS = st.sampled_from([status for status in Status if status is not Status.UNKNOWN])
SECONDS = st.sampled_from([0.0, 0.5, 4.0, 9.0, 11.0, 30.0, 61.0])
EPOCH_MS = 1_796_040_000_000


class Model:
    """What is known of one lease."""

    def __init__(self, status: Status, override: Status, dirty_ms: int, expires: float) -> None:
        self.status = status
        self.override = override
        self.dirty_ms = dirty_ms
        self.expires = expires


class RegistryMachine(RuleBasedStateMachine):
    """Drives a registry and a dictionary alike, and compares them after every step."""

    duration = 10

    @initialize(self_preservation=st.booleans())
    def start(self, self_preservation: bool) -> None:
        """Open a registry."""
        self.seconds = 0.0
        self.model: dict[Key, Model] = {}
        self.copy: dict[Key, Status] = {}  # a client's, kept by deltas alone
        self.expected = 1
        self.rng = Random(1)
        policy = Policy(
            self_preservation=self_preservation,
            eviction_interval=7,
            recount_interval=1e9,
            delta_retention=1e9,
        )
        self.registry = Registry(policy)
        self.registry.open(0, now=self.now)

    @property
    def now(self) -> Instant:
        """The present moment."""
        return Instant(self.seconds, EPOCH_MS + round(self.seconds * 1000))

    def readable(self, key: Key) -> bool:
        """Tell what a single read should find."""
        held = self.model.get(key)
        overdue = held is not None and self.seconds > held.expires
        return held is not None and not (overdue and self.registry.expiry_enabled(now=self.now))

    @rule(key=KEYS, status=STATUSES, dirty_ms=st.integers(1, 3), replicated=st.booleans())
    def register(self, key: Key, status: Status, dirty_ms: int, replicated: bool) -> None:
        """Register as a client or a peer does."""
        instance = Instance(
            key=key,
            host_name="h",
            ip_address="i",
            data_center=DataCenter("MyOwn"),
            metadata={},
            dirty_ms=dirty_ms,
            duration=self.duration,
            status=status,
        )

        self.registry.register(instance, now=self.now, replicated=replicated)

        held = self.model.get(key)
        if held is None:
            self.expected += 1
            held = self.model[key] = Model(status, Status.UNKNOWN, dirty_ms, 0)
        else:
            if held.dirty_ms > dirty_ms:
                status, dirty_ms = held.status, held.dirty_ms
            serving = (Status.UP, Status.OUT_OF_SERVICE)
            if status in serving and held.override is not Status.UNKNOWN:
                status = held.override
            elif status in serving and held.status in serving and not replicated:
                status = held.status
            held.status, held.dirty_ms = status, dirty_ms
        held.expires = self.seconds + self.duration

    @rule(key=KEYS, replicated=st.booleans())
    def renew(self, key: Key, replicated: bool) -> None:
        """Renew; the override is applied anew."""
        held = self.model.get(key)
        serving = held is not None and held.status in (Status.UP, Status.OUT_OF_SERVICE)
        try:
            self.registry.renew(key, now=self.now, replicated=replicated)
        except UnknownInstance:
            assert held is None or held.status is Status.UNKNOWN
            return
        assert held is not None
        assert held.status is not Status.UNKNOWN
        if serving and held.override is not Status.UNKNOWN:
            held.status = held.override
        held.expires = self.seconds + 2 * self.duration

    @rule(key=KEYS)
    def cancel(self, key: Key) -> None:
        """Cancel, overdue or not."""
        try:
            self.registry.cancel(key, now=self.now)
        except UnknownInstance:
            assert key not in self.model
            return
        del self.model[key]
        self.expected -= 1

    @rule(key=KEYS, status=COMMANDS)
    def set_status(self, key: Key, status: Status) -> None:
        """Override."""
        readable = self.readable(key)
        try:
            self.registry.set_status(key, status, now=self.now)
        except UnknownInstance:
            assert not readable
            return
        assert readable
        held = self.model[key]
        if held.status is not status:
            held.status = held.override = status
        held.expires = self.seconds + 2 * self.duration

    @rule(key=KEYS, status=STATUSES)
    def remove_status(self, key: Key, status: Status) -> None:
        """Remove the override."""
        readable = self.readable(key)
        try:
            self.registry.remove_status(key, status, now=self.now)
        except UnknownInstance:
            assert not readable
            return
        assert readable
        held = self.model[key]
        if held.override is not Status.UNKNOWN:
            held.status, held.override = status, Status.UNKNOWN
        held.expires = self.seconds + 2 * self.duration

    @rule(seconds=SECONDS)
    def time_passes(self, seconds: float) -> None:
        """Let time pass without a run."""
        self.seconds += seconds

    @rule()
    def tick(self) -> None:
        """Let a run happen, however late it is."""
        size = len(self.model)
        events = self.registry.tick(now=self.now, rng=self.rng)

        runs = [event for event in events if isinstance(event, EvictionRan)]
        evicted = [event.instance.key for event in events if isinstance(event, Evicted)]
        assert len(evicted) <= size - int(size * 0.85)
        for key in evicted:
            assert self.seconds - runs[0].compensation > self.model[key].expires
            del self.model[key]
            self.expected -= 1

    @rule()
    def fetch_delta(self) -> None:
        """Bring a client's copy up to date by the delta."""
        for record in self.registry.recent():
            instance = record.instance
            if instance.action == "DELETED":
                self.copy.pop(instance.key, None)
            else:
                self.copy[instance.key] = instance.status
        assert self.copy == {key: held.status for key, held in self.model.items()}

    @invariant()
    def registry_is_what_the_model_says(self) -> None:
        """Compare all that can be read."""
        found = {
            lease.instance.key: (
                lease.instance.status,
                lease.instance.overridden_status,
                lease.instance.dirty_ms,
                lease.expires_at,
            )
            for leases in self.registry.leases.by_app.values()
            for lease in leases.values()
        }
        assert found == {
            key: (held.status, held.override, held.dirty_ms, held.expires)
            for key, held in self.model.items()
        }
        assert len(self.registry.leases) == len(found)
        assert self.registry.preservation.clients == self.expected
        counted = {
            status: sum(held.status is status for held in self.model.values()) for status in Status
        }
        assert self.registry.leases.counts == counted
        assert all(self.registry.leases.by_app.values())

    @invariant()
    def single_reads_see_who_is_not_overdue(self) -> None:
        """Compare the single read of one instance."""
        key = Key("CART", "1")
        try:
            self.registry.read(key, now=self.now)
        except UnknownInstance:
            assert not self.readable(key)
        else:
            assert self.readable(key)


RegistryMachine.TestCase.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, derandomize=True
)
TestRegistry = RegistryMachine.TestCase
