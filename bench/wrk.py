"""The generator: wrk, with a script that renews a fleet, and what it says it has done."""

from __future__ import annotations

import os
import re
import string
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from bench.fleet import DIRTY_MS, application, instance_id
from eureka_tck.errors import CannotRun
from eureka_tck.supplies import tool

if TYPE_CHECKING:
    from pathlib import Path

    from bench.cores import Cores

CONNECTIONS: Final = 50  # as many as keep one core of the fastest server busy
GRACE: Final = 30.0  # s beyond the measured ones: wrk makes its requests first
STRIDE: Final = 7919  # prime, so that a fleet is gone through out of order, each instance once

# The headers of Spring's client (eureka-client 2), but for its session's own.
_SCRIPT: Final = string.Template("""\
local headers = {
  ["Accept"] = "application/json, application/*+json",
  ["DiscoveryIdentity-Name"] = "DefaultClient",
  ["DiscoveryIdentity-Version"] = "2.0",
  ["DiscoveryIdentity-Id"] = "10.1.2.3",
  ["User-Agent"] = "Apache-HttpClient/5.5 (Java/17)",
}
local requests = {}
local at = 0

function init(arguments)
  local file = assert(io.open("$paths", "r"))
  local number = 0
  for path in file:lines() do
    requests[number] = wrk.format("PUT", path, headers)
    number = number + 1
  end
  file:close()
end

function request()
  at = (at + $stride) % $size
  return requests[at]
end
$delay
""")

_DELAY: Final = string.Template("function delay() return $ms end\n")


@dataclass(frozen=True, slots=True)
class Report:
    """What a part did."""

    requests: int
    seconds: float
    refused: int  # answers other than 2xx and 3xx, and broken connections
    used: float = 0.0  # processor seconds of wrk itself


class Generator:
    """Sends renewals of a fleet from the generator's core."""

    def __init__(self, folder: Path, cores: Cores) -> None:
        self._folder = folder
        self._cores = cores

    def renew(self, root: str, size: int, *, seconds: float, delay_ms: int = 0) -> Report:
        """Renew a fleet of that size, as fast as it goes or with pauses between two calls."""
        script = self._script(size, delay_ms)
        before = _children()
        printed = tool.run(
            [
                *("taskset", "--cpu-list", str(self._cores.generator)),
                *("wrk", "--threads", "1", "--connections", str(CONNECTIONS)),
                *("--duration", f"{max(round(seconds), 1)}s", "--script", script, root),
            ],
            what="wrk",
            budget=seconds + GRACE,
        )
        return replace(read(printed), used=_children() - before)

    def _script(self, size: int, delay_ms: int) -> Path:
        script = self._folder / f"renew-{size}-{delay_ms}.lua"
        if not script.exists():
            paths = self._folder / f"paths-{size}.txt"
            lines = (
                f"/eureka/apps/{application(number)}/{instance_id(number)}"
                f"?status=UP&lastDirtyTimestamp={DIRTY_MS}\n"
                for number in range(size)
            )
            paths.write_text("".join(lines), "ascii")
            delay = _DELAY.substitute(ms=delay_ms) if delay_ms else ""
            script.write_text(
                _SCRIPT.substitute(paths=paths, stride=STRIDE, size=size, delay=delay), "ascii"
            )
        return script


def _children() -> float:
    """Return the processor seconds of the children that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def read(printed: str) -> Report:
    """Return what wrk printed as figures."""
    done = re.search(r"(\d+) requests in ([\d.]+)(ms|s|m)", printed)
    if done is None:
        raise CannotRun(f"wrk printed something else than its report:\n{printed}")
    seconds = float(done[2]) * {"ms": 0.001, "s": 1.0, "m": 60.0}[done[3]]
    other = re.search(r"Non-2xx or 3xx responses: (\d+)", printed)
    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+)", printed)
    refused = int(other[1]) if other else 0
    refused += sum(int(number) for number in errors.groups()) if errors else 0
    return Report(int(done[1]), seconds, refused)
