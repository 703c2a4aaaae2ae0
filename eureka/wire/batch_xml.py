"""The answer to a batch in XML, for a caller that does not ask for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka.core.task import TaskAnswer
    from eureka.wire.writing import XmlWriter

_LIST: Final = b"com.netflix.eureka.cluster.protocol.ReplicationListResponse"
_ONE: Final = b"com.netflix.eureka.cluster.protocol.ReplicationInstanceResponse"


def write_xml_answers(answers: Sequence[TaskAnswer], writer: XmlWriter) -> bytes:
    """Return the body that answers a batch, with the reference's names of its elements."""
    written = b"".join(
        b"<%b><statusCode>%d</statusCode>%b</%b>"
        % (_ONE, answer.status, writer.entity(answer.record) if answer.record else b"", _ONE)
        for answer in answers
    )
    return b"<%b><responseList>%b</responseList></%b>" % (_LIST, written, _LIST)
