"""Which resource a path means."""

from __future__ import annotations

import pytest

from eureka.wire.paths import METHODS, Target, find


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/eureka/apps", Target("apps")),
        ("/eureka/apps/", Target("apps")),
        ("/eureka/v2/apps", Target("apps")),
        ("/eureka/apps/delta", Target("delta")),
        ("/eureka/apps/DELTA", Target("app", "DELTA")),
        ("/eureka/apps/cart", Target("app", "CART")),
        ("/eureka/apps/cart/host:cart:80", Target("instance", "CART", "host:cart:80")),
        ("/eureka/apps/cart/host%3Acart/", Target("instance", "CART", "host:cart")),
        ("/eureka/apps/a%2Fb/c%2Fd%5C", Target("instance", "A/B", "c/d\\")),
        ("/eureka/apps/c/%E2%82%AC%20%25%23%3F%26+%3B", Target("instance", "C", "€ %#?&+;")),
        ("/eureka/apps/cart/1/status", Target("status", "CART", "1")),
        ("/eureka/apps/cart/1/metadata", Target("metadata", "CART", "1")),
        ("/eureka/instances/1", Target("by-id", id="1")),
        ("/eureka/vips/Cart", Target("vip", "Cart")),
        ("/eureka/svips/Cart/", Target("svip", "Cart")),
        ("/eureka/peerreplication/batch/", Target("batch")),
        ("/eureka/v2/peerreplication/batch", Target("batch")),
        ("/eureka/status/", Target("server-status")),
        ("/eureka/serverinfo/statusoverrides", Target("overrides")),
    ],
)
def test_paths_of_the_protocol(path: str, target: Target) -> None:
    """Applications are upper-cased, ids and addresses are not; names are decoded once."""
    assert find(path) == target


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/eureka",
        "/eureka/",
        "/eureka/v2",
        "/eureka/v2/",
        "/eureka/v3/apps",
        "/other/apps",
        "eureka/apps",
        "/eureka//apps",
        "/eureka/apps//",
        "/eureka/apps/cart//",
        "/eureka/apps//1",
        "/eureka/apps/cart/1/other",
        "/eureka/apps/cart/1/status/more",
        "/eureka/vips",
        "/eureka/vips/",
        "/eureka/peerreplication",
        "/eureka/peerreplication/single",
        "/eureka/serverinfo",
        "/eureka/serverinfo/other",
        "/eureka/apps/\u00e9",
    ],
)
def test_paths_that_mean_nothing(path: str) -> None:
    """A doubled slash and an unknown name are nothing."""
    assert find(path) is None


def test_every_resource_says_what_may_be_done_with_it() -> None:
    """OPTIONS is allowed everywhere, HEAD wherever GET is."""
    for methods in METHODS.values():
        assert "OPTIONS" in methods
        assert ("GET" in methods) == ("HEAD" in methods)
