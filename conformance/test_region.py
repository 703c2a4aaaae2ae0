"""
Chapter 18, remote regions: what of another region is shown, and that its failure is not felt.

All tests read one recording (`eureka_tck.observe.region`) of a registry whose remote region is
ours: not there, there, changing, hanging, gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.actors.copy import Copy, hash_of
from eureka_tck.observe.region import (
    BOTH,
    FAR_ONE,
    FAR_TWO,
    FETCH,
    HIDDEN,
    LOCAL,
)
from eureka_tck.verdict import Inconclusive, expect, requirement

if TYPE_CHECKING:
    from eureka_tck.observe.region import Region

NEEDS = {"settings", "peers", "regions"}
HERE = {LOCAL, BOTH}
FAR = {FAR_ONE, FAR_TWO}


# REGION-01: what naming a region adds


@requirement("REGION-01", profile="region", needs=NEEDS, seconds=60)
@pytest.mark.parametrize("path", ["/apps?regions=r2", "/apps?regions=r2,nowhere"])
def test_a_list_that_names_a_region_holds_both(region: Region, path: str) -> None:
    """With `?regions=r2`, and an unknown name beside it, local and released applications show."""
    region.is_ready()

    expect(f"the set of applications in {path}", region.apps(path)).consists_of(HERE | FAR)


@requirement("REGION-01", profile="region", needs=NEEDS, seconds=60)
def test_an_application_of_both_regions_is_listed_once(region: Region) -> None:
    """An application that is registered here and there lists the instances of both."""
    region.is_ready()

    shown = region.lists["/apps?regions=r2"].ids(BOTH)

    expect("the set of instances of an application of both regions", shown).consists_of(
        {"both-here", "both-0", "both-1"}
    )


@requirement("REGION-01", profile="region", needs=NEEDS, seconds=60)
def test_the_hash_of_a_list_that_names_a_region_is_over_both(region: Region) -> None:
    """The hash of `/apps?regions=r2` counts the instances of both regions."""
    region.is_ready()
    listed = region.lists["/apps?regions=r2"]

    expect("the hash of a list that names a region", listed.hash).equals(
        hash_of(listed), because="that is the hash of what it lists"
    )


@requirement("REGION-01", profile="region", needs=NEEDS, seconds=60)
def test_the_hash_of_a_delta_that_names_a_region_is_over_both(region: Region) -> None:
    """The hash of `/apps/delta?regions=r2` is that of `/apps?regions=r2`."""
    region.is_ready()

    expect(
        "the hash of a delta that names a region", region.lists["/apps/delta?regions=r2"].hash
    ).equals(
        hash_of(region.lists["/apps?regions=r2"]), because="that is the hash of the list of both"
    )


@requirement("REGION-01", profile="region", needs=NEEDS, seconds=60)
def test_an_unknown_region_adds_nothing(region: Region) -> None:
    """With the name of an unknown region alone, nothing shows that the plain list lacks."""
    region.is_ready()
    shown = region.apps("/apps?regions=nowhere")

    expect("the set of applications with an unknown region", shown).contains(*HERE)
    expect(
        "the set of applications that only an unknown region brings", shown - region.apps("/apps")
    ).is_absent()


# REGION-02: a region that fails


@requirement("REGION-02", profile="region", needs=NEEDS, seconds=60)
@pytest.mark.parametrize("state", ["unreachable", "there", "hanging", "gone"])
def test_the_state_of_a_region_is_not_felt_here(region: Region, state: str) -> None:
    """Reads and writes of what is local succeed while the region is in any state."""
    if state == "hanging" and not region.missed:
        raise Inconclusive("the registry asked nothing of the region while it hung.")
    asked = region.local[state]

    expect(
        f"the list of failures of {asked.calls} local calls while the region is {state}",
        asked.failed,
    ).is_absent()


@requirement("REGION-02", profile="region", needs=NEEDS, seconds=60)
@pytest.mark.parametrize("path", ["/apps", "/apps/delta"])
def test_a_region_without_data_is_refused(region: Region, path: str) -> None:
    """Before the region's data are there a read that names it is answered 403."""
    expect(
        f"the status of {path}?regions=r2 before the region was there", region.early[path]
    ).equals(403)


