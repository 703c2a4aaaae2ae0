"""Whom a starting node asks, and when it gives up."""

from __future__ import annotations

from eureka.core.copying import Ask, Finished, Pause, StartUpCopy


def test_without_peers_or_rounds_there_is_nothing_to_do() -> None:
    """A lone registry, or one told not to copy, opens at once."""
    assert StartUpCopy([], rounds=3, pause=2).next_step() == Finished()
    assert StartUpCopy(["a"], rounds=0, pause=2).next_step() == Finished()


def test_the_first_peer_that_has_instances_ends_the_search() -> None:
    """Later peers are not asked."""
    copy = StartUpCopy(["a", "b", "c"], rounds=3, pause=2)

    assert copy.next_step() == Ask("a")
    copy.silent()
    assert copy.next_step() == Ask("b")
    copy.copied()
    assert copy.next_step() == Finished()


def test_silent_peers_are_asked_again_after_a_pause() -> None:
    """A node whose peers are all down opens after (rounds - 1) pauses."""
    copy = StartUpCopy(["a", "b"], rounds=3, pause=2)
    steps = []
    while (step := copy.next_step()) != Finished():
        steps.append(step)
        if isinstance(step, Ask):
            copy.silent()

    round_ = [Ask("a"), Ask("b")]
    assert steps == [*round_, Pause(2), *round_, Pause(2), *round_]


def test_peers_that_all_have_nothing_are_believed() -> None:
    """A whole cluster that starts at once does not wait for itself."""
    copy = StartUpCopy(["a", "b"], rounds=3, pause=2)

    copy.next_step()
    copy.nothing()
    copy.next_step()
    copy.nothing()

    assert copy.next_step() == Finished()


def test_one_silent_peer_is_worth_another_round() -> None:
    """The silent one may be the one that knows everything."""
    copy = StartUpCopy(["a", "b"], rounds=2, pause=2)

    copy.next_step()
    copy.silent()
    copy.next_step()
    copy.nothing()

    assert copy.next_step() == Pause(2)
    assert copy.next_step() == Ask("a")
