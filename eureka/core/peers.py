"""The peers of a node: what is to be told to each (`outbox`), what may differ there (`rift`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka.core.outbox import Outbox
from eureka.core.rift import Rift

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eureka.core.instance import Key
    from eureka.core.lease import Lease
    from eureka.core.outbox import Batch, Finding
    from eureka.core.policy import ReplicationPolicy
    from eureka.core.task import PeerAnswer, Task


class Peers:
    """All peers, by their URLs; moments are monotonic seconds."""

    def __init__(self, policy: ReplicationPolicy) -> None:
        self.outboxes: dict[str, Outbox] = {}
        self.rifts: dict[str, Rift] = {}
        self.known_as: dict[str, str] = {}
        """Their URLs by the host that their batches say they come from."""
        self._policy = policy
        self._batches = 0  # the highest number of a batch to any peer of a former list
        self._opened = False

    def set(self, urls: Iterable[str]) -> None:
        """Replicate to these peers from now on; those that stay keep what waits for them."""
        urls = list(urls)
        # A peer that was left out and is named again must not take new batches for old ones.
        used = (outbox.batches for outbox in self.outboxes.values())
        self._batches = max(self._batches, *used, 0)
        self.outboxes = {
            url: self.outboxes.get(url) or Outbox(self._policy, after=self._batches) for url in urls
        }
        # A peer that is named later was told nothing of what changed before.
        due_at = 0.0 if self._opened else None
        self.rifts = {url: self.rifts.get(url) or Rift(due_at) for url in urls}

    def open(self, *, now: float) -> None:
        """Take note that the node opened: what it copied may be old."""
        self._opened = True
        self.doubt(now=now)

    def doubt(self, *, now: float) -> None:
        """Take note that something may be different at any of them."""
        for rift in self.rifts.values():
            rift.cause(now=now)

    def compares_at(self, url: str, *, now: float) -> float | None:
        """Return when to compare all that is held with a peer; None while there is no cause."""
        outbox, rift = self.outboxes.get(url), self.rifts.get(url)
        if outbox is None or rift is None:
            return None
        rift.lost(dropped=outbox.dropped, now=now)
        return rift.wakes_at()

    # What is told

    def tell(self, task: Task, *, now: float) -> None:
        """Tell all of a change: a registration stays true until its instance's next renewal."""
        record = task.record
        life = self._policy.life if record is None else record.instance.true_for
        for outbox in self.outboxes.values():
            outbox.put(task, life=life, now=now)

    def withdraw(self, key: Key, lease: Lease) -> None:
        """Tell nobody any more of an instance that another node cancelled."""
        for outbox in self.outboxes.values():
            outbox.withdraw(key, lease)

    # What is heard

    def heard(self, sender: str, dialect: str) -> None:
        """Take note of the dialect that the sender of a batch, `<name>@<host>`, announced."""
        url = self.known_as.get(sender.partition("@")[2]) if sender else None
        if url is not None and url in self.rifts:
            self.rifts[url].heard(dialect)

    def answered(
        self,
        url: str,
        batch: Batch,
        answers: Sequence[PeerAnswer],
        *,
        now: float,
        dialect: str = "",
    ) -> list[Finding]:
        """Take note of what a peer said to a batch; return what that tells of its records."""
        outbox = self.outboxes.get(url)
        if outbox is None:
            return []
        self.rifts[url].answered(dialect=dialect, troubles=outbox.troubles, now=now)
        return outbox.delivered(batch, answers, now=now)
