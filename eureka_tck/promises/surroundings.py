"""What happened around a violation: the calls, the faults, the node's protection, its answers."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from eureka_tck.history.event import Counted
from eureka_tck.report.timeline import Around

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eureka_tck.history.operations import Operation
    from eureka_tck.promises.evidence import Evidence
    from eureka_tck.report.timeline import Flag

LINES_SHOWN: Final = 24
RENEWALS_SHOWN: Final = 2
"""Renewals on each side of the violation; the others say the same."""


def around(evidence: Evidence, flag: Flag) -> tuple[Around, ...]:
    """Return the lines of a violation's table in the order of time, the breach among them."""
    lines = [
        *_calls(evidence.of_instance(flag.instance) if flag.instance else (), flag.at),
        *_faults(evidence),
        *_protection(evidence, flag.node),
        *_answers(evidence, flag),
    ]
    near = sorted(lines, key=lambda line: abs(line.at - flag.at))[: LINES_SHOWN - 1]
    breach = Around(at=flag.at, where=f"node {flag.node}", what=flag.said, is_breach=True)
    return tuple(sorted([*near, breach], key=lambda line: line.at))


def _calls(calls: Sequence[Operation], at: float) -> Iterable[Around]:
    renewals = [call for call in calls if call.verb == "renew"]
    before = [call for call in renewals if call.invoked <= at][-RENEWALS_SHOWN:]
    after = [call for call in renewals if call.invoked > at][:RENEWALS_SHOWN]
    for call in [*(call for call in calls if call.verb != "renew"), *before, *after]:
        status = "no answer" if call.status is None else str(call.status)
        yield Around(
            at=round(call.invoked, 1),
            where=f"{call.who} to node {call.node}",
            what=f"{call.verb} {call.instance} {call.value}".strip(),
            result=call.error or status,
        )


def _faults(evidence: Evidence) -> Iterable[Around]:
    for span in evidence.spans:
        proof = "; ".join(span.proof)
        yield Around(at=round(span.began, 1), where=span.fault, what=span.said, result=proof)
        if span.ended <= evidence.end:
            yield Around(at=round(span.ended, 1), where=span.fault, what="healed")


def _protection(evidence: Evidence, node: str) -> Iterable[Around]:
    told = [e for e in evidence.history.events if isinstance(e, Counted) and e.node == node]
    for before, now in pairwise(told):
        if before.expiration_enabled != now.expiration_enabled:
            yield Around(
                at=round(now.at, 1),
                where=f"node {node}",
                what="leases expire again" if now.expiration_enabled else "it protects itself",
                result=f"{now.renewals} renewals, threshold {now.threshold}",
            )


def _answers(evidence: Evidence, flag: Flag) -> Iterable[Around]:
    """Return each change of what the nodes told of the instance."""
    if not flag.instance:
        return
    for node, of_node in evidence.taken.items():
        before: object = "nothing read"
        for reading in of_node:
            seen = reading.present.get(flag.instance)
            if seen != before and not (before == "nothing read" and seen is None):
                told = "absent" if seen is None else f"{seen.status}, override {seen.overridden}"
                yield Around(
                    at=round(reading.ended, 1),
                    where=f"node {node}",
                    what=f"a read finds {flag.instance}",
                    result=told,
                )
            before = seen
