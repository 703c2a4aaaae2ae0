"""
Chapter 12, self-preservation: what is expected, what is counted, and what the difference decides.

The tests read recordings: `bracket` (profile windows-a: one renewal more or less decides),
`silence` (windows-b: a fleet falls silent), `recount`, and the beginnings `cold` and `start`.
RENEW-05, RENEW-09 and CANCEL-04 stand here too: they are about the same two figures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.errors import NodeFailed
from eureka_tck.observe.beginning import NEWCOMERS
from eureka_tck.observe.evictions import guarded
from eureka_tck.verdict import Inconclusive, expect, requirement

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster
    from eureka_tck.observe.beginning import Beginning
    from eureka_tck.observe.bracket import Bracket
    from eureka_tck.observe.copying import Copied, Hopeless
    from eureka_tck.observe.evictions import Evictions
    from eureka_tck.observe.leases import Leases
    from eureka_tck.observe.recount import Recount
    from eureka_tck.observe.silence import Silence
    from eureka_tck.verdict import Case

COUNTED = {"settings", "counters"}
STAMPED = COUNTED | {"stamps"}


# PRESERVE-01: the threshold


@requirement("PRESERVE-01", profile="windows-b", needs=COUNTED, seconds=255, depth="full")
@pytest.mark.parametrize(
    ("registered", "threshold"),
    [(0, 1), (1, 3), (2, 5), (3, 6), (4, 8), (5, 10), (6, 11), (40, 69)],
)
def test_the_threshold_is_85_percent_of_two_renewals_a_client(
    silence: Silence, registered: int, threshold: int
) -> None:
    """With n registered, and one client that does not exist, it is int((n + 1) × 2 × 0.85)."""
    expect(f"the threshold of {registered} registered", silence.thresholds[registered]).equals(
        threshold, because=f"int({registered + 1} × 2 × 0.85)"
    )


@requirement("PRESERVE-01", profile="interval", needs=COUNTED, seconds=5, depth="full")
def test_an_interval_of_0_is_refused_or_ends_all_expiry(cluster: Cluster) -> None:
    """
    A registry refuses to start with it, or nothing ever expires: its threshold is out of reach.

    The reference divides by it and gets the largest 32-bit number.
    """
    node = cluster["a"]
    try:
        node.start()
    except NodeFailed as failed:
        if node.is_alive():
            raise Inconclusive(
                f"the node neither started nor refused to: {failed.problem}"
            ) from failed
        node.stop()  # that it ended is what was asked
        threshold = None
    else:
        threshold = node.counters().threshold

    expect("the threshold of a node that started", threshold).is_one_of(None, 2**31 - 1)


# PRESERVE-02, CANCEL-04: who is expected


@requirement("PRESERVE-02", profile="windows-a", needs=COUNTED, seconds=130)
@pytest.mark.parametrize(
    ("deed", "change"),
    [
        ("two registered", 4),
        ("one registered again", 0),
        ("one registered by a peer", 2),
        ("one registered in a batch", 2),
        ("seven more registered", 14),
    ],
)
def test_each_new_lease_raises_the_expected_clients_by_one(
    bracket: Bracket, deed: str, change: int
) -> None:
    """At two renewals a client the threshold follows new leases, not those registered again."""
    expect(f"the change of the threshold after {deed}", bracket.change(deed)).equals(change)


@requirement("PRESERVE-02", profile="windows-a", needs=STAMPED, seconds=255, depth="full")
def test_evictions_lower_the_expected_clients(bracket: Bracket) -> None:
    """Once seven of twelve are evicted the threshold is that of the five and the seed."""
    evicted = sum(len(run) for run in bracket.runs)

    lowered = bracket.thresholds["seven more registered"] - bracket.lowered

    expect("the change of the threshold after all evictions", lowered).equals(
        2 * evicted, because="two a lease evicted"
    )


@requirement("PRESERVE-02", profile="copy", needs=COUNTED | {"peers"}, seconds=15)
def test_the_expected_clients_do_not_fall_below_0(hopeless: Hopeless) -> None:
    """Once all are cancelled that were registered before and after opening, none are missing."""
    expect("the threshold once all are cancelled", hopeless.emptied).is_at_least(0, unit="")


@requirement("CANCEL-04", profile="windows-a", needs=COUNTED, seconds=130)
def test_a_cancellation_lowers_the_expected_clients_by_one(bracket: Bracket) -> None:
    """At two renewals a client a cancellation lowers the threshold by two."""
    expect(
        "the change of the threshold after one cancelled", bracket.change("one cancelled")
    ).equals(-2)


@requirement("CANCEL-04", profile="windows-a", needs=COUNTED, seconds=130)
def test_a_cancellation_answered_404_changes_nothing(bracket: Bracket) -> None:
    """Cancelling the same instance once more leaves the threshold as it is."""
    change = bracket.change("the same cancelled again")

    expect("the change of the threshold after a cancellation answered 404", change).equals(0)


# PRESERVE-03, RENEW-05, RENEW-09: what is counted


@requirement("PRESERVE-03", profile="windows-a", needs=COUNTED, seconds=130)
def test_the_figure_is_0_in_the_first_minute(bracket: Bracket) -> None:
    """In the first minute nothing is compared yet: the renewals of the last minute are 0."""
    expect(
        "the figure of the last minute in the first one", bracket.first.renewals_last_minute
    ).equals(0)


@requirement("PRESERVE-03", profile="windows-a", needs=COUNTED, seconds=255, depth="full")
def test_the_figure_is_that_of_the_last_complete_minute(bracket: Bracket) -> None:
    """At the end of a minute with 27 renewals the figure is still the 26 of the one before."""
    expect("the figure at the end of the minute", bracket.meanwhile).equals(26)


@requirement("PRESERVE-03", profile="windows-a", needs=COUNTED, seconds=130)
def test_a_window_lasts_a_minute(bracket: Bracket) -> None:
    """
    The figure changes every 60 s, as exactly as two looks half a second apart can tell.

    A second more is for a timer of the registry that a busy machine lets come late.
    """
    first, second = bracket.changes

    shortest, longest = second.after - first.before, second.before - first.after
    expect("the shortest time between two changes", shortest).is_at_most(61.5, margin=1.0)
    expect("the longest time between two changes", longest).is_at_least(58.5, margin=1.0)


@requirement("RENEW-05", profile="windows-a", needs=COUNTED, seconds=255, depth="full")
@pytest.mark.parametrize("kind", ["renewal", "replicated renewal", "renewal in a batch"])
def test_a_renewal_counts(bracket: Bracket, kind: str) -> None:
    """Renewals count, whether a client or a peer brings them."""
    expect(f"a {kind} is counted (the sum is {bracket.kinds})", bracket.counted(kind)).is_true()


@requirement("RENEW-05", profile="windows-a", needs=COUNTED, seconds=255, depth="full")
@pytest.mark.parametrize(
    "kind",
    [
        "re-registration",
        "metadata change",
        "status change",
        "renewal under status UNKNOWN",
        "renewal of an unknown instance",
    ],
)
def test_what_is_no_renewal_does_not_count(bracket: Bracket, kind: str) -> None:
    """Re-registrations, status and metadata changes, and renewals of nobody, do not count."""
    expect(f"a {kind} is counted (the sum is {bracket.kinds})", bracket.counted(kind)).is_false()


@requirement("RENEW-05", profile="windows-a", needs=COUNTED, seconds=130)
def test_registrations_and_cancellations_do_not_count(bracket: Bracket) -> None:
    """A minute with two renewals, fourteen registrations and two cancellations counts as two."""
    expect("the figure of a minute with two renewals", bracket.few).equals(2)


@requirement("RENEW-09", profile="windows-a", needs=COUNTED, seconds=255, depth="full")
def test_a_renewal_refused_for_a_newer_t_counts(bracket: Bracket) -> None:
    """A renewal answered 404 because its T is newer is counted all the same."""
    kind = "renewal with a newer T"

    expect(f"a {kind} is counted (the sum is {bracket.kinds})", bracket.counted(kind)).is_true()


# PRESERVE-04, PRESERVE-06: what it decides


@requirement("PRESERVE-04", profile="windows-a", needs=COUNTED, seconds=130)
def test_as_many_renewals_as_the_threshold_protect(bracket: Bracket) -> None:
    """After a minute with 26 renewals, at a threshold of 26, lease expiration is disabled."""
    expect("lease expiration is enabled at equality", bracket.equal.expiration_enabled).is_false()


@requirement("PRESERVE-04", profile="windows-a", needs=STAMPED, seconds=255, depth="full")
def test_at_equality_nothing_is_evicted(bracket: Bracket) -> None:
    """Seven expired leases are all listed after a minute at equality, and go in the next one."""
    bracket.proven()

    expect("the list after the third minute", bracket.kept).has_size(7, of="expired instances")


@requirement("PRESERVE-04", profile="windows-a", needs=COUNTED, seconds=255, depth="full")
def test_one_renewal_more_enables_expiry(bracket: Bracket) -> None:
    """After a minute with 27 renewals, at a threshold of 26, lease expiration is enabled."""
    expect("lease expiration is enabled with one more", bracket.above.expiration_enabled).is_true()


@requirement("PRESERVE-06", profile="windows-a", needs=STAMPED, seconds=255, depth="full")
def test_protection_ends_with_the_first_minute_above_the_threshold(bracket: Bracket) -> None:
    """
    The first run after that minute evicts: at the latest an interval, 7 s, after its end.

    Two seconds more are for a run that a busy machine lets come late; the next one is 14 s away.
    """
    expect("the runs after protection ended", bracket.runs).is_present()

    expect("the time from the minute's end to the first eviction", bracket.waited()).is_at_most(
        9, because="a run every 7 s, and 2 s for a busy machine", margin=1
    )


@requirement("PRESERVE-06", profile="windows-a", needs=STAMPED, seconds=255, depth="full")
def test_what_expired_under_protection_goes_capped(bracket: Bracket) -> None:
    """Of twelve leases the first run takes six of the seven expired, the next one the last."""
    expect("the sizes of the runs after protection", [len(run) for run in bracket.runs]).equals(
        [6, 1], because="12 - int(12 × 0.5), then what is left"
    )


# PRESERVE-05: what goes on


@requirement("PRESERVE-05", profile="windows-b", needs=STAMPED, seconds=255, depth="full")
def test_under_protection_nothing_is_evicted(silence: Silence) -> None:
    """Leases that expired a minute before are still there after a protected minute of runs."""
    silence.proven()

    expect("the set of expired instances still listed", silence.stayed).consists_of(
        silence.untouched
    )


@requirement("PRESERVE-05", profile="windows-b", needs=STAMPED, seconds=255, depth="full")
@pytest.mark.parametrize(
    ("call", "status"),
    [
        ("single read", 200),
        ("list read", 200),
        ("status call", 200),
        ("renewal", 200),
        ("metadata call", 200),
        ("registration", 204),
        ("cancellation", 200),
    ],
)
def test_under_protection_everything_else_goes_on(silence: Silence, call: str, status: int) -> None:
    """Under protection each call is answered as ever, also for an expired instance."""
    expect(f"the answer to a {call} under protection", silence.deeds[call]).has_status(status)


# PRESERVE-07: without it


@requirement("PRESERVE-07", profile="evict", needs=STAMPED, seconds=165, depth="full")
def test_without_self_preservation_expiry_is_always_enabled(evictions: Evictions) -> None:
    """With self-preservation off a hundred leases that nobody renews all go."""
    guarded(evictions.hundred)

    gone = sum(len(run) for run in evictions.series)

    expect("the number of leases evicted without a single renewal", gone).equals(100)


@requirement("PRESERVE-07", profile="evict", needs=STAMPED, seconds=75)
def test_without_self_preservation_the_cap_still_holds(evictions: Evictions) -> None:
    """With self-preservation off the first run still takes no more than 15 of 100."""
    run = guarded(evictions.hundred).run

    expect("the number of leases evicted by one run", len(run)).is_at_most(15, unit="of 100")


# PRESERVE-08, PRESERVE-14: the recount


@requirement("PRESERVE-08", profile="recount", needs=COUNTED, seconds=90)
def test_a_recount_of_no_more_than_85_percent_is_not_adopted(recount: Recount) -> None:
    """A recount of 17 of 20 clients, exactly 85 %, leaves the threshold as it is."""
    expect("the threshold after recounts of 17", recount.edge).equals(
        34, because="int(20 × 2 × 0.85)"
    )


@requirement("PRESERVE-08", profile="recount", needs=COUNTED, seconds=90)
def test_a_recount_above_85_percent_is_adopted(recount: Recount) -> None:
    """A recount of 20 of 23 clients becomes the count."""
    if recount.adopted_between():
        raise Inconclusive(
            "the threshold was that of 20 when it was first read: a recount may have come before."
        )

    expect(
        "the threshold before and after a recount of 20", (recount.before, recount.restored)
    ).equals((39, 34), because="int(23 × 2 × 0.85) and int(20 × 2 × 0.85)")


@requirement("PRESERVE-08", profile="lease", needs=COUNTED, seconds=120)
def test_without_self_preservation_every_recount_is_adopted(leases: Leases) -> None:
    """With self-preservation off a recount of a few leases replaces a count of ten thousand."""
    expect("the threshold after a recount", leases.recounted).is_less_than(
        100, because="there are far fewer than 1000 leases, and 5 % are asked of each, twice"
    )


@requirement("PRESERVE-14", profile="recount", needs=COUNTED, seconds=90)
def test_a_recount_counts_leases_that_are_not_up(recount: Recount) -> None:
    """Two of twenty out of service renew like the others, so a recount finds all twenty."""
    expect("the threshold after a recount with two out of service", recount.mixed).equals(
        34, because="int(20 × 2 × 0.85)"
    )


@requirement("PRESERVE-14", profile="lease", needs=COUNTED, seconds=120)
def test_a_recount_never_ends_at_nothing(leases: Leases) -> None:
    """A recount of more than ten leases leaves a threshold, also if the node fetches nothing."""
    expect(
        f"the threshold after a recount of {leases.leases_at_recount} leases",
        leases.recounted,
    ).is_at_least(1, unit="")


# PRESERVE-09, PRESERVE-12: the beginning


@requirement("PRESERVE-09", profile="copy", needs=COUNTED | {"peers"}, seconds=20)
def test_a_registry_expects_what_it_has_copied(start: Copied) -> None:
    """A node that copied nine instances expects nine clients, the seed no longer among them."""
    if start.held not in {9, 12}:
        raise Inconclusive(f"{start.held} instances were copied, neither all nor all that are UP.")

    expect(f"the threshold of a node that copied {start.held}", start.threshold).equals(
        {9: 15, 12: 20}[start.held], because=f"int({start.held} × 2 × 0.85)"
    )


@requirement("PRESERVE-12", profile="cold", needs=COUNTED, seconds=70, depth="full")
def test_a_lone_registry_that_started_empty_expects_its_clients(cold: Beginning) -> None:
    """Five registrations give a threshold, though the count began at 0."""
    if cold.listed != NEWCOMERS:
        raise Inconclusive(f"{cold.listed} of {NEWCOMERS} instances were registered.")

    expect("the threshold of a registry that started empty", cold.threshold).is_at_least(
        1, unit="", because="5 instances are registered"
    )


# PRESERVE-10: the status page


@requirement("PRESERVE-10", profile="windows-b", needs=COUNTED, seconds=255, depth="full")
@pytest.mark.parametrize(
    "words", ["Lease expiration enabled", "Renews threshold", "Renews (last min)"]
)
def test_the_status_page_tells(silence: Silence, case: Case, words: str) -> None:
    """The status page names lease expiration, threshold and renewals."""
    page = silence.pages["third"].answer
    case.attach(page.exchange)

    expect("the status page", page).has_status(200)
    expect("the text of the status page", page.text).contains(words)


@requirement("PRESERVE-10", profile="windows-b", needs=COUNTED, seconds=255, depth="full")
def test_the_emergency_line_shows_under_protection(silence: Silence, case: Case) -> None:
    """In a minute of protection, more than 70 s after the start, the page shows the emergency."""
    page = silence.pages["third"].answer
    case.attach(page.exchange)

    expect("the status page", page).has_status(200)
    expect("the text of the status page under protection", page.text).contains("EMERGENCY!")


@requirement("PRESERVE-10", profile="windows-b", needs=COUNTED, seconds=255, depth="full")
@pytest.mark.parametrize(
    "minute",
    [pytest.param("first", id="before the wait"), pytest.param("second", id="unprotected")],
)
def test_the_emergency_line_does_not_show_otherwise(
    silence: Silence, case: Case, minute: str
) -> None:
    """Before waitTimeInMsWhenSyncEmpty, and above the threshold, there is no emergency line."""
    page = silence.pages[minute].answer
    case.attach(page.exchange)

    expect("the status page", page).has_status(200)
    expect(f"the text of the status page in the {minute} minute", page.text).lacks("EMERGENCY!")


@requirement("PRESERVE-10", profile="evict", needs=COUNTED, seconds=75)
def test_the_status_page_says_that_self_preservation_is_off(
    evictions: Evictions, case: Case
) -> None:
    """With self-preservation off another line says so."""
    case.attach(evictions.page.exchange)

    expect("the status page", evictions.page).has_status(200)
    expect("the text of the status page", evictions.page.text).contains("TURNED OFF")


# PRESERVE-11: another pace


@requirement("PRESERVE-11", profile="windows-b", needs=STAMPED, seconds=255, depth="full")
def test_a_fleet_at_half_the_pace_is_protected(silence: Silence) -> None:
    """Twenty that renew every 60 s make 21 renewals with one more, of 35: expiry is disabled."""
    expect(
        f"lease expiration is enabled at {silence.slow.renewals_last_minute} renewals of "
        f"{silence.slow.threshold}",
        silence.slow.expiration_enabled,
    ).is_false()


@requirement("PRESERVE-11", profile="windows-b", needs=STAMPED, seconds=255, depth="full")
def test_at_half_the_pace_the_dead_are_kept(silence: Silence) -> None:
    """Thirteen expired leases of a fleet that renews every 60 s stay for a minute of runs."""
    silence.proven()

    expect("the list at the end", silence.dead_kept).has_size(13, of="dead instances")


@requirement("PRESERVE-11", profile="windows-b", needs=STAMPED, seconds=255, depth="full")
def test_three_times_the_pace_hides_the_loss_of_two_thirds(silence: Silence) -> None:
    """Seven of twenty that renew every 10 s make 42 renewals of 35: expiry is enabled."""
    expect(
        f"lease expiration is enabled at {silence.fast.renewals_last_minute} renewals of "
        f"{silence.fast.threshold}",
        silence.fast.expiration_enabled,
    ).is_true()


@requirement("PRESERVE-11", profile="windows-b", needs=STAMPED, seconds=255, depth="full")
def test_at_three_times_the_pace_the_dead_go(silence: Silence) -> None:
    """The first run after that minute evicts some of the thirteen dead."""
    expect("the set of dead instances evicted by the next run", silence.dead_gone).is_present()


# PRESERVE-13: when protection begins


@requirement("PRESERVE-13", profile="windows-b", needs=STAMPED, seconds=255, depth="full")
def test_until_the_silent_minute_is_over_expired_leases_go_capped(silence: Silence) -> None:
    """A silent fleet of forty goes by 6, 6, 5, 4, 3, 3 while its first silent minute lasts."""
    sizes = [len(run) for run in silence.exodus]

    expect("the sizes of the first six runs over a silent fleet", sizes[:6]).equals(
        [6, 6, 5, 4, 3, 3]
    )


@requirement("PRESERVE-13", profile="windows-b", needs=STAMPED, seconds=255, depth="full")
def test_protection_begins_when_the_silent_minute_is_complete(silence: Silence) -> None:
    """The first complete minute without renewals ends the evictions: some are left."""
    silence.proven()

    expect("the set of those left when protection began", silence.left).is_present()
    expect("the time of the last eviction after the minute's end", silence.overrun()).is_at_most(
        1, margin=1
    )


@requirement("PRESERVE-13", profile="windows-b", needs=STAMPED, seconds=255, depth="full")
def test_evictions_lower_the_threshold_until_then(silence: Silence) -> None:
    """When protection begins the threshold is that of those left, and of the seed."""
    left = len(silence.left)
    thresholds = {1: 3, 2: 5, 3: 6, 4: 8, 5: 10, 6: 11, 7: 13, 8: 15, 9: 17, 10: 18}

    expect(f"the threshold with {left} left", silence.lowered.threshold).equals(
        thresholds.get(left), because=f"int({left + 1} × 2 × 0.85)"
    )
