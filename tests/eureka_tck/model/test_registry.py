"""The model states what the catalogue says, and every row it names is one of the catalogue."""

from __future__ import annotations

import pytest

from eureka_tck.model import registry as model_module
from eureka_tck.model.call import (
    Cancel,
    ReadDelta,
    ReadOne,
    Register,
    RegisterWrongly,
    RemoveStatus,
    Renew,
    SetMetadata,
    SetStatus,
    Who,
)
from eureka_tck.model.dialect import DIALECTS, LEFT_OUT, TAKEN_OVER
from eureka_tck.model.prediction import REFUSED
from eureka_tck.model.registry import ModelRegistry
from eureka_tck.suite import requirements_folder
from eureka_tck.verdict.catalogue import load_catalogue

CART = Who("CART", "one")


def test_an_older_registration_keeps_the_data_and_starts_no_other_status() -> None:
    """REG-05: what is stored is registered again."""
    model = ModelRegistry()
    model.answer(Register(CART, t=2, status="DOWN", ip="10.0.0.1"))
    model.answer(Register(CART, t=1, status="UP", ip="10.0.0.2"))

    held = model.held[CART]

    assert (held.status, held.ip, held.t) == ("DOWN", "10.0.0.1", 2)


@pytest.mark.parametrize(
    ("reported", "shown"), [("DOWN", "DOWN"), ("UP", "OUT_OF_SERVICE"), ("BOGUS", "UNKNOWN")]
)
def test_the_rules_decide_the_status_under_an_override(reported: str, shown: str) -> None:
    """STATUS-05: UP and OUT_OF_SERVICE yield to the override, all else shows."""
    model = ModelRegistry()
    model.answer(Register(CART))
    model.answer(SetStatus(CART, "OUT_OF_SERVICE"))

    model.answer(Register(CART, status=reported))

    assert model.held[CART].status == shown
    assert model.held[CART].override == "OUT_OF_SERVICE"


def test_a_client_cannot_take_itself_out_of_service() -> None:
    """STATUS-05: an existing lease that is UP keeps its status."""
    model = ModelRegistry()
    model.answer(Register(CART, status="UP"))

    model.answer(Register(CART, status="OUT_OF_SERVICE"))

    assert model.held[CART].status == "UP"


def test_the_status_already_held_stores_no_override() -> None:
    """STATUS-06: the next registration decides again."""
    model = ModelRegistry()
    model.answer(Register(CART, status="DOWN"))
    model.answer(SetStatus(CART, "DOWN"))

    model.answer(Register(CART, status="UP"))

    assert model.held[CART].status == "UP"


def test_a_removed_override_leaves_unknown_and_renewals_404() -> None:
    """STATUS-03, RENEW-07: until the instance registers again."""
    model = ModelRegistry()
    model.answer(Register(CART))
    model.answer(SetStatus(CART, "DOWN"))
    model.answer(RemoveStatus(CART))

    assert model.answer(Renew(CART)).allows(404)
    model.answer(Register(CART))
    assert model.answer(Renew(CART)).allows(200)


def test_metadata_are_added_and_told_as_added() -> None:
    """META-01, META-02: other keys stay, and the delta says ADDED."""
    model = ModelRegistry()
    model.answer(Register(CART, metadata=(("a", "1"),)))
    model.answer(SetStatus(CART, "DOWN"))
    model.answer(SetMetadata(CART, (("b", "2"),)))

    facts = model.answer(ReadDelta()).facts

    assert facts["action of CART/one"].due == "ADDED"
    assert facts["metadata of CART/one"].due == (("a", "1"), ("b", "2"))


def test_what_left_is_told_as_last_stored() -> None:
    """CANCEL-02: DELETED, with the override that went with it."""
    model = ModelRegistry()
    model.answer(Register(CART))
    model.answer(SetStatus(CART, "OUT_OF_SERVICE"))
    model.answer(Cancel(CART))

    facts = model.answer(ReadDelta()).facts

    assert facts["changes"].due == ("CART/one",)
    assert facts["action of CART/one"].due == "DELETED"
    assert facts["overridden status of CART/one"].due == "OUT_OF_SERVICE"
    assert model.answer(ReadOne(CART)).allows(404)


def test_a_dialect_lets_a_500_pass_and_nothing_else() -> None:
    """What the reference answers to a body that is none is right in its dialect alone."""
    call = RegisterWrongly(CART, "no JSON")

    assert not ModelRegistry().answer(call).allows(500)
    assert ModelRegistry(DIALECTS["java"]).answer(call).allows(500)
    assert not ModelRegistry(DIALECTS["java"]).answer(call).allows(204)
    assert REFUSED in ModelRegistry().answer(call).statuses


def test_every_row_that_the_model_names_is_of_the_catalogue() -> None:
    """A prediction that names no row could not say what is broken."""
    catalogue = load_catalogue(requirements_folder())
    source = model_module.__loader__.get_source(model_module.__name__)  # type: ignore[union-attr]
    import re  # noqa: PLC0415 - of this test alone

    named = set(re.findall(r'"([A-Z]+-\d\d)"', source)) | {*TAKEN_OVER, *LEFT_OUT}

    assert len(named) > 25
    assert [row for row in named if row not in catalogue] == []
