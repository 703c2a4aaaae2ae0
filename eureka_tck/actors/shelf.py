"""What a scripted peer serves to a registry that copies from it: a list of instances as JSON."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka_tck.wire.sample import Json, Sample


class Shelf:
    """Instances by their fields, written once: `full` is the whole list, `delta` an empty one."""

    def __init__(self, instances: Iterable[Sample] = ()) -> None:
        kept = list(instances)
        by_app: dict[str, list[Json]] = {}
        for instance in kept:
            by_app.setdefault(str(instance["app"]).upper(), []).append(dict(instance))
        statuses = Counter(str(instance["status"]) for instance in kept)
        self.hash = "".join(f"{status}_{statuses[status]}_" for status in sorted(statuses))
        self.full = self._list(
            [{"name": name, "instance": instances} for name, instances in by_app.items()]
        )
        self.delta = self._list([])

    def _list(self, applications: list[Json]) -> bytes:
        return msgspec.json.encode(
            {
                "applications": {
                    "versions__delta": "1",
                    "apps__hashcode": self.hash,
                    "application": applications,
                }
            }
        )
