"""The table of leases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from eureka.core.instance import Key
from eureka.core.lease import Lease
from eureka.core.leases import Leases
from eureka.core.status import Status, hash_of

if TYPE_CHECKING:
    from tests.eureka.conftest import Builder, HandClock


def test_leases_are_found_by_application_and_id(clock: HandClock, build: Builder) -> None:
    """Or by the id alone, in every application that has it."""
    leases = Leases()
    cart, pay = (Lease.of(build("1", app), now=clock.now) for app in ("CART", "PAY"))
    leases.put(cart)
    leases.put(pay)

    assert leases.find(Key("CART", "1")) is leases.held(Key("CART", "1")) is cart
    assert leases.find(Key("CART", "2")) is leases.find(Key("NONE", "1")) is None
    assert list(leases.with_id("1")) == list(leases) == [cart, pay]
    assert list(leases.with_id("2")) == []


def test_counts_agree_with_what_is_held(clock: HandClock, build: Builder) -> None:
    """Through replacing, changing and removing."""
    leases = Leases()
    leases.put(Lease.of(build(), now=clock.now))
    again = Lease.of(build(status=Status.DOWN), now=clock.now)

    leases.put(again)
    assert (len(leases), hash_of(leases.counts)) == (1, "DOWN_1_")

    leases.change(again, replace(again.instance, status=Status.STARTING))
    assert (again.instance.status, hash_of(leases.counts)) == (Status.STARTING, "STARTING_1_")

    leases.remove(again)
    assert (len(leases), hash_of(leases.counts), leases.by_app) == (0, "", {})


def test_an_address_lists_those_who_list_it_now(clock: HandClock, build: Builder) -> None:
    """One of several, given up, taken over, and gone with its last instance."""
    leases = Leases()
    cart = Lease.of(build("1", "CART", vip_address="a,b"), now=clock.now)
    pay = Lease.of(build("1", "PAY", vip_address="b", secure_vip_address="a"), now=clock.now)
    leases.put(cart)
    leases.put(pay)
    leases.put(Lease.of(build("2", "PAY", vip_address=None), now=clock.now))

    assert leases.listing("a", secure=False) == {"CART": [cart]}
    assert leases.listing("b", secure=False) == {"CART": [cart], "PAY": [pay]}
    assert leases.listing("a", secure=True) == {"PAY": [pay]}

    leases.change(cart, build("1", "CART", vip_address="c"))
    again = Lease.of(build("1", "PAY", vip_address="a"), now=clock.now)
    leases.put(again)
    assert leases.listing("a", secure=False) == {"PAY": [again]}
    assert leases.listing("b", secure=False) == {}
    assert leases.listing("c", secure=False) == {"CART": [cart]}

    leases.remove(again)
    assert leases.listing("a", secure=False) == {}
