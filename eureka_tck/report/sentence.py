"""
The verdict of a run in words: on top of the page, at the end of the terminal.

The denominator is what was judged. The sentences after it say what was not judged, and why.
Every row of the catalogue is in exactly one figure: nothing is summed away.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from eureka_tck.report.figures import counted, listed
from eureka_tck.report.model import ATTENTION, tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eureka_tck.report.model import Level, Report, RowVerdict, Total, Verdict

Word: TypeAlias = Literal[
    "Conformant", "As expected", "Not conformant", "Not as expected", "Inconclusive", "Not judged"
]

REASONS_NAMED: Final = 4
"""How many different reasons a sentence names; with more of them the page's rows do."""
REASON_LENGTH: Final = 70
"""Characters of a reason that fits into a sentence."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The verdict as a word, a sentence with figures, and the rest: one line for each level."""

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

    def others(self) -> str:
        """Say what the rows are that are neither kept nor broken: "; the other 11 are …"."""
        count = self.total["known deviation"]
        if not count:
            return ""
        other = "the other is" if count == 1 else f"the other {count:,} are"
        if self.deviations and self.unbuilt:
            return f"; {other} listed, {self.listed()}"
        if self.unbuilt:
            return f"; {other} not built yet"
        return f"; {other} {'a known deviation' if count == 1 else 'known deviations'}"


def word_verdict(
    target: str,
    rows: Iterable[RowVerdict],
    *,
    exit_code: int,
    strict: bool = False,
) -> Wording:
    """
    Say what a run found.

    `exit_code` is the judge's;
    with `strict` a failed SHOULD row counts as a MUST row does.
    """
    rows = tuple(rows)
    must, should, ref = (
        _Part(total.level, total, _unbuilt(rows, total.level)) for total in tally(rows)
    )
    return Wording(
        word=_word(must, should, exit_code=exit_code, strict=strict),
        sentence=_sentence(target, must, should),
        rest="\n".join(_rest(must, should, ref, rows)),
    )


def worded(report: Report) -> Report:
    """Return the report with its verdict in words; words that are there already stay."""
    if report.verdict_word and report.verdict_sentence:
        return report
    words = word_verdict(
        report.target,
        report.rows,
        exit_code=report.exit_code,
        strict=report.strict,
    )
    return msgspec.structs.replace(
        report,
        verdict_word=report.verdict_word or words.word,
        verdict_sentence=report.verdict_sentence or words.sentence,
        rest_sentence=report.rest_sentence or words.rest,
    )


def totals_table(totals: Iterable[Total]) -> str:
    """Return the totals by level and verdict as a table for the terminal, two blanks indented."""
    totals = tuple(totals)
    head = ["", *(total.level for total in totals), "all"]
    counts: list[tuple[str, list[int]]] = [
        (verdict, [total[verdict] for total in totals]) for verdict in ATTENTION
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
    kept = f"{target} keeps {must.of(must.kept)}{must.others()}"
    if should.total["failed"]:
        return f"{kept}; it breaks {should.of(should.total['failed'])}{passes}."
    return f"{kept}{passes or ('; nothing unexpected' if must.others() else '')}."


def _rest(must: _Part, should: _Part, ref: _Part, rows: Sequence[RowVerdict]) -> Iterable[str]:
    out = _uncounted(must, rows)
    where = f"Not in the count of MUST rows: {out}." if out else "These are all MUST rows."
    yield f"{_kept(must)}. {where}" if must.total["failed"] else where
    for part in (should, ref):
        if part.total.rows:
            yield _about(part, _uncounted(part, rows))


def _kept(part: _Part) -> str:
    broken, rows = part.total["failed"], f"{part.level} rows"
    holds, breaks = (
        ("does as the reference in", "differs in") if part.level == "REF" else ("keeps", "breaks")
    )
    return "; ".join(
        [
            f"It {holds} {part.kept:,} of {part.total.judged:,} {rows}"
            + (f" and {breaks} {broken:,}" if broken else ""),
            *([part.listed()] if part.listed() else []),
        ]
    )


def _about(part: _Part, out: str) -> str:
    if not part.total.judged:
        return f"No {part.level} row was judged: {out}."
    return f"{_kept(part)}; not in the count: {out}." if out else f"{_kept(part)}."


def _uncounted(part: _Part, rows: Sequence[RowVerdict]) -> str:
    """Say which rows of a level are not in its denominator, and why; nothing where all are."""
    out: tuple[tuple[Verdict | None, str, int], ...] = (
        ("inconclusive", "inconclusive", part.total["inconclusive"]),
        ("not applicable", "not applicable to this target", part.total["not applicable"]),
        (None, "not judged by this suite", part.total.not_judged),
    )
    return ", ".join(
        f"{count:,} {what}{_why(rows, part.level, verdict)}"
        for verdict, what, count in out
        if count
    )


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
