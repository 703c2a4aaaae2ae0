"""The copy of another region."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from eureka.core.region import RegionCopy
from eureka.core.status import Action, Status

if TYPE_CHECKING:
    from eureka.core.instance import Instance
    from tests.eureka.conftest import Builder


@pytest.fixture
def copy() -> RegionCopy:
    """Return a copy of which only CART is shown."""
    return RegionCopy(frozenset({"CART"}))


def told(copy: RegionCopy) -> list[tuple[str, Action]]:
    """Return what changed lately."""
    return [(instance.key.id, instance.action) for instance in copy.recent]


def deleted(instance: Instance) -> Instance:
    """Return it as a delta tells of its end."""
    return replace(instance, action=Action.DELETED)


def test_a_whole_list_makes_it_ready(copy: RegionCopy, build: Builder) -> None:
    """Only what is allowed is shown, and the hash is that of everything."""
    update = copy.with_all([build("1"), build("2", status=Status.DOWN), build("3", "OTHER")])
    copy.adopt(update, now=1.0)

    assert copy.ready
    assert [instance.key.id for instance in copy.instances] == ["1", "2"]
    assert told(copy) == [("1", Action.ADDED), ("2", Action.ADDED)]
    assert update.hash == "DOWN_1_UP_2_"


def test_a_copy_of_nothing_is_not_ready(copy: RegionCopy) -> None:
    """Before anything was fetched."""
    assert not copy.ready


def test_an_empty_region_is_ready_too(copy: RegionCopy) -> None:
    """Nobody there is an answer."""
    version = copy.version
    copy.adopt(copy.with_all([]), now=1.0)

    assert copy.ready
    assert copy.version > version


def test_an_update_touches_nothing_before_it_is_adopted(copy: RegionCopy, build: Builder) -> None:
    """It may be made beside the loop, and thrown away."""
    copy.with_all([build()])
    copy.with_changes([build("2")])

    assert copy.instances == ()
    assert copy.version == 0


def test_the_same_again_changes_nothing(copy: RegionCopy, build: Builder) -> None:
    """Whether as a list or as changes, whatever action they carry."""
    copy.adopt(copy.with_all([build()]), now=1.0)
    version = copy.version

    copy.adopt(copy.with_all([build()]), now=2.0)
    copy.adopt(copy.with_changes([replace(build(), action=Action.MODIFIED)]), now=3.0)
    copy.adopt(copy.with_changes([deleted(build("unknown"))]), now=4.0)

    assert copy.version == version
    assert told(copy) == [("1", Action.ADDED)]


def test_changes_are_followed(copy: RegionCopy, build: Builder) -> None:
    """New ones, other statuses, ends; each stands once in what changed."""
    copy.adopt(copy.with_all([build("1"), build("2")]), now=1.0)
    version = copy.version

    update = copy.with_changes(
        [build("1", status=Status.DOWN), deleted(build("2")), build("3"), build("4", "OTHER")]
    )
    copy.adopt(update, now=2.0)

    assert [instance.key.id for instance in copy.instances] == ["1", "3"]
    assert told(copy) == [("1", Action.MODIFIED), ("3", Action.ADDED), ("2", Action.DELETED)]
    assert update.hash == "DOWN_1_UP_2_"
    assert copy.version > version


def test_who_comes_and_goes_in_one_delta_is_gone(copy: RegionCopy, build: Builder) -> None:
    """The last that is told counts."""
    copy.adopt(copy.with_all([build("1")]), now=1.0)
    changed = build("1", status=Status.DOWN)

    copy.adopt(copy.with_changes([changed, deleted(changed)]), now=2.0)

    assert copy.instances == ()
    assert told(copy) == [("1", Action.DELETED)]


def test_who_is_missing_in_a_whole_list_is_gone(copy: RegionCopy, build: Builder) -> None:
    """A registry that restarted empty has nobody."""
    copy.adopt(copy.with_all([build("1")]), now=1.0)
    copy.adopt(copy.with_all([]), now=2.0)

    assert copy.instances == ()
    assert told(copy) == [("1", Action.DELETED)]
    assert copy.ready


def test_changes_are_forgotten_after_the_retention(copy: RegionCopy, build: Builder) -> None:
    """The oldest first; that is a change of what a delta shows."""
    copy.adopt(copy.with_all([build("1")]), now=1.0)
    copy.adopt(copy.with_changes([build("2")]), now=5.0)
    version = copy.version

    copy.forget(before=3.0)
    assert told(copy) == [("2", Action.ADDED)]
    assert copy.version == version + 1

    copy.forget(before=3.0)
    assert copy.version == version + 1


def test_without_a_whitelist_all_is_shown(build: Builder) -> None:
    """None means all applications."""
    copy = RegionCopy(None)
    copy.adopt(copy.with_all([build("1", "A"), build("2", "B")]), now=1.0)

    assert len(copy.instances) == 2


def test_all_changes_can_be_forgotten(copy: RegionCopy, build: Builder) -> None:
    """However many there were."""
    copy.adopt(copy.with_all([build("1"), build("2")]), now=1.0)

    copy.forget(before=10.0)

    assert copy.recent == ()
