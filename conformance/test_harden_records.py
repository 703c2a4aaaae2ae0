"""
Chapter 19, bad input and abuse: instances with odd data, which must hide and stop nobody.

The tests read recordings of one odd instance each (`eureka_tck.observe.oddity`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.observe.oddity import Oddity, record_oddity
from eureka_tck.verdict import expect, requirement
from eureka_tck.wire.sample import DEFAULT_DATA_CENTER, amazon_data_center

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.cluster import Cluster
    from eureka_tck.verdict import Case
    from eureka_tck.wire.sample import Sample

NEEDS = {"settings", "peers", "kill", "destructive"}

ODD: dict[str, Sample] = {
    "no-urls": dict.fromkeys(("homePageUrl", "statusPageUrl", "healthCheckUrl")),
    "no-vip": dict.fromkeys(("vipAddress", "secureVipAddress")),
    "empty-vip": {"vipAddress": "", "secureVipAddress": ","},
    "nothing-optional": dict.fromkeys(
        ("metadata", "leaseInfo", "port", "securePort", "countryId", "vipAddress", "homePageUrl")
    ),
    "huge-metadata": {"metadata": {f"key-{n}": "x" * 1000 for n in range(500)}},
    "urls-of-no-kind": {"homePageUrl": "javascript:x", "statusPageUrl": "::", "vipAddress": "a b"},
    "unicode": {"hostName": "größe-大", "metadata": {"größe": "大 🙂"}},
    "xml-special": {"hostName": "<&>\"'", "metadata": {"a": "]]><x>"}},
    "empty-amazon": {"dataCenterInfo": amazon_data_center({})},
}
"""Odd, and harmless to a registry that writes what it was given."""

SPOILING: dict[str, Sample] = {
    "control-in-value": {"metadata": {"key": "a\x00b\x1fc"}},
    "control-in-host": {"hostName": "host\x07"},
    "not-a-character": {"metadata": {"key": "a\ufffeb"}},
    "colon-in-key": {"metadata": {"a:b": "v"}},
    "empty-key": {"metadata": {"": "v"}},
    "amazon-by-name": {"dataCenterInfo": {"@class": DEFAULT_DATA_CENTER, "name": "Amazon"}},
}
"""What may spoil lists for good: each has a node that has just started."""

KINDS = ["lists in JSON", "lists in XML", "compact lists in JSON", "compact lists in XML",
         "single reads in JSON", "single reads in XML", "page"]  # fmt: skip


@pytest.fixture(scope="session")
def oddities(profile_cluster: Callable[[str], Cluster]) -> Callable[[str], Oddity]:
    """Record each odd instance once."""
    recorded: dict[str, Oddity] = {}

    def recording(name: str) -> Oddity:
        if name not in recorded:
            changes, fresh = {**ODD, **SPOILING}[name], name in SPOILING
            recorded[name] = record_oddity(profile_cluster("odd"), name, changes, fresh=fresh)
        return recorded[name]

    return recording


@pytest.fixture
def oddity(oddities: Callable[[str], Oddity], name: str, case: Case) -> Oddity:
    """Read what a registry showed beside the odd instance of that name."""
    recording = oddities(name)
    recording.tape.play(case)
    return recording


# By instance and not by kind: each has its node, and the next one starts it anew.
EACH = [
    pytest.param(name, kind, id=f"{name}-{kind.replace(' ', '-')}")
    for name in [*ODD, *SPOILING]
    for kind in KINDS
]


@requirement("HARDEN-04", profile="odd", needs=NEEDS, seconds=2)
@pytest.mark.parametrize(("name", "kind"), EACH)
def test_an_odd_instance_breaks_no_read(oddity: Oddity, name: str, kind: str) -> None:
    """Every read beside it is whole, readable and has the ordinary instance; or it was refused."""
    expect(f"what was wrong in {kind} beside {name}", oddity.wrong_in(kind)).equals({})


@requirement("HARDEN-04", profile="odd", needs=NEEDS, seconds=2)
@pytest.mark.parametrize("name", [*ODD, *SPOILING])
def test_an_odd_instance_is_taken_or_refused(oddity: Oddity, name: str) -> None:
    """Its registration is answered 204 or 4xx."""
    expect(f"the status of the answer to {name}", oddity.status).is_one_of(204, *range(400, 500))


@requirement("HARDEN-09", profile="odd", needs=NEEDS, seconds=2)
@pytest.mark.parametrize("name", [*ODD, *SPOILING])
def test_no_list_is_200_without_a_body(oddity: Oddity, name: str) -> None:
    """No list read beside an odd instance says 200 and nothing."""
    expect(f"the lists that were 200 without a body beside {name}", list(oddity.empty)).equals([])


@requirement("HARDEN-08", profile="odd", needs=NEEDS, seconds=2)
@pytest.mark.parametrize("name", [*ODD, *SPOILING])
def test_an_odd_instance_does_not_stop_replication(oddity: Oddity, name: str) -> None:
    """What registers after it, while it renews, arrives at the peer in time."""
    expect(f"that another instance reaches the peer beside {name}", oddity.arrived).is_true(
        because="it arrived before the odd one was there"
    )
