"""
One registry of a cluster: started, asked, broken and started again with the same identity.

Folder, settings, addresses and clock epoch are fixed when the cluster opens.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import requests
import urllib3

from eureka_tck.clock import Patience, unix_now
from eureka_tck.errors import CannotRun, NodeFailed
from eureka_tck.starts import Start, note_start
from eureka_tck.targets.target import NodePlan
from eureka_tck.turnstile import turn
from eureka_tck.wire.deadline import DeadlineAdapter

if TYPE_CHECKING:
    import threading
    from collections.abc import Mapping
    from pathlib import Path

    from eureka_tck.backends import Backend
    from eureka_tck.cluster import Cluster
    from eureka_tck.targets.target import Counters, Target

RELOADED = frozenset({200, 204})
READY = frozenset({200, 403, 404})  # 403: it lists nothing until it has opened
PROBE_BUDGET = 2.0  # real s for one answer to the question whether it is ready
PROBE_PACE = 0.05  # real s between two of them
FETCH_BUDGET = 10.0  # real s for a page: the first status page of a JVM takes 0.5 s when idle
PAGE_LIMIT = 4 << 20  # bytes read of a page
STOP_GRACE = 10.0  # real s a node may take to end by itself
TAIL = 30  # lines of a log that an error shows
CLOCK_MARGIN = 2.0  # registry s a node's clock may be off at any speed; 0.5 s were seen
CLOCK_SLACK = 0.5  # real s between our reading of the time and the node's, on a loaded machine

ENGLISH = {"Accept-Language": "en"}  # Spring's page groups digits by the locale asked for
JSON_ONLY = {"Accept": "application/json"}  # without it the probe would prime the XML cache


class Node:
    """
    A registry of the cluster: `root` is where we speak to it, `url` its Eureka path.

    `started_at` is the instant of its last start on the cluster's clock.
    """

    def __init__(
        self,
        cluster: Cluster,
        backend: Backend,
        closing: threading.Event,
        plan: NodePlan,
        target: Target,
    ) -> None:
        self.name = plan.name
        self.target = target
        self.plan = plan
        self.root = backend.client_root(plan.name)
        self.url = f"{self.root}/eureka"
        self.started_at: float | None = None
        self._cluster = cluster
        self._backend = backend
        self._closing = closing
        self._session = requests.Session()
        self._session.trust_env = False  # no proxy of the environment
        self._session.mount("http://", DeadlineAdapter())  # a node that drips holds nobody up
        self._step = 0.0
        self._meant_to_run = False

    @classmethod
    def planned(
        cls,
        cluster: Cluster,
        backend: Backend,
        closing: threading.Event,
        name: str,
        target: Target,
        folder: Path,
    ) -> Node:
        """Return the node as it will be at every start, with a folder of its own."""
        folder.mkdir()
        host, port = backend.address(name)
        settings = cluster.settings[name]
        stepped = cluster.spec.wall_steps and "step" in cluster.capabilities
        wall_file = folder / "wall_clock" if stepped else None
        plan = NodePlan(
            name=name,
            host=host,
            port=port,
            peers=tuple(settings["eureka.client.serviceUrl.defaultZone"].split(",")),
            settings=settings,
            speed=cluster.spec.speed,
            epoch=cluster.clock.epoch,
            folder=folder,
            wall_file=wall_file,
            locale=cluster.spec.locale,
        )
        node = cls(cluster, backend, closing, plan, target)
        if wall_file is not None:
            node.step_wall_clock(0.0)
        return node

    def start(self, *, wait: bool = True) -> None:
        """Start the node; with `wait`, return when it is ready and its clock is proven right."""
        asked = unix_now()
        with turn(str(self), self._closing):
            begun = unix_now()
            self.started_at = self._cluster.clock.now()
            self._meant_to_run = True
            self._backend.start(self.plan, self.target)
            if wait:
                self.wait_ready()
        cluster = self._cluster
        start = Start(cluster.spec.name, self.name, asked=asked, begun=begun, over=unix_now())
        note_start(cluster.run.folder, start)

    def wait_ready(self) -> None:
        """Return when the node answers and has opened; NodeFailed if it dies or takes too long."""
        budget = self.target.ready_budget
        patience = Patience(budget)
        seen = "nothing"
        while True:
            if not self._backend.alive(self.name):
                raise NodeFailed(
                    f"{self} died at start, with exit code {self._backend.exit_code(self.name)}.",
                    self.log_tail(since_start=True),
                )
            seen, date = self._probe()
            if date is not None and self._is_open():
                break
            if date is not None:
                seen += f", but its log does not say {self.target.ready_line!r}"
            if self._closing.is_set():
                raise CannotRun(f"{self} was given up: the cluster is closing.")
            if not patience.pause(PROBE_PACE):
                raise NodeFailed(
                    f"{self} was not ready within {budget:g} s at {self.root}; last seen: {seen}.",
                    self.log_tail(since_start=True),
                )
        self._prove_clock()

    def stop(self, *, grace: float = STOP_GRACE) -> None:
        """Ask the node to end; kill it when it has not within so many real seconds."""
        self._meant_to_run = False
        self._backend.stop(self.name, grace)

    def kill(self) -> None:
        """End the node as by kill -9."""
        self._meant_to_run = False
        self._backend.kill(self.name)

    def pause(self) -> None:
        """Freeze the node: P real seconds are P x speed registry seconds it does not live."""
        self._backend.pause(self.name)

    def resume(self) -> None:
        """Let a frozen node go on."""
        self._backend.resume(self.name)

    def restart(self, *, grace: float = STOP_GRACE, wait: bool = True) -> None:
        """Stop the node and start it again with the same identity, settings and clock."""
        self.stop(grace=grace)
        self.start(wait=wait)

    def change_settings(self, settings: Mapping[str, str]) -> None:
        """
        Change settings of the running node, by their names as `plan.settings` has them.

        It reads them when its target does: at its own interval, or when told to.
        """
        if "reload" not in self._cluster.capabilities:
            raise CannotRun(f"{self} takes no settings while it runs.")
        self.plan = replace(self.plan, settings={**self.plan.settings, **settings})
        self._backend.rewrite(self.plan, self.target)
        if (path := self.target.reload_path) is None:
            return
        url = f"{self.root}{path}"
        try:
            with self._session.post(url, timeout=FETCH_BUDGET, allow_redirects=False) as answer:
                status = answer.status_code
        except requests.RequestException as error:
            raise CannotRun(f"{self} does not reload at {url}: {_reason(error)}.") from error
        if status not in RELOADED:
            raise CannotRun(f"{self} answered {status} to {url}, which should reload it.")

    def is_alive(self) -> bool:
        """Say whether the node's process exists."""
        return self._backend.alive(self.name)

    def is_frozen(self) -> bool:
        """Say whether the node's process exists and stands still."""
        return self._backend.frozen(self.name)

    def has_died(self) -> bool:
        """Say whether the node's process ended without being told to."""
        return self._meant_to_run and not self.is_alive()

    def log(self, *, since_start: bool = False) -> str:
        """Return all the node has printed, or what it has printed since its last start."""
        return self._backend.log(self.name, since_start=since_start)

    def log_tail(self, lines: int = TAIL, *, since_start: bool = False) -> str:
        """Return the last lines of its log."""
        return "\n".join(self.log(since_start=since_start).rstrip().splitlines()[-lines:])

    def counters(self) -> Counters:
        """Return the threshold and renewals the node shows."""
        return self.target.counters(self.fetch)

    def fetch(self, path: str) -> str:
        """Return the text of a page of the node, by its path below the root."""
        url = f"{self.root}{path}"
        try:
            with self._session.get(
                url, headers=ENGLISH, timeout=FETCH_BUDGET, stream=True, allow_redirects=False
            ) as answer:
                body = answer.raw.read(PAGE_LIMIT, decode_content=True)
                status, encoding = answer.status_code, answer.encoding or "utf-8"
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise CannotRun(f"{self} does not show {url}: {_reason(error)}.") from error
        if status != requests.codes.ok:
            raise CannotRun(f"{self} answered {status} to {url}, which should show its state.")
        return str(body, encoding, "replace")

    def link_root(self, sink: str) -> str:
        """Return where we enter the link from this node to another."""
        return self._backend.link_root(self.name, sink)

    def direct_root(self) -> str:
        """Return where we reach it past all links, or as near to that as its backend comes."""
        return self._backend.direct_root(self.name)

    def limit_processor(self, share: float | None) -> None:
        """Give it no more than so much of a processor; None ends that."""
        self._backend.limit_processor(self.name, share)

    def throttled(self) -> tuple[int, int]:
        """Return in how many periods it was held up by its limit, and of how many."""
        return self._backend.throttled(self.name)

    def memory(self) -> int:
        """Return its resident memory in bytes."""
        return self._backend.memory(self.name)

    def cpu_seconds(self) -> float:
        """Return the processor seconds it has used since its last start."""
        return self._backend.cpu_seconds(self.name)

    def runnable(self) -> frozenset[int]:
        """Return its threads that run or wait for a processor now; none where none is seen."""
        return self._backend.runnable(self.name)

    def step_wall_clock(self, seconds: float) -> None:
        """Put the node's wall clock so many registry seconds beside the cluster's, 0 on it."""
        if self.plan.wall_file is None:
            raise CannotRun(
                f"the wall clock of {self} cannot be stepped: its cluster was made without it.",
                "It needs wall_steps = true in its profile, or wall_steps=True in its spec, "
                "and a target and a machine that are capable of it (a C compiler).",
            )
        from eureka_tck.supplies import shim  # noqa: PLC0415 - few clusters step clocks

        scale = self.plan.speed if self.target.scales_steps else 1.0
        shim.set_offset(self.plan.wall_file, seconds / scale)
        self._step = seconds

    def close(self) -> None:
        """Close our connections to the node; its process is the backend's."""
        self._session.close()

    def __str__(self) -> str:
        return f"node {self.name} ({self.target.name}) of {self._cluster.spec.name}"

    def _probe(self) -> tuple[str, str | None]:
        """Ask for an unknown application: what was seen, and the Date if the node serves."""
        url = f"{self.root}{self.target.ready_path}"
        try:
            with self._session.get(
                url, headers=JSON_ONLY, timeout=PROBE_BUDGET, stream=True, allow_redirects=False
            ) as answer:
                status, date = answer.status_code, answer.headers.get("Date", "")
        except requests.RequestException as error:
            return _reason(error), None
        return f"status {status}", date if status in READY else None

    def _is_open(self) -> bool:
        line = self.target.ready_line
        return (
            line is None or self._cluster.spec.ready == "http" or line in self.log(since_start=True)
        )

    def _prove_clock(self) -> None:
        """Compare the node's wall clock with the cluster's; CannotRun when it is another."""
        clock = self._cluster.clock
        begin = clock.now()
        _, date = self._probe()
        stamp = self.target.clock_stamp(self.fetch, date or None)
        if stamp is None:
            return
        if stamp.when == "since its start" and self.started_at is not None:
            begin = self.started_at
        margin = CLOCK_MARGIN + CLOCK_SLACK * self.plan.speed
        at = clock.at_epoch_ms(stamp.epoch_ms) - self._step
        now = clock.now()
        if not begin - stamp.resolution - margin <= at <= now + margin:
            raise CannotRun(
                f"the clock of {self} is wrong: it says {at:.1f} s of the cluster's time "
                f"({stamp.when}), where {begin:.1f} to {now:.1f} s is right at speed "
                f"{self.plan.speed:g}.",
                "If libfaketime does not work here, judge with --speed 1.",
            )


def _reason(error: Exception) -> str:
    """Return the innermost reason of a failed call, without the library's wrapping."""
    text = str(error)
    for known in ("Connection refused", "Connection reset", "Remote end closed", "timed out"):
        if known in text:
            return known[0].lower() + known[1:]
    return text
