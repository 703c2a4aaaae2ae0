"""
A comparison as a reader sees it: the same entries as text for a terminal and as a page.

An entry is one difference: what it is about, and for each part of it what either side says, with
the exchange that shows it. Two runs and two live registries make the same kind of entries.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from eureka_tck.errors import CannotRun
from eureka_tck.report.environment import KEYS, render
from eureka_tck.report.evidence import cut, exchange_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from eureka_tck.report.model import Verdict
    from eureka_tck.report.run_page import Fact
    from eureka_tck.wire.exchange import Exchange

BODY_SHOWN: Final = 300
"""Characters of an answer's body that the terminal shows; the page has what was kept."""


@dataclass(frozen=True, slots=True)
class ShownSide:
    """One side of a part: who, its verdict in a word, its sentence, its exchange, its calls."""

    who: str
    word: str
    verdict: Verdict | None = None
    sentence: str = ""
    exchange: Exchange | None = None
    script: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """What both sides say of one thing."""

    sides: tuple[ShownSide, ShownSide]
    title: str = ""
    fact: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One difference; `verdict` picks its shape and colour, `word` says it."""

    title: str
    text: str
    word: str
    verdict: Verdict | None
    parts: tuple[Part, ...]
    level: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """All that a comparison says; `rest` tells of what is the same, or could not be compared."""

    title: str
    verdict: Verdict
    word: str
    sentence: str
    entries: Sequence[Entry]
    rest: str = ""
    facts: Sequence[Fact] = field(default_factory=tuple)
    command: str = ""
    exit_code: int = 0


def write_page(page: ComparisonPage, file: Path) -> Path:
    """Write the page and return its path."""
    text = render(
        "compare.html.j2",
        "copy.js",
        page_title=f"{page.word}: {page.title}",
        heading=page.title,
        key=KEYS[page.verdict],
        word=page.word,
        exit_code=page.exit_code,
        sentence=page.sentence,
        lead="",
        links=(),
        facts=page.facts,
        again=page.command,
        rest=page.rest,
        entries=[_shown(number, entry) for number, entry in enumerate(page.entries, 1)],
        version=version("eureka-tck"),
    )
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    except OSError as error:
        raise CannotRun(
            f"{file} cannot be written: {error.strerror}.", "Give another folder with --out."
        ) from error
    return file


def text_of(page: ComparisonPage) -> str:
    """Return the comparison for a terminal."""
    lines = [line for entry in page.entries for line in _entry_lines(entry)]
    return "\n".join([*lines, *(["", page.rest] if page.rest else []), "", page.sentence])


def _entry_lines(entry: Entry) -> Iterator[str]:
    yield ""
    yield f"{entry.title:<12} {entry.level:<6} {entry.text}".rstrip()
    if entry.note:
        yield f"  {entry.note}"
    for part in entry.parts:
        if part.title:
            yield f"  {part.title}"
        for side in part.sides:
            yield f"    {side.who}: {side.word}" + (f": {side.sentence}" if side.sentence else "")
            yield from (f"      {line}" for line in _exchange_lines(side.exchange))


def _exchange_lines(exchange: Exchange | None) -> Iterator[str]:
    if exchange is None:
        return
    yield f"{exchange.method} {exchange.url} -> {exchange.error or exchange.status}"
    if body := " ".join(exchange.response_body.split()):
        yield cut(body, BODY_SHOWN)
    if exchange.curl:
        yield exchange.curl


def _shown(number: int, entry: Entry) -> dict[str, object]:
    return {
        "id": f"difference-{number}",
        "key": KEYS[entry.verdict],
        "word": entry.word,
        "title": entry.title,
        "level": entry.level,
        "text": entry.text,
        "note": entry.note,
        "parts": [
            {
                "title": part.title,
                "fact": part.fact,
                "sides": [
                    {
                        "key": KEYS[side.verdict],
                        "who": side.who,
                        "word": side.word,
                        "sentence": side.sentence,
                        "script": side.script,
                        "exchange": exchange_text(side.exchange) if side.exchange else None,
                    }
                    for side in part.sides
                ],
            }
            for part in entry.parts
        ],
    }
