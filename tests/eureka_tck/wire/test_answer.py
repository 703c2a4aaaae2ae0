"""An answer gives values, or says which answer cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eureka_tck.wire.errors import Unreadable
from eureka_tck.wire.record import Application, Applications, Record, TaskAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.wire.answer import Answer
    from tests.eureka_tck.wire.conftest import Conversation

    Answering = Callable[..., Conversation]

RECORD = Record(app="FOO", status="UP")
APPLICATION = Application(name="FOO", instance=(RECORD,))


@pytest.mark.parametrize(
    ("body", "read", "due"),
    [
        pytest.param('{"a":[1]}', lambda a: a.json(), {"a": [1]}, id="json"),
        pytest.param(
            '{"instance":{"app":"FOO","status":"UP"}}', lambda a: a.record(), RECORD, id="record"
        ),
        pytest.param(
            '{"application":{"name":"FOO","instance":[{"app":"FOO","status":"UP"}]}}',
            lambda a: a.application(),
            APPLICATION,
            id="application",
        ),
        pytest.param(
            '{"applications":{"application":[{"name":"FOO",'
            '"instance":[{"app":"FOO","status":"UP"}]}]}}',
            lambda a: a.applications(),
            Applications(application=(APPLICATION,)),
            id="applications",
        ),
        pytest.param(
            '{"responseList":[{"statusCode":404}]}',
            lambda a: a.batch(),
            (TaskAnswer(status=404),),
            id="batch",
        ),
        pytest.param("é", lambda a: a.text, "é", id="text"),
    ],
)
def test_an_answer_is_read_as_what_it_is(
    answering: Answering, body: str, read: Callable[[Answer], object], due: object
) -> None:
    """Each reader gives the value that the body holds."""
    answer = answering(body.encode(), Content_Type="application/json").client.apps()

    assert read(answer) == due


def test_an_unreadable_answer_names_its_request(answering: Answering) -> None:
    """The refusal to read tells status, request and place, and carries the exchange."""
    talk = answering(b"<p>", status="502 Bad Gateway", Content_Type="application/json")
    answer = talk.client.apps()

    with pytest.raises(Unreadable) as caught:
        answer.applications()

    assert str(caught.value) == (
        f"the answer 502 to GET {talk.server.root}/eureka/apps cannot be read: "
        "not JSON: JSON is malformed: invalid character (byte 0); it begins '<p>'"
    )
    assert caught.value.exchange == answer.exchange
