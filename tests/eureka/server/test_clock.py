"""The registry's time."""

from __future__ import annotations

import pytest

from eureka.server.clock import Clock


class Machine:
    """The two clocks of a machine, set by hand."""

    def __init__(self) -> None:
        self.wall = 1_800_000_000.0
        self.uptime = 50.0

    def passes(self, seconds: float) -> None:
        """Let real time pass on both."""
        self.wall += seconds
        self.uptime += seconds

    def clock(self, *, speed: float = 1.0, epoch: float | None = None) -> Clock:
        """Return a registry clock that reads them."""
        return Clock(speed=speed, epoch=epoch, wall=lambda: self.wall, uptime=lambda: self.uptime)


@pytest.fixture
def machine() -> Machine:
    """Return a machine whose clocks stand."""
    return Machine()


def test_time_passes_as_fast_as_told(machine: Machine) -> None:
    """At speed 10 one real second is ten, for leases and for stamps."""
    clock = machine.clock(speed=10)
    start = clock.now()

    machine.passes(1.5)

    assert clock.monotonic() - start.monotonic == pytest.approx(15)
    assert clock.now().epoch_ms - start.epoch_ms == 15_000
    assert clock.real(15) == 1.5


def test_nodes_of_one_epoch_agree_whenever_they_started(machine: Machine) -> None:
    """A node that starts later shows the same wall clock."""
    epoch = machine.wall
    first = machine.clock(speed=10, epoch=epoch)
    machine.passes(7)
    second = machine.clock(speed=10, epoch=epoch)

    assert first.now().epoch_ms == second.now().epoch_ms == round((epoch + 70) * 1000)


def test_a_step_of_the_wall_clock_moves_stamps_only(machine: Machine) -> None:
    """What decides about leases does not see it."""
    clock = machine.clock()
    before = clock.now()

    machine.wall += 60

    assert clock.now().monotonic == before.monotonic
    assert clock.now().epoch_ms == before.epoch_ms + 60_000


def test_left_alone_it_reads_the_clocks_of_this_machine() -> None:
    """Its monotonic time starts at 0."""
    clock = Clock()

    first, second = clock.now(), clock.now()

    assert 0 <= first.monotonic <= second.monotonic < 60
    assert first.epoch_ms > 1_700_000_000_000
