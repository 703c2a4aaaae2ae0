"""Whatever a stranger sends is refused or understood; nothing else ever happens."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eureka.core.errors import InvalidRequest
from eureka.wire import reading
from tests.fuzz import surface as under_test
from tests.fuzz.__main__ import HERE, SHARES, main
from tests.fuzz.surface import (
    Http,
    batch,
    json_registration,
    listed,
    surfaces_of_bodies,
    xml_registration,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CORPUS = sorted(path for path in (HERE / "corpus").rglob("*") if path.is_file())
EXAMPLES = 150  # of each property; a second or less

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["UP", "DOWN", "UNKNOWN", "Amazon", "MyOwn", reading.AMAZON, reading.PLAIN])
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["$", "@enabled", "@class", "name", "k"]), inner)
    ),
    max_leaves=8,
)
_FULL = msgspec.json.decode((HERE / "corpus" / "json" / "full").read_bytes())["instance"]
_TASK = {"appName": "CART", "id": "h:cart:80", "action": "Register"}
_FIELDS = st.dictionaries(st.sampled_from(sorted(_FULL)) | st.text(max_size=5), _VALUES, max_size=4)
_INSTANCES = _FIELDS.map(lambda changes: _FULL | changes)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@pytest.fixture
def http() -> Iterator[Http]:
    """Return the HTTP surface of a registry of its own."""
    found = Http()
    yield found
    found.close()


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_the_corpus_breaks_nothing(path: Path, http: Http) -> None:
    """On its own surface; what is a body, as a request too."""
    data = path.read_bytes()
    own = http if path.parent.name == "http" else surfaces_of_bodies()[path.parent.name]

    own(data)

    http.check_lists()


@settings(max_examples=EXAMPLES, deadline=None)
@given(_INSTANCES)
def test_odd_registrations_in_json(instance: dict[str, object]) -> None:
    """Any value at any field."""
    json_registration(msgspec.json.encode({"instance": instance}))


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(_FULL)), _TEXTS, _TEXTS), max_size=5))
def test_odd_registrations_in_xml(fields: list[tuple[str, str, str]]) -> None:
    """Any text in any element, in an attribute, and as something unknown."""
    added = "".join(f"<{name} enabled='{a}'>{b}<u>{a}</u></{name}>" for name, a, b in fields)
    body = (HERE / "corpus" / "xml" / "full").read_text("utf-8")

    xml_registration(body.replace("</instance>", f"{added}</instance>").encode())


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(_VALUES | _INSTANCES.map(lambda one: {**_TASK, "instanceInfo": one}), max_size=4))
def test_odd_batches(tasks: list[object]) -> None:
    """Any task among others."""
    batch(msgspec.json.encode({"replicationList": tasks}))


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(_INSTANCES | _VALUES, max_size=3))
def test_odd_lists(instances: list[object]) -> None:
    """Any instance of another registry."""
    applications = [{"name": "CART", "instance": instances}]
    listed(msgspec.json.encode({"applications": {"application": applications}}))


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.sampled_from([one.read_bytes() for one in CORPUS if one.parent.name == "http"]),
    st.lists(st.tuples(st.integers(0, 4000), st.binary(max_size=8)), max_size=4),
)
def test_odd_requests(http: Http, request_: bytes, splices: list[tuple[int, bytes]]) -> None:
    """Any bytes within a request, on a registry that remembers all the others."""
    for at, what in splices:
        place = at % (len(request_) + 1)
        request_ = request_[:place] + what + request_[place + len(what) :]
    http(request_)
    http.check_lists()


def test_a_fault_is_noticed(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception in a decoder, and one behind HTTP that is answered 500."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(under_test, "read_registration", broken)
    with pytest.raises(ZeroDivisionError):
        json_registration(b"{}")

    monkeypatch.setattr("eureka.server.reading.Reading.written", broken)
    http((HERE / "corpus" / "http" / "register-json").read_bytes())
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        http(b"GET /apps/CART/h%3Acart%3A80\n\n")


def test_a_refusal_is_no_fault() -> None:
    """It has a sentence."""
    with pytest.raises(InvalidRequest, match="cannot parse"):
        reading.read_registration(b"{", arrived_ms=0)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris has no wheel here")
def test_a_few_thousand_guided_inputs_break_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """The command that tries a million tries these, on every surface."""
    assert main(["--inputs", "3000"]) == 0

    said = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in said[:-1]] == list(SHARES)
    assert said[-1].endswith("; 0 broken")
