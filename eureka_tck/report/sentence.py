"""
The verdict of a run in words: on top of the page, at the end of the terminal.

The denominator is what was judged. The sentences after it say what was not judged, and why.
Every row of the catalogue is in exactly one figure: nothing is summed away.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from eureka_tck.report.figures import counted, listed
from eureka_tck.report.model import ATTENTION, tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eureka_tck.report.model import Level, RowVerdict, Total, Verdict

Word: TypeAlias = Literal[
    "Conformant", "As expected", "Not conformant", "Not as expected", "Inconclusive", "Not judged"
]

REASONS_NAMED: Final = 4
"""How many different reasons a sentence names; with more of them the page's rows do."""
REASON_LENGTH: Final = 70
"""Characters of a reason that fits into a sentence."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The verdict as one word, one sentence with figures, and the sentences about the rest."""

    word: Word
    sentence: str
    rest: str


@dataclass(frozen=True, slots=True)
class _Part:
    """One level's rows, with the deviations that are merely not built yet told apart."""

    level: Level
    total: Total
    unbuilt: int

    @property
    def kept(self) -> int:
        return self.total["passed"] + self.total["unexpected pass"]

    @property
    def deviations(self) -> int:
        return self.total["known deviation"] - self.unbuilt

    def of(self, count: int) -> str:
        """Say "3 of 147 MUST rows", or "all 147 MUST rows"."""
        judged = self.total.judged
        share = "the only" if judged == 1 else f"all {judged:,}"
        rows = counted(judged, f"{self.level} row")
        return f"{share} {rows.partition(' ')[2]}" if count == judged else f"{count:,} of {rows}"

    def listed(self) -> str:
        """Say what the expectations list: "8 known deviations and 3 rows not built yet"."""
        parts = [
            *([counted(self.deviations, "known deviation")] if self.deviations else []),
            *([f"{counted(self.unbuilt, 'row')} not built yet"] if self.unbuilt else []),
        ]
        return listed(parts)


def word_verdict(
    target: str,
    rows: Iterable[RowVerdict],
    *,
    exit_code: int,
    problems: Sequence[str] = (),
    strict: bool = False,
) -> Wording:
    """
    Say what a run found.

    `exit_code` is the judge's; `problems` are the sentences it rests on that belong to no row;
    with `strict` a failed SHOULD row counts as a MUST row does.
    """
    rows = tuple(rows)
    must, should, ref = (
        _Part(total.level, total, _unbuilt(rows, total.level)) for total in tally(rows)
    )
    return Wording(
        word=_word(must, should, exit_code=exit_code, strict=strict),
        sentence=_sentence(target, must, should),
        rest=" ".join([*_rest(must, should, ref, rows), *problems]),
    )


def totals_table(totals: Iterable[Total]) -> str:
    """Return the totals by level and verdict as a table for the terminal, two blanks indented."""
    totals = tuple(totals)
    head = ["", *(total.level for total in totals), "all"]
    counts: list[tuple[str, list[int]]] = [
        (verdict, [total[verdict] for total in totals]) for verdict in reversed(ATTENTION)
    ]
    counts.append(("not judged by this suite", [total.not_judged for total in totals]))
    counts.append(("catalogue", [total.rows for total in totals]))
    lines = [head] + [
        [name, *(f"{count:,}" if count else "-" for count in [*figures, sum(figures)])]
        for name, figures in counts
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  "
        + line[0].ljust(widths[0])
        + "".join(cell.rjust(width + 2) for cell, width in zip(line[1:], widths[1:], strict=True))
        for line in lines
    )


def _unbuilt(rows: Sequence[RowVerdict], level: Level) -> int:
    return sum(row.level == level and row.is_unbuilt for row in rows)


def _word(must: _Part, should: _Part, *, exit_code: int, strict: bool) -> Word:
    if exit_code == 1:
        broken = must.total["failed"] + (should.total["failed"] if strict else 0)
        return "Not conformant" if broken else "Not as expected"
    if exit_code:
        return "Inconclusive"
    if not must.total.judged + should.total.judged:
        return "Not judged"
    return "As expected" if must.total["known deviation"] else "Conformant"


