"""
Chapter 2, registering: what a registry takes, what it refuses, and under which name it keeps it.

What it makes of a registration is judged in `test_registered.py`,
how long the lease lives (REG-05, REG-10, REG-14) in `test_lease.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.actors.instance import Instance
from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.client import JSON, XML
from eureka_tck.wire.sample import (
    DEFAULT_DATA_CENTER,
    DIRTY_MS,
    amazon_data_center,
    registration,
    sample,
    without,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case
    from eureka_tck.wire.sample import Sample

NOT_UTF_8 = '{"instance":{"hostName":"é"}}'.encode("latin-1")


# REG-01: the registration itself


@requirement("REG-01")
def test_registering_answers_204_without_a_body(cart: Instance) -> None:
    """A valid registration answers 204, and nothing with it."""
    answer = cart.register()

    expect("the answer to a registration", answer).has_status(204).has_no_body()


@requirement("REG-01")
def test_a_registered_instance_is_readable_at_once(cart: Instance) -> None:
    """The first single read after a registration finds the instance."""
    cart.register()

    answer = cart.read()

    expect("the answer to the single read after a registration", answer).has_status(200)


@requirement("REG-01")
def test_an_instance_reads_back_as_it_registered(cart: Instance) -> None:
    """Names, address, VIP, metadata and T are what the instance sent."""
    cart.register(hostName="cart.example", ipAddr="10.0.0.7", vipAddress="cart-vip")

    seen = cart.record()
    expect(
        "the instance read back",
        (seen.app, seen.id, seen.host_name, seen.ip, seen.vip, seen.user_metadata, seen.dirty_ms),
    ).equals((cart.app, cart.id, "cart.example", "10.0.0.7", "cart-vip", {"zone": "z1"}, DIRTY_MS))


@requirement("REG-01")
def test_registering_again_answers_204(cart: Instance) -> None:
    """The same registration a second time is as welcome as the first."""
    cart.register()

    answer = cart.register()

    expect("the answer to a second, equal registration", answer).has_status(204)


# REG-02: what is incomplete

INCOMPLETE = [
    pytest.param(lambda full: without(full, "hostName"), id="no-hostName"),
    pytest.param(lambda full: full | {"hostName": ""}, id="empty-hostName"),
    pytest.param(lambda full: without(full, "ipAddr"), id="no-ipAddr"),
    pytest.param(lambda full: full | {"ipAddr": ""}, id="empty-ipAddr"),
    pytest.param(lambda full: without(full, "app"), id="no-app"),
    pytest.param(lambda full: full | {"app": ""}, id="empty-app"),
    pytest.param(lambda full: without(full, "dataCenterInfo"), id="no-dataCenterInfo"),
    pytest.param(
        lambda full: full | {"dataCenterInfo": {"@class": DEFAULT_DATA_CENTER}},
        id="no-data-centre-name",
    ),
    pytest.param(
        lambda full: full | {"dataCenterInfo": {"@class": DEFAULT_DATA_CENTER, "name": ""}},
        id="empty-data-centre-name",
    ),
    pytest.param(
        lambda full: without(full, "instanceId", "hostName"), id="no-instanceId-and-no-hostName"
    ),
]


@requirement("REG-02")
@pytest.mark.parametrize("incomplete", INCOMPLETE)
def test_an_incomplete_registration_answers_400(
    registry: Registry, case: Case, incomplete: Callable[[Sample], Sample]
) -> None:
    """A registration without a field that its readers need is refused."""
    app = case.app("CART")

    answer = registry.post(app, registration(incomplete(sample(app, case.id(1)))))

    expect("the answer to an incomplete registration", answer).has_status(400)


@requirement("REG-02")
@pytest.mark.parametrize("incomplete", INCOMPLETE)
def test_an_incomplete_registration_stores_nothing(
    registry: Registry, case: Case, incomplete: Callable[[Sample], Sample]
) -> None:
    """After a refused registration its application is as unknown as before."""
    app = case.app("CART")
    registry.post(app, registration(incomplete(sample(app, case.id(1)))))

    answer = registry.app(app)

    expect("the application of a refused registration", answer).is_absent()


# REG-03: what goes to the wrong place


@requirement("REG-03")
def test_a_registration_below_another_applications_path_answers_400(
    registry: Registry, case: Case
) -> None:
    """An instance of one application is refused below the path of another."""
    cart = sample(case.app("CART"), case.id(1))

    answer = registry.post(case.app("SHOP"), registration(cart))

    expect("the answer to a registration below another application's path", answer).has_status(400)


@requirement("REG-03")
@pytest.mark.parametrize("place", ["CART", "SHOP"], ids=["its-own", "the-path's"])
def test_a_registration_below_another_applications_path_stores_nothing(
    registry: Registry, case: Case, place: str
) -> None:
    """Neither the application of the body nor that of the path has the instance."""
    registry.post(case.app("SHOP"), registration(sample(case.app("CART"), case.id(1))))

    answer = registry.app(case.app(place))

    expect("the application of a registration to the wrong path", answer).is_absent()


@requirement("REG-03")
@pytest.mark.parametrize(
    ("in_path", "in_body"),
    [
        pytest.param(str.upper, str.lower, id="lower-case-in-the-body"),
        pytest.param(str.lower, str.upper, id="lower-case-in-the-path"),
        pytest.param(str.title, str.swapcase, id="mixed-case-in-both"),
    ],
)
def test_the_case_of_an_applications_name_makes_no_other_application(
    registry: Registry, case: Case, in_path: Callable[[str], str], in_body: Callable[[str], str]
) -> None:
    """Names that are equal in upper case are the same name."""
    app = case.app("Cart")

    answer = registry.post(in_path(app), registration(sample(in_body(app), case.id(1))))

    expect("the answer to a registration in another case of letters", answer).has_status(204)


# REG-04: what cannot be parsed

UNPARSABLE = [
    pytest.param(b'{"instance":', JSON, id="cut-json"),
    pytest.param(b"instance", JSON, id="not-json"),
    pytest.param(b"", JSON, id="empty-json"),
    pytest.param(b"null", JSON, id="json-null"),
    pytest.param(b"[]", JSON, id="json-array"),
    pytest.param(b'"instance"', JSON, id="json-text"),
    pytest.param(b'{"instance":null}', JSON, id="json-instance-null"),
    pytest.param(NOT_UTF_8, JSON, id="json-not-utf-8"),
    pytest.param(b'{"instance":NaN}', JSON, id="json-nan"),
    pytest.param(b"", None, id="no-body-no-type"),
    pytest.param(b"<instance>", XML, id="cut-xml"),
    pytest.param(b"instance", XML, id="not-xml"),
    pytest.param(b"", XML, id="empty-xml"),
    pytest.param(b"<string>x</string>", XML, id="xml-foreign-root"),
]


@requirement("REG-04")
@pytest.mark.parametrize(("body", "content_type"), UNPARSABLE)
def test_an_unparsable_registration_answers_4xx(
    registry: Registry, case: Case, body: bytes, content_type: str | None
) -> None:
    """A body that is no registration is the sender's fault, and the answer says so."""
    answer = registry.post(case.app("CART"), body, content_type=content_type)

    expect("the status of the answer to an unparsable registration", answer.status).is_between(
        400, 499, unit=""
    )