@requirement("REGION-02", profile="region", needs=NEEDS, seconds=60)
def test_a_region_that_comes_later_is_fetched(region: Region) -> None:
    """Once the region can be reached, a read that names it is answered 200."""
    expect("that reads that name the region became 200 when it was there", region.ready).is_true()


@requirement("REGION-02", profile="region", needs=NEEDS, seconds=60)
@pytest.mark.parametrize("state", ["hanging", "gone"])
def test_the_last_copy_of_a_region_is_kept(region: Region, state: str) -> None:
    """While the region hangs, and when it is gone, its instances are still listed."""
    region.is_ready()

    expect(
        f"the set of the region's instances while it is {state}", region.kept[state]
    ).consists_of({"far-two-0", "far-two-1"})


# REGION-03: lists and deltas


@requirement("REGION-03", profile="region", needs=NEEDS, seconds=60)
@pytest.mark.parametrize("query", ["", "?regions=r2"], ids=["plain", "naming"])
def test_list_and_delta_carry_the_same_hash(region: Region, query: str) -> None:
    """With the same parameters, list and delta carry the same hash when nothing changes."""
    region.is_ready()

    expect("the hash of the delta", region.lists[f"/apps/delta{query}"].hash).equals(
        region.lists[f"/apps{query}"].hash, because="that is the hash of the list"
    )


@requirement("REGION-03", profile="region", needs=NEEDS, seconds=60)
@pytest.mark.parametrize("query", ["", "?regions=r2"], ids=["plain", "naming"])
def test_a_delta_tells_of_nothing_that_the_list_lacks(region: Region, query: str) -> None:
    """A client that applies the delta to the list with the same parameters keeps its hash."""
    region.is_ready()
    copy = Copy(region.lists[f"/apps{query}"])
    delta = region.lists[f"/apps/delta{query}"]

    copy.apply(delta)

    expect("the hash of the list with the delta applied", copy.hash).equals(
        delta.hash, because="that is the hash that the delta carries"
    )


# REGION-04: remote changes


@requirement("REGION-04", profile="region", needs=NEEDS, seconds=60)
def test_a_remote_change_shows_after_a_fetch(region: Region) -> None:
    """With a fetch every 3 s a remote change is listed, though nothing changes here."""
    region.is_ready()
    if not region.fetched:
        raise Inconclusive("the registry asked nothing of the region after it had changed.")

    expect("the time until a remote change was listed", region.followed).is_at_most(
        2 * FETCH + 2, because="a fetch every 3 s, one more in between, and 2 s to see it", margin=2
    )


# REGION-05: what is not released


@requirement("REGION-05", profile="region", needs=NEEDS, seconds=60)
@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/apps", id="apps"),
        pytest.param("/apps/delta", id="delta"),
        pytest.param("/apps?regions=r2", id="naming"),
        pytest.param(f"/apps/{HIDDEN}", id="app"),
        pytest.param(f"/apps/{HIDDEN}/far-hidden-0", id="instance"),
        pytest.param("/instances/far-hidden-0", id="by-id"),
        pytest.param("/vips/far-hidden", id="vip"),
        pytest.param("/vips/far-hidden?regions=r2", id="vip-naming"),
    ],
)
def test_what_is_not_released_is_shown_by_no_read(region: Region, path: str) -> None:
    """An application that is not on the list of released ones is not shown, however one asks."""
    region.is_ready()

    expect(f"what {path} shows of an application that is not released", region.hidden[path]).equals(
        ""
    )


# REGION-06: without naming a region


@requirement("REGION-06", profile="region", needs=NEEDS, seconds=60)
def test_remote_applications_fall_in_where_there_is_none(region: Region) -> None:
    """With transparent fallback, plain `/apps` lists released applications missing here."""
    region.is_ready()

    expect("the set of applications in the plain list", region.apps("/apps")).consists_of(
        HERE | FAR
    )
