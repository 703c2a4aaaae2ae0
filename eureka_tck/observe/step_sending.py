"""The recording of profile `step` about replication: what a step of the wall clock holds up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import WaitedInVain
from eureka_tck.observe.observer import Observer
from eureka_tck.verdict import Inconclusive
from eureka_tck.wire.sample import sample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eureka_tck.actors.peer import ScriptedPeer
    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.tape import Tape

APP: Final = "STEPPED"
LONG: Final = 3600  # s
STEP: Final = 30.0  # s, back and then forward again
RECOVERED: Final = 90.0  # s after an earlier step until replication must go on for us to begin
SEEN_WITHIN: Final = STEP + 15.0  # s until a change counts as not seen


@dataclass(frozen=True, slots=True)
class StepSending:
    """By the step, how long after its call a change arrived, in s; infinite if it did not."""

    tape: Tape
    delays: Mapping[str, float]


def record_step_sending(cluster: Cluster) -> StepSending:
    """Register right after a step of the wall clock back, and right after one forward."""
    peer = cluster.peer("one")
    with Observer(cluster) as observer:
        try:
            began = observer.clock.now()
            if _told_after(observer, peer, "before", RECOVERED) == float("inf"):
                raise Inconclusive("the peer was told nothing before the step either.")
            observer.note(f"the peer was told after {observer.clock.now() - began:.1f} s")
            delays = {}
            for name, offset in (("back", -STEP), ("forward", 0.0)):
                observer.node.step_wall_clock(offset)
                observer.wire.close()  # a server may time its kept connections by the wall clock
                delays[name] = _told_after(observer, peer, name, SEEN_WITHIN)
                observer.note(f"a step of {STEP:g} s {name}, told after {delays[name]:.1f} s")
                _prove(observer, offset)
        finally:
            observer.node.step_wall_clock(0)
        given = f"the wall clock stepped back by {STEP:g} s, and then forward again"
        return StepSending(observer.tape(given), delays)


def _told_after(observer: Observer, peer: ScriptedPeer, name: str, within: float) -> float:
    """Register an instance; return after how many seconds the peer was told of it."""
    at = observer.clock.now()
    observer.keep(observer.wire.register(sample(APP, name, duration=LONG)))
    try:
        first, *_ = observer.clock.wait_until(
            lambda: peer.tasks(at, app=APP, id=name), within=within, what=name, pace=0.2
        )
    except WaitedInVain:
        return float("inf")
    return first.at - at


def _prove(observer: Observer, offset: float) -> None:
    """Raise Inconclusive where the registry's stamps did not move with the step."""
    observer.wire.register(sample(APP, "probe", duration=LONG))
    record = observer.wire.instance(APP, "probe").record()
    seen = (record.leased.registered_ms - observer.clock.epoch_ms()) / 1000
    if abs(seen - offset) > STEP / 2:
        raise Inconclusive(f"the registry's stamps were {seen:.1f} s off, not {offset:g} s.")