@requirement("REG-04")
@pytest.mark.parametrize(("body", "content_type"), UNPARSABLE)
def test_an_unparsable_registration_stores_nothing(
    registry: Registry, case: Case, body: bytes, content_type: str | None
) -> None:
    """After an unparsable registration its application is as unknown as before."""
    registry.post(case.app("CART"), body, content_type=content_type)

    answer = registry.app(case.app("CART"))

    expect("the application of an unparsable registration", answer).is_absent()


# REG-05: which of two registrations stands


@requirement("REG-05")
def test_an_older_registration_answers_204(cart: Instance) -> None:
    """A registration that comes too late is no error of its sender."""
    cart.register(dirty=DIRTY_MS)

    answer = cart.register(dirty=DIRTY_MS - 1)

    expect("the answer to a registration with an older T", answer).has_status(204)


@requirement("REG-05")
def test_an_older_registration_keeps_the_stored_data(cart: Instance) -> None:
    """Metadata, status and T of an instance survive a registration with an older T."""
    cart.register(dirty=DIRTY_MS, metadata={"from": "the newer"})

    cart.register(dirty=DIRTY_MS - 1, metadata={"from": "the older"}, status="DOWN")

    record = cart.record()
    expect(
        "the instance after a registration with an older T",
        (record.user_metadata, record.status, record.dirty_ms),
    ).equals(({"from": "the newer"}, "UP", DIRTY_MS))


