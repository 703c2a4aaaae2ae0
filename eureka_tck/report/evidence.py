"""
What a page shows of a test's evidence: exchanges as they went over the wire, the end of the logs.

`report.json` keeps all of it. A page shows what decides, within bounds of its own,
and says what it leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from markupsafe import escape

from eureka_tck.report.environment import visible
from eureka_tck.wire.exchange import BODY_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eureka_tck.report.model import Mark, Moment, TestResult
    from eureka_tck.wire.exchange import Exchange

PAGE_LIMIT: Final = 8_000_000
"""Bytes of evidence on one page: with all else it stays below 10 MB."""
OPEN_EXCHANGES: Final = 2
"""Exchanges that stand open: those before them are folded, as they only lead there."""
MOST_EXCHANGES: Final = 12
"""Exchanges of one test that a page holds at all; the first ones are left out."""
LOG_LINES: Final = 40
"""Lines of a node's log: what was logged around the instant stands at its end."""
MOST_HEADERS: Final = 60
"""Headers of one message that are shown."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text; `kind` is "hit" where it is wrong and "say" for what was expected."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class ShownExchange:
    """An exchange as text: what was sent, what came back in pieces, and when."""

    title: str
    request: str
    answer: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the right-hand column of a test shows; `left_out` says what it does not."""

    timeline: str
    folded: tuple[ShownExchange, ...]
    exchanges: tuple[ShownExchange, ...]
    logs: tuple[tuple[str, str], ...]
    traceback: str
    curl: str
    left_out: str

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self.timeline or self.exchanges or self.logs or self.traceback or self.left_out)


class Desk:
    """Hands out the evidence of one page, in the order of attention, until the page is full."""

    def __init__(self, limit: int = PAGE_LIMIT) -> None:
        self._left = limit

    def evidence(self, test: TestResult) -> Evidence:
        """Return what the page shows of a test."""
        if self._left < 0:
            return _FULL
        first = max(0, len(test.exchanges) - MOST_EXCHANGES)
        evidence = Evidence(
            timeline=_timeline(test.timeline),
            folded=(),
            exchanges=tuple(_exchanges(test, first)),
            logs=tuple((node, _tail(log)) for node, log in test.logs.items() if log.strip()),
            traceback=_tail(test.traceback),
            curl=_curl(test),
            left_out=_left_out(first),
        )
        self._left -= _weight(evidence)
        return _FULL if self._left < 0 else _folded(evidence, test.marks, first)


def cut(text: str, limit: int = BODY_LIMIT) -> str:
    """Return the beginning of a text, and how much is missing."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit:,} more characters in report.json)"


def exchange_text(exchange: Exchange) -> dict[str, str]:
    """Return an exchange as it went over the wire: the request, and the answer."""
    request = _message(_request_line(exchange), exchange.request_headers, exchange.request_body)
    return {"request": request, "answer": _answer(exchange)}


def _exchanges(test: TestResult, first: int) -> Iterator[ShownExchange]:
    for number, exchange in enumerate(test.exchanges[first:], first):
        marks = [mark for mark in test.marks if mark.exchange == number]
        yield ShownExchange(
            title=_title(exchange, number, len(test.exchanges)),
            request=_message(
                _request_line(exchange), exchange.request_headers, exchange.request_body
            ),
            answer=tuple(_marked(_answer(exchange), marks)),
        )


def _title(exchange: Exchange, number: int, of: int) -> str:
    at = "" if exchange.started_at is None else f"at {exchange.started_at:.2f} registry s, "
    return f"Exchange {number + 1} of {of}, {at}{exchange.seconds * 1000:,.0f} ms"


def _request_line(exchange: Exchange) -> str:
    host, slash, path = exchange.url.partition("://")[2].partition("/")
    if not host:
        return f"{exchange.method} {exchange.url}"
    return f"{exchange.method} {slash or '/'}{path} HTTP/1.1\nHost: {host}"


def _answer(exchange: Exchange) -> str:
    if exchange.status is None:
        return f"No answer: {exchange.error or 'the connection ended'}"
    text = _message(
        f"HTTP/1.1 {exchange.status}", exchange.response_headers, exchange.response_body
    )
    return f"{text}\n\n({exchange.error})" if exchange.error else text


def _message(line: str, headers: Sequence[tuple[str, str]], body: str) -> str:
    lines = [line, *(f"{name}: {cut(value, 500)}" for name, value in headers[:MOST_HEADERS])]
    if len(headers) > MOST_HEADERS:
        lines.append(f"… ({len(headers) - MOST_HEADERS:,} more headers in report.json)")
    return "\n".join([*lines, "", cut(body)] if body else lines)


def _marked(text: str, marks: Sequence[Mark]) -> Iterator[Piece]:
    """Split an answer at what is wrong in it; a mark that is not found stands at the end."""
    late = []
    for mark in sorted(marks, key=lambda one: text.find(one.text)):
        before, found, after = text.partition(mark.text) if mark.text else (text, "", "")
        if not found:
            late.append(Piece(f"expected: {cut(mark.expected, 500)}", "say"))
            continue
        yield Piece(before)
        yield Piece(found, "hit")
        yield Piece(f"expected: {cut(mark.expected, 500)}", "say")
        text = after.removeprefix("\n")
    yield Piece(text)
    yield from late


def _timeline(moments: Sequence[Moment]) -> str:
    return "\n".join(
        f"{'' if moment.at is None else f'{moment.at:.2f}':>9}  {cut(moment.text, 500)}"
        for moment in moments[-200:]
    )


def _tail(text: str) -> str:
    return "\n".join(text[-BODY_LIMIT:].splitlines()[-LOG_LINES:])


def _curl(test: TestResult) -> str:
    numbers = [mark.exchange for mark in test.marks if 0 <= mark.exchange < len(test.exchanges)]
    if not test.exchanges:
        return ""
    return cut(test.exchanges[numbers[0] if numbers else -1].curl)


def _folded(evidence: Evidence, marks: Sequence[Mark], first: int) -> Evidence:
    wrong = [mark.exchange - first for mark in marks if mark.exchange >= first]
    at = max(0, min([len(evidence.exchanges) - OPEN_EXCHANGES, *wrong]))
    return replace(evidence, folded=evidence.exchanges[:at], exchanges=evidence.exchanges[at:])


def _left_out(first: int) -> str:
    return f"{first:,} earlier exchanges are in report.json." if first else ""


def _weight(evidence: Evidence) -> int:
    """Return the bytes that the page needs for the evidence, escapes included."""
    texts = [evidence.timeline, evidence.traceback, *(log for _, log in evidence.logs)]
    for exchange in evidence.exchanges:
        texts += [exchange.request, *(piece.text for piece in exchange.answer)]
    return sum(len(escape(visible(text)).encode()) for text in texts)


_FULL: Final = Evidence(
    timeline="",
    folded=(),
    exchanges=(),
    logs=(),
    traceback="",
    curl="",
    left_out="The evidence is left out to keep this page small; report.json has it.",
)
