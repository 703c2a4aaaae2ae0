"""Leases by the second in which to look at them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from eureka.core.due import HORIZON, DueLeases
from eureka.core.instance import DataCenter, Instance, Key
from eureka.core.instant import Instant
from eureka.core.lease import Lease

if TYPE_CHECKING:
    from tests.eureka.conftest import Builder, HandClock

ALL = 1_000_000
DURATIONS = st.sampled_from([1, 2, 30, 90, HORIZON, HORIZON * 3])


def test_a_lease_is_looked_at_when_it_may_have_expired_and_not_before(
    clock: HandClock, build: Builder
) -> None:
    """Ten seconds after its registration for a lease of ten, and found overdue right after."""
    due = DueLeases()
    lease = Lease.of(build(duration=10), now=clock.now)
    due.put(lease)

    assert due.look(now=clock.passes(9), most=ALL) == 0
    assert due.look(now=clock.passes(1), most=ALL) == 1
    assert due.overdue(due.looked_at(), now=clock.now, grace=0) == []
    clock.passes(0.25)
    assert due.overdue(due.looked_at(), now=clock.now, grace=0) == [lease]
    assert due.overdue(due.looked_at(), now=clock.now, grace=0.25) == []


def test_a_renewed_lease_is_looked_at_again_only_when_it_would_expire(
    clock: HandClock, build: Builder
) -> None:
    """A look finds it alive and puts it off; later looks pass it by."""
    due = DueLeases()
    lease = Lease.of(build(duration=10), now=clock.now)
    due.put(lease)
    clock.passes(8)
    lease.renew(now=clock.now)

    assert due.look(now=clock.passes(3), most=ALL) == 1
    assert due.look(now=clock.passes(10), most=ALL) == 0
    assert due.look(now=clock.passes(7.5), most=ALL) == 1
    assert due.overdue(due.looked_at(), now=clock.now, grace=0) == [lease]


def test_a_look_ends_after_as_many_leases_as_it_was_allowed(
    clock: HandClock, build: Builder
) -> None:
    """The rest is found by the next looks, each once."""
    due = DueLeases()
    leases = [Lease.of(build(str(number), duration=5), now=clock.now) for number in range(10)]
    for lease in leases:
        due.put(lease)
    clock.passes(6)

    assert [due.look(now=clock.now, most=4) for _ in range(4)] == [4, 4, 2, 0]
    assert set(map(id, due.overdue(due.looked_at(), now=clock.now, grace=0))) == set(
        map(id, leases)
    )


def test_who_renews_after_the_look_is_not_overdue(clock: HandClock, build: Builder) -> None:
    """And is filed again: it is found when it has expired in the end."""
    due = DueLeases()
    lease = Lease.of(build(duration=5), now=clock.now)
    due.put(lease)
    clock.passes(6)
    due.look(now=clock.now, most=ALL)
    lease.renew(now=clock.now)

    assert due.overdue(due.looked_at(), now=clock.now, grace=0) == []
    clock.passes(11)
    due.look(now=clock.now, most=ALL)
    assert due.overdue(due.looked_at(), now=clock.now, grace=0) == [lease]


class DueMachine(RuleBasedStateMachine):
    """However leases come, renew, change and go: the overdue are those that say so themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.due = DueLeases()
        self.leases: list[Lease] = []
        self.seconds = 1000.0

    @property
    def now(self) -> Instant:
        """The present moment."""
        return Instant(self.seconds, int(self.seconds * 1000))

    @rule(duration=DURATIONS)
    def put(self, duration: int) -> None:
        """File a fresh lease."""
        lease = Lease.of(_instance(len(self.leases), duration), now=self.now)
        self.leases.append(lease)
        self.due.put(lease)

    @rule(data=st.data())
    def renew(self, data: st.DataObject) -> None:
        """Renew one, behind its back."""
        if self.leases:
            data.draw(st.sampled_from(self.leases)).renew(now=self.now)

    @rule(data=st.data(), duration=DURATIONS)
    def change(self, data: st.DataObject, duration: int) -> None:
        """Give one another duration, maybe a shorter one."""
        if self.leases:
            lease = data.draw(st.sampled_from(self.leases))
            lease.hold(_instance(0, duration))
            self.due.put(lease)

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        """Let one go."""
        if self.leases:
            lease = data.draw(st.sampled_from(self.leases))
            self.leases.remove(lease)
            self.due.remove(lease)

    @rule(seconds=st.sampled_from([0.1, 0.5, 1, 29.75, 90, HORIZON]))
    def time_passes(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += seconds

    @rule(most=st.sampled_from([1, 2]))
    def look_a_little(self, most: int) -> None:
        """Look, without finishing."""
        self.due.look(now=self.now, most=most)

    @rule()
    def the_overdue_are_found(self) -> None:
        """Compare with asking every lease."""
        self.due.look(now=self.now, most=ALL)
        found = self.due.overdue(self.due.looked_at(), now=self.now, grace=0)
        expected = [lease for lease in self.leases if lease.is_overdue(now=self.now)]
        assert sorted(map(id, found)) == sorted(map(id, expected))


def _instance(number: int, duration: int) -> Instance:
    return Instance(
        key=Key("CART", str(number)),
        host_name="h",
        ip_address="10.0.0.1",
        data_center=DataCenter("MyOwn"),
        duration=duration,
        metadata={},
        dirty_ms=1,
    )


TestDueMachine = DueMachine.TestCase
TestDueMachine.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