@requirement("REG-05")
@pytest.mark.parametrize("later", [0, 1], ids=["equal-T", "newer-T"])
def test_a_registration_no_older_replaces_the_data(cart: Instance, later: int) -> None:
    """Metadata, status and T of an instance are those of the last registration."""
    cart.register(dirty=DIRTY_MS, metadata={"from": "the first"})

    cart.register(dirty=DIRTY_MS + later, metadata={"from": "the last"}, status="DOWN")

    record = cart.record()
    expect(
        "the instance after a second registration",
        (record.user_metadata, record.status, record.dirty_ms),
    ).equals(({"from": "the last"}, "DOWN", DIRTY_MS + later))


# REG-08, REG-09: the key of an instance


@requirement("REG-08")
def test_without_an_id_an_instance_is_called_by_its_host_name(
    registry: Registry, case: Case
) -> None:
    """An instance that registers without an id renews under its host name."""
    app, host = case.app("CART"), f"{case.id('host')}.example"
    registry.register(without(sample(app, "none", hostName=host), "instanceId"))

    answer = registry.renew(app, host)

    expect("the answer to a renewal under the host name", answer).has_status(200)


@requirement("REG-08")
def test_without_an_id_an_amazon_instance_is_called_by_its_instance_id(
    registry: Registry, case: Case
) -> None:
    """An instance at Amazon that registers without an id renews under its `instance-id`."""
    app, amazon = case.app("CART"), case.id("i-0001")
    place = amazon_data_center({"instance-id": amazon})
    registry.register(without(sample(app, "none", dataCenterInfo=place), "instanceId"))

    answer = registry.renew(app, amazon)

    expect("the answer to a renewal under the Amazon instance-id", answer).has_status(200)


@requirement("REG-08")
def test_an_id_in_the_metadata_is_part_of_the_key_or_is_not(registry: Registry, case: Case) -> None:
    """Without an id, `metadata.instanceId` is added to the host name, as Spring does, or is not."""
    app, host = case.app("CART"), f"{case.id('host')}.example"
    fields = sample(app, "none", hostName=host, metadata={"instanceId": "m"})
    registry.register(without(fields, "instanceId"))

    codes = [registry.renew(app, key).status for key in (host, f"{host}:m")]

    expect("the renewals under host name and under host name and metadata's id", codes).is_one_of(
        [200, 404], [404, 200]
    )


@requirement("REG-08")
def test_without_any_name_an_instance_is_refused(registry: Registry, case: Case) -> None:
    """Neither instance id, nor data centre's id, nor host name: 400."""
    app = case.app("CART")

    answer = registry.register(without(sample(app, "none"), "instanceId", "hostName"))

    expect("the answer to a registration without any name", answer).has_status(400)


@requirement("REG-09")
def test_cancelling_an_instance_leaves_its_namesake(
    registry: Registry, cart: Instance, case: Case
) -> None:
    """Of two applications' instances with one id, the cancelled one alone is gone."""
    shop = Instance(registry, case.app("SHOP"), case.id(1))
    cart.register()
    shop.register()

    cart.cancel()

    expect("the namesake in the other application", shop.read()).is_present()


@requirement("REG-09")
def test_namesakes_have_data_of_their_own(registry: Registry, cart: Instance, case: Case) -> None:
    """Of two applications' instances with one id, each has the status it registered with."""
    shop = Instance(registry, case.app("SHOP"), case.id(1))

    cart.register(status="UP")
    shop.register(status="DOWN")

    expect("the status of the two namesakes", (cart.record().status, shop.record().status)).equals(
        ("UP", "DOWN")
    )
