"""Chapter 1, the wire: a 404 says nothing, since older clients stumble over what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.actors.instance import Instance
from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.client import JSON, XML
from eureka_tck.wire.sample import DIRTY_MS

if TYPE_CHECKING:
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case

ACCEPTS = [
    pytest.param(JSON, id="json"),
    pytest.param("application/json, application/*+json", id="as-spring"),
    pytest.param(XML, id="xml"),
    pytest.param(None, id="none"),
]


@requirement("WIRE-14")
@pytest.mark.parametrize("accept", ACCEPTS)
def test_a_renewal_of_an_unknown_instance_is_404_without_a_body(
    cart: Instance, case: Case, accept: str | None
) -> None:
    """An instance that the registry has lost is told so by the code alone."""
    cart.register()

    answer = cart.registry.call(
        "PUT",
        f"/apps/{cart.app}/{case.id('nobody')}",
        params={"status": "UP", "lastDirtyTimestamp": DIRTY_MS},
        headers={"Accept": accept},
    )

    expect("the answer to a renewal of an unknown instance", answer).has_status(404).has_no_body()


@requirement("WIRE-14")
@pytest.mark.parametrize("accept", ACCEPTS)
def test_a_renewal_in_an_unknown_application_is_404_without_a_body(
    cart: Instance, accept: str | None
) -> None:
    """So is one of an application that the registry has lost."""
    answer = cart.registry.call("PUT", f"/apps/{cart.app}/{cart.id}", headers={"Accept": accept})

    expect("the answer to a renewal in an unknown application", answer).has_status(
        404
    ).has_no_body()


@requirement("WIRE-14")
def test_a_renewal_with_a_newer_t_is_404_without_a_body(cart: Instance) -> None:
    """So is one whose data the registry does not have yet."""
    cart.register(dirty=DIRTY_MS)

    answer = cart.renew(dirty=DIRTY_MS + 1)

    expect("the answer to a renewal with a newer T", answer).has_status(404).has_no_body()


@requirement("WIRE-14")
def test_a_renewal_of_an_unknown_status_is_404_without_a_body(cart: Instance) -> None:
    """So is one of an instance whose status is UNKNOWN."""
    cart.register(status="UNKNOWN")

    answer = cart.renew()

    expect("the answer to a renewal of an instance whose status is UNKNOWN", answer).has_status(
        404
    ).has_no_body()


@requirement("WIRE-33")
@pytest.mark.parametrize("accept", [pytest.param(JSON, id="json"), pytest.param(XML, id="xml")])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        pytest.param("DELETE", "/apps/{app}/{id}", id="cancel"),
        pytest.param("PUT", "/apps/{app}/{id}/status?value=DOWN", id="status"),
        pytest.param("DELETE", "/apps/{app}/{id}/status", id="removal"),
        pytest.param("PUT", "/apps/{app}/{id}/metadata?k=v", id="metadata"),
        pytest.param("GET", "/apps/{app}/{id}", id="read"),
        pytest.param("GET", "/instances/{id}", id="read-by-id"),
        pytest.param("GET", "/apps/{other}", id="read-app"),
    ],
)
def test_another_404_has_no_body_either(
    registry: Registry, case: Case, method: str, path: str, accept: str
) -> None:
    """A call or a read about an unknown instance or application is answered by the code alone."""
    Instance(registry, case.app("CART"), case.id(1)).register()
    where = path.format(app=case.app("CART"), id=case.id("nobody"), other=case.app("NONE"))

    answer = registry.call(method, where, headers={"Accept": accept})

    expect(f"the answer to {method}", answer).has_status(404).has_no_body()
