"""What a page shows of a test's evidence, and what it says it leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from eureka_tck.report.evidence import Desk, Evidence, Piece, cut
from eureka_tck.report.model import Mark, Moment
from eureka_tck.wire.exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eureka_tck.report.model import TestResult
    from tests.eureka_tck.report.conftest import Samples


def shown(result: TestResult, limit: int = 1_000_000) -> Evidence:
    """Return the evidence of one test on a page of its own."""
    return Desk(limit).evidence(result)


def texts(pieces: Iterable[Piece]) -> list[str]:
    """Return the pieces' texts, what was expected in brackets."""
    return [f"[{piece.text}]" if piece.kind == "say" else piece.text for piece in pieces]


def test_an_exchange_reads_as_it_went_over_the_wire(samples: Samples) -> None:
    """The request has its line, host, headers and body; the answer its status."""
    exchange = replace(samples.exchange, method="POST", request_body="{}")
    evidence = shown(replace(samples.result("failed"), exchanges=(exchange,), marks=()))

    assert evidence.exchanges[0].title == "Exchange 1 of 1, at 12.25 registry s, 4 ms"
    assert evidence.exchanges[0].request == (
        "POST /eureka/apps/CART/cart-01?status=DOWN HTTP/1.1\nHost: 127.0.9.11:8761\n"
        "Accept: application/json\n\n{}"
    )
    assert texts(evidence.exchanges[0].answer) == [
        (
            'HTTP/1.1 200\nContent-Type: application/json\nContent-Length: 26\n\n{"instance":\n'
            ' {"status":"DOWN"}}'
        )
    ]
    assert evidence.curl == samples.exchange.curl


def test_what_is_wrong_is_followed_by_what_was_expected(samples: Samples) -> None:
    """A mark splits the answer at its text, which is shown as wrong."""
    evidence = shown(samples.result("failed"))

    assert texts(evidence.exchanges[0].answer)[-3:] == [
        '"status"',
        '[expected: "status":"UP"]',
        ':"DOWN"}}',
    ]
    assert evidence.exchanges[0].answer[1].kind == "hit"


def test_a_mark_that_is_not_found_stands_at_the_end(samples: Samples) -> None:
    """What was expected is said even where the answer has nothing to point at."""
    mark = Mark(exchange=0, text="nowhere", expected="404")
    evidence = shown(replace(samples.result("failed"), marks=(mark,)))

    assert texts(evidence.exchanges[0].answer)[-1] == "[expected: 404]"


def test_marks_of_other_exchanges_are_ignored(samples: Samples) -> None:
    """A mark beyond the recorded exchanges changes nothing and raises nothing."""
    marks = tuple(Mark(exchange=number, text="200", expected="404") for number in (-7, 7))
    evidence = shown(replace(samples.result("failed"), marks=marks))

    assert len(evidence.exchanges[0].answer) == 1
    assert evidence.curl == samples.exchange.curl


def test_a_call_without_answer_says_why(samples: Samples) -> None:
    """Where no answer came the reason stands in its place."""
    silent = Exchange(method="GET", url="odd", error="refused by 127.0.9.11:8761")
    evidence = shown(replace(samples.result("failed"), exchanges=(silent,), marks=()))

    assert evidence.exchanges[0].request == "GET odd"
    assert texts(evidence.exchanges[0].answer) == ["No answer: refused by 127.0.9.11:8761"]


def test_exchanges_that_lead_there_are_folded(samples: Samples) -> None:
    """The last two stand open, and those from the first wrong one on."""
    result = replace(samples.result("failed"), exchanges=(samples.exchange,) * 6, marks=())
    wrong = replace(result, marks=(Mark(exchange=2, text="200", expected="404"),))

    assert (len(shown(result).folded), len(shown(result).exchanges)) == (4, 2)
    assert (len(shown(wrong).folded), len(shown(wrong).exchanges)) == (2, 4)


def test_a_long_test_shows_its_last_exchanges(samples: Samples) -> None:
    """Of many exchanges the last twelve are shown, and it is said where the others are."""
    result = replace(samples.result("failed"), exchanges=(samples.exchange,) * 30, marks=())
    evidence = shown(result)

    assert len(evidence.folded) + len(evidence.exchanges) == 12
    assert evidence.left_out == "18 earlier exchanges are in report.json."
    assert evidence.folded[0].title.startswith("Exchange 19 of 30")


def test_long_texts_are_cut_and_say_so(samples: Samples) -> None:
    """A body is cut at 4 KB, a log to its last forty lines."""
    exchange = replace(samples.exchange, response_body="x" * 5000)
    result = replace(
        samples.result("failed"),
        exchanges=(exchange,),
        marks=(),
        logs={"a": "\n".join(map(str, range(100))), "b": " \n"},
        timeline=(Moment(text="began"), Moment(text="ran", at=120.041)),
    )
    evidence = shown(result)

    assert texts(evidence.exchanges[0].answer)[0].endswith(
        "x… (904 more characters in report.json)"
    )
    assert evidence.logs == (("a", "\n".join(map(str, range(60, 100)))),)
    assert evidence.timeline.splitlines() == ["           began", "   120.04  ran"]
    assert cut("short") == "short"


def test_a_full_page_leaves_out_evidence_and_says_so(samples: Samples) -> None:
    """Past the page's limit a test keeps its words only; the desk hands out in order."""
    desk = Desk(limit=400)
    result = replace(samples.result("failed"), marks=())

    first, second = desk.evidence(result), desk.evidence(result)

    assert first.exchanges
    assert not second.exchanges
    assert second.left_out == (
        "The evidence is left out to keep this page small; report.json has it."
    )
    assert not second.is_empty


def test_a_test_without_evidence_is_empty(samples: Samples) -> None:
    """Nothing recorded means no right-hand column."""
    bare = replace(samples.result(), exchanges=(), marks=(), logs={}, timeline=())

    assert shown(bare).is_empty