def _sentence(target: str, must: _Part, should: _Part) -> str:
    total = must.total
    unexpected = total["unexpected pass"] + should.total["unexpected pass"]
    passes = {0: "", 1: ", and 1 known deviation passes"}.get(
        unexpected, f", and {unexpected:,} known deviations pass"
    )
    also = f" and {should.of(should.total['failed'])}" if should.total["failed"] else ""
    if total["failed"]:
        return f"{target} breaks {must.of(total['failed'])}{also}{passes}."
    if not total.judged and not should.total.judged:
        return f"Of {target} no MUST or SHOULD row was judged."
    if not total.judged:
        breaks = f"and breaks {should.of(should.total['failed'])}" if also else ""
        kept = f"{target} keeps {should.of(should.kept)}"
        return f"{kept} {breaks}".rstrip() + f"{passes}; no MUST row was judged."
    kept = f"{target} keeps {must.of(must.kept)}"
    if must.listed():
        kept += (
            f"; the other {'is' if must.total['known deviation'] == 1 else 'are'} {must.listed()}"
        )
    if should.total["failed"]:
        return f"{kept}; it breaks {should.of(should.total['failed'])}{passes}."
    return f"{kept}{passes or ('; nothing unexpected' if must.listed() else '')}."


def _rest(must: _Part, should: _Part, ref: _Part, rows: Sequence[RowVerdict]) -> Iterable[str]:
    if must.total["failed"]:
        deviates = f"; {must.listed()}" if must.listed() else ""
        yield f"It keeps {must.kept:,}{deviates}."
    yield _uncounted(must, rows)
    for part, holds in ((should, "it keeps"), (ref, "it does as the reference in")):
        if part.total.judged:
            yield _about(part, holds)
        if part.total.rows:
            yield _uncounted(part, rows)
    if not any(part.total["inconclusive"] for part in (must, should, ref)):
        yield "No row was inconclusive."


def _about(part: _Part, holds: str) -> str:
    statements = [f"{holds} {part.kept:,}"]
    if part.total["failed"]:
        verb = "breaks" if part.level != "REF" else "differs in"
        statements.append(f"{verb} {part.total['failed']:,}")
    if part.listed():
        statements.append(part.listed())
    rows = counted(part.total.judged, f"{part.level} row")
    return f"Of {rows} judged, {'; '.join(statements)}."


def _uncounted(part: _Part, rows: Sequence[RowVerdict]) -> str:
    """Say which rows of a level are not in its denominator, and why."""
    out: tuple[tuple[Verdict | None, str, int], ...] = (
        ("inconclusive", "inconclusive", part.total["inconclusive"]),
        ("not applicable", "not applicable to this target", part.total["not applicable"]),
        (None, "not judged by this suite", part.total.not_judged),
    )
    groups = [
        f"{count:,} {what}{_why(rows, part.level, verdict)}"
        for verdict, what, count in out
        if count
    ]
    catalogue = f"The catalogue has {counted(part.total.rows, f'{part.level} row')}"
    if not groups:
        return f"{catalogue}; all are in the count."
    return f"{catalogue}; not in the count: {'; '.join(groups)}."


def _why(rows: Sequence[RowVerdict], level: Level, verdict: Verdict | None) -> str:
    """Say the reasons in brackets, most frequent first, where they are few and short."""
    reasons = Counter(
        (row.reason or row.sentence).rstrip(".")
        for row in rows
        if row.level == level and row.verdict == verdict and (row.reason or row.sentence)
    )
    short = all(len(reason) <= REASON_LENGTH for reason in reasons)
    if not reasons or len(reasons) > REASONS_NAMED or not short:
        return ""
    if len(reasons) == 1:
        return f" ({next(iter(reasons))})"
    return f" ({listed([f'{count:,}: {reason}' for reason, count in reasons.most_common()])})"
