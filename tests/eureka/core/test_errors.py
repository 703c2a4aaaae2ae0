"""The sentences that refusals are told in."""

from __future__ import annotations

import pytest

from eureka.core.errors import (
    ConfigurationError,
    EurekaError,
    RegistryClosed,
    UnknownInstance,
    UnknownName,
)
from eureka.core.instance import Key


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            UnknownInstance(Key("CART", "cart-01"), "renew"),
            "CART/cart-01 is not registered here, so it cannot renew; register first.",
        ),
        (UnknownName("application", "CART"), "There is no application CART here."),
        (
            RegistryClosed(),
            "This registry has not learnt its instances yet; keep your copy and ask again.",
        ),
        (
            ConfigurationError("app.yml", "server.port", "must be a number, but is 'x'"),
            "app.yml: server.port must be a number, but is 'x'",
        ),
        (
            ConfigurationError("app.yml", "", "there is no such file"),
            "app.yml: there is no such file",
        ),
    ],
)
def test_errors_make_their_own_sentences(error: EurekaError, sentence: str) -> None:
    """The text names what was asked for and why it cannot be."""
    assert str(error) == sentence
