"""The fleet as it is used: Locust with its own options, headless, on the generator's core."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Final, Self

import msgspec
import psutil

from eureka_tck.clock import Patience
from eureka_tck.errors import CannotRun
from eureka_tck.fleet.generator import Generator
from eureka_tck.fleet.tally import Tally
from eureka_tck.ledger import RUN_VARIABLE
from eureka_tck.suite import suite_root

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.subject import Subject
    from bench.workbench import Workbench

LOOK_EVERY: Final = 0.25  # s; the fleet writes its counts twice a second
CALM: Final = 2.0  # s from the last registration until a measurement begins
STOP_BUDGET: Final = 10.0  # s
_TAIL: Final = 2000  # characters of a log that an error shows


class Storming:
    """A fleet that storms a server; leaving the block ends it without a farewell."""

    def __init__(
        self, bench: Workbench, subject: Subject, *, bulk: bool = False, **storm: object
    ) -> None:
        folder = bench.run.folder / "storms" / f"{len(list(bench.run.folder.glob('storms/*'))):02}"
        folder.mkdir(parents=True)
        fields = {"name": "bench", "story": "", "minutes": 30, "settle": 6.0, **storm}
        file = folder / "storm.toml"
        file.write_text("".join(f"{key} = {_toml(one)}\n" for key, one in fields.items()), "utf-8")
        self._file = folder / "fleet.json"
        self._log = folder / "locust.log"
        generator = Generator(
            bench.run,
            suite_root() / "load" / "locustfile.py",
            (subject.root,),
            str(file),
            int(str(fields["instances"])),
            float(str(fields["minutes"])),
            length=0.0,
            settle=float(str(fields["settle"])),
            bulk=bulk,
            folder=folder,
        )
        with self._log.open("wb") as log:
            self._child = subprocess.Popen(
                generator.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, RUN_VARIABLE: bench.run.id},
            )
        bench.run.ledger.process(self._child.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child.poll() is None:
            self._child.kill()
        self._child.wait(STOP_BUDGET)

    def tally(self) -> Tally:
        """Return what it has counted so far."""
        if not self._file.exists():
            return Tally()
        return msgspec.json.decode(self._file.read_bytes(), type=Tally)

    def until(self, condition: Callable[[Tally], object], budget: float, wanted: str) -> Tally:
        """Wait for counts that fulfil a condition, and return them."""
        patience = Patience(budget)
        while not condition(tally := self.tally()):
            if self._child.poll() is not None or not patience.pause(LOOK_EVERY):
                raise CannotRun(
                    f"the fleet was not {wanted} within {budget:g} s; it had sent "
                    f"{tally.requests:,} requests, {tally.failures:,} of them in vain: "
                    f"{'; '.join(tally.problems[:3])}\n"
                    f"{self._log.read_text('utf-8', 'replace')[-_TAIL:]}"
                )
        return tally

    def whole(self, size: int, budget: float) -> None:
        """Wait until all instances are registered, and a little longer."""
        self.until(lambda tally: tally.registered >= size, budget, "registered")
        self.rest(CALM)

    def rest(self, seconds: float) -> Tally:
        """Wait; return the first counts that are written after it."""
        patience = Patience(seconds)
        while patience.pause(patience.left()):
            pass
        before = self.tally().used
        return self.until(lambda tally: tally.used > before, 30.0, "counting on")

    def ended(self, budget: float) -> Tally:
        """Wait for its own end; return the last counts."""
        try:
            code = self._child.wait(budget)
        except subprocess.TimeoutExpired as error:
            raise CannotRun(f"the fleet had not ended after {budget:g} s.") from error
        if code:
            raise CannotRun(f"Locust exited {code}:\n{self._log.read_text()[-_TAIL:]}")
        return self.tally()

    def memory(self) -> int:
        """Return its resident bytes."""
        return int(psutil.Process(self._child.pid).memory_info().rss)


def _toml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
