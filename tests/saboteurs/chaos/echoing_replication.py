"""A registry that sends the renewals of its peers on to all peers, their sender among them."""

import sys
from collections.abc import Sequence

from eureka.core.inbox import BatchAnswer, Inbox
from eureka.core.instant import Instant
from eureka.core.task import Kind, Task, Unreadable
from eureka.server.__main__ import main

apply = Inbox.apply


def echoed(
    self: Inbox,
    tasks: Sequence[Task | Unreadable],
    *,
    now: Instant,
    sender: str = "",
    batch: str = "",
    dialect: str = "",
) -> BatchAnswer:
    """Carry out the batch as the right registry does, then tell everybody of its renewals."""
    answer = apply(self, tasks, now=now, sender=sender, batch=batch, dialect=dialect)
    for task in tasks:
        if isinstance(task, Unreadable) or task.kind is not Kind.HEARTBEAT:
            continue
        lease = self.node.registry.leases.find(task.key)
        for outbox in self.node.peers.outboxes.values():
            if lease is not None:
                outbox.beat(lease, now=now.monotonic)
    return answer


Inbox.apply = echoed  # type: ignore[method-assign] # that is the sabotage
sys.exit(main())
