"""
How many bytes a renewal and the two reads of a fleet are on the network: each asked for once.

One renewal more than the fleet's own is sent: of its last instance, with the T it registered with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from eureka_tck.fleet.request import Requests
from eureka_tck.fleet.sighting import Size
from eureka_tck.wire.raw import speak

if TYPE_CHECKING:
    from eureka_tck.fleet.storm import Storm
    from eureka_tck.wire.client import WireClient
    from eureka_tck.wire.raw import RawAnswer

FOUND: Final = 200
SECONDS: Final = 1.0
"""For each of them: the fleet leaves soon after."""
_LINE: Final = len(": \r\n")
_STATUS: Final = len("HTTP/1.1 200 OK\r\n")


def weighed(
    storm: Storm, client: WireClient, dirty: int, seconds: float = SECONDS
) -> dict[str, Size]:
    """Return the sizes by the names of Locust's statistics; what is not answered 200 has none."""
    parts = urlsplit(client.root)
    base = f"{parts.path.rstrip('/').removesuffix('/eureka')}/eureka"
    requests = Requests(storm, parts.netloc, base)
    asked = {
        "PUT renew": requests.renew(storm.instances - 1, dirty),
        "GET delta": requests.delta(),
        "GET apps": requests.full(),
    }
    found = {}
    for name, wire in asked.items():
        answer = speak(client, wire, seconds=seconds)
        if answer.status == FOUND:
            found[name] = Size(len(wire), _head(answer) + _body(answer))
    return found


def _head(answer: RawAnswer) -> int:
    lines = sum(len(key) + len(value) + _LINE for key, value in answer.headers.items())
    return _STATUS + lines + len("\r\n")


def _body(answer: RawAnswer) -> int:
    """Return the body's length as it was announced; what came is cut at some megabytes."""
    announced = answer.headers.get("content-length", "")
    return int(announced) if announced.isdecimal() else len(answer.body)
