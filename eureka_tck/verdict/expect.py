"""
The suites' assertions: the subject in words first, then what must be true of it.

    expect("the answer to a renewal of an unknown instance", answer).has_status(404)

Each raises `RequirementFailed` with a whole sentence, its expectation and what was seen,
and returns the same object, so that several may follow one another.
Their texts are pinned by tests: a stranger reads them in a report without our code.
Subjects are in the singular and need no verb: "the number of instances evicted by the first run".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NoReturn, Protocol, runtime_checkable

from eureka_tck.verdict.case import current_case
from eureka_tck.verdict.outcome import Inconclusive, RequirementFailed
from eureka_tck.verdict.wording import figure, listed, show

if TYPE_CHECKING:
    from typing import Self


@runtime_checkable
class HasStatus(Protocol):
    """An answer of a registry, as `eureka_tck.wire` gives it."""

    @property
    def status(self) -> int:
        """The HTTP status code."""
        ...

    @property
    def body(self) -> bytes:
        """The body, decompressed."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, by name in any case."""
        ...


def expect(subject: str, value: object) -> Expect:
    """Begin an assertion about `value`, which a failure calls `subject`."""
    return Expect(subject, value)


class Expect:
    """What may be asserted of a value; see `expect`."""

    def __init__(self, subject: str, value: object) -> None:
        self.subject = subject
        self.value = value

    # answers of a registry

    def has_status(self, *codes: int, because: str = "") -> Self:
        """Require the answer's status to be one of `codes`."""
        __tracebackhide__ = True
        status = self._answer().status
        if status not in codes:
            due = " or ".join(str(code) for code in codes)
            self._fail(
                f"had status {status}",
                f"have status {due}",
                because,
                actual=self._answer_line(),
                wrong=f"HTTP/1.1 {status}",
            )
        return self

    def has_no_body(self, because: str = "") -> Self:
        """Require the answer to have an empty body."""
        __tracebackhide__ = True
        body = self._answer().body
        if body:
            self._fail(
                f"had a body of {len(body)} bytes",
                "have no body",
                because,
                actual=self._answer_line(),
            )
        return self

    def has_header(self, name: str, value: str | None = None, because: str = "") -> Self:
        """Require the header, with exactly this value if one is given."""
        __tracebackhide__ = True
        seen = {key.lower(): text for key, text in self._answer().headers.items()}.get(name.lower())
        if seen is None:
            due = f"have a header {name}" if value is None else f"have the header {name}: {value}"
            self._fail(f"had no header {name}", due, because, actual=self._answer_line())
        if value is not None and seen != value:
            self._fail(
                f"had the header {name}: {seen}", f"have the header {name}: {value}", because
            )
        return self

    # values

    def equals(self, due: object, because: str = "") -> Self:
        """Require the value to be equal to `due`."""
        __tracebackhide__ = True
        if self.value != due:
            wrong = self.value if isinstance(self.value, str) else ""
            self._fail(f"was {show(self.value)}", f"be {show(due)}", because, wrong=wrong)
        return self

    def differs_from(self, other: object, because: str = "") -> Self:
        """Require the value to differ from `other`."""
        __tracebackhide__ = True
        if self.value == other:
            self._fail(f"was {show(self.value)}", f"be anything but {show(other)}", because)
        return self

    def is_one_of(self, *due: object, because: str = "") -> Self:
        """Require the value to be equal to one of `due`."""
        __tracebackhide__ = True
        if self.value not in due:
            alternatives = " or ".join(show(one) for one in due)
            self._fail(f"was {show(self.value)}", f"be {alternatives}", because)
        return self

    def is_true(self, because: str = "") -> Self:
        """Require that the subject, a statement such as "lease expiration is enabled", holds."""
        __tracebackhide__ = True
        if self.value is not True:
            self._fail("was not so", "be so", because, actual=show(self.value))
        return self

    def is_false(self, because: str = "") -> Self:
        """Require that the subject, a statement such as "expiry is enabled", does not hold."""
        __tracebackhide__ = True
        if self.value is not False:
            self._fail("was so", "not be so", because, actual=show(self.value))
        return self

    def is_absent(self, because: str = "") -> Self:
        """Require None, an empty collection, or an answer of status 404."""
        __tracebackhide__ = True
        if self._is_present():
            self._fail("was there", "be absent", because, actual=self._seen())
        return self

    def is_present(self, because: str = "") -> Self:
        """Require something that is neither None nor empty, or an answer of status 200."""
        __tracebackhide__ = True
        if not self._is_present():
            self._fail("was absent", "be there", because, actual=self._seen())
        return self

    def matches(self, pattern: str, because: str = "") -> Self:
        """Require the whole text to match the regular expression."""
        __tracebackhide__ = True
        if not re.fullmatch(pattern, str(self.value)):
            self._fail(f"was {show(self.value)}", f"be text like {pattern}", because)
        return self

    # collections

    def has_size(self, due: int, because: str = "", *, of: str = "elements") -> Self:
        """Require exactly `due` elements; `of` is what they are called."""
        __tracebackhide__ = True
        seen = self._collection()
        if len(seen) != due:
            self._fail(f"had {len(seen)} {of}", f"have {due}", because, actual=self._seen())
        return self

    def contains(self, *due: object, because: str = "") -> Self:
        """Require the collection, or the text, to contain every one of `due`."""
        __tracebackhide__ = True
        missing = [one for one in due if not self._has(one)]
        if missing:
            self._fail(
                f"lacked {listed(missing)}", f"contain {listed(due)}", because, actual=self._seen()
            )
        return self

    def lacks(self, *undue: object, because: str = "") -> Self:
        """Require the collection, or the text, to contain none of `undue`."""
        __tracebackhide__ = True
        present = [one for one in undue if self._has(one)]
        if present:
            self._fail(
                f"contained {listed(present)}",
                f"contain no {listed(undue)}",
                because,
                actual=self._seen(),
            )
        return self

    def consists_of(self, due: Iterable[object], because: str = "") -> Self:
        """Require exactly the elements of `due`, in any order, each as often."""
        __tracebackhide__ = True
        surplus = list(self._collection())
        missing = []
        for one in due:
            if one in surplus:
                surplus.remove(one)
            else:
                missing.append(one)
        faults = [
            *([f"lacked {listed(missing)}"] if missing else []),
            *([f"had {listed(surplus)} too many"] if surplus else []),
        ]
        if faults:
            self._fail(
                " and ".join(faults),
                f"consist of exactly {listed(due)}",
                because,
                actual=self._seen(),
            )
        return self

    # figures

    def is_between(
        self,
        low: float,
        high: float,
        unit: str = "s",
        because: str = "",
        margin: float | None = None,
    ) -> Self:
        """Require the figure to lie within the bounds; `margin` as in `is_at_most`."""
        __tracebackhide__ = True
        if not low <= self._figure() <= high:
            self._miss(f"between {figure(low)} and {figure(high, unit)}", unit, because, margin)
        return self

    def is_at_most(
        self, high: float, unit: str = "s", because: str = "", margin: float | None = None
    ) -> Self:
        """
        Require the figure to be at most `high`.

        `margin` is what the bound leaves for the harness, in registry seconds:
        where it was later than that since the case began, a miss is inconclusive, not a failure.
        """
        __tracebackhide__ = True
        if not self._figure() <= high:
            self._miss(f"at most {figure(high, unit)}", unit, because, margin)
        return self

    def is_at_least(
        self, low: float, unit: str = "s", because: str = "", margin: float | None = None
    ) -> Self:
        """Require the figure to be at least `low`; `margin` as in `is_at_most`."""
        __tracebackhide__ = True
        if not self._figure() >= low:
            self._miss(f"at least {figure(low, unit)}", unit, because, margin)
        return self

    def is_more_than(
        self, low: float, unit: str = "", because: str = "", margin: float | None = None
    ) -> Self:
        """Require the figure to be greater than `low`; `margin` as in `is_at_most`."""
        __tracebackhide__ = True
        if not self._figure() > low:
            self._miss(f"more than {figure(low, unit)}", unit, because, margin)
        return self

    def is_less_than(
        self, high: float, unit: str = "", because: str = "", margin: float | None = None
    ) -> Self:
        """Require the figure to be smaller than `high`; `margin` as in `is_at_most`."""
        __tracebackhide__ = True
        if not self._figure() < high:
            self._miss(f"less than {figure(high, unit)}", unit, because, margin)
        return self

    # how it fails

    def _fail(
        self, seen: str, must: str, because: str, *, actual: str = "", wrong: str = ""
    ) -> NoReturn:
        __tracebackhide__ = True
        reason = f" ({because})" if because else ""
        raise RequirementFailed(
            f"{self.subject} {seen}; it must {must}{reason}.",
            expected=f"{must.removeprefix('be ').removeprefix('have ')}{reason}",
            actual=actual or seen.removeprefix("was ").removeprefix("had "),
            wrong=wrong,
        )

    def _miss(self, due: str, unit: str, because: str, margin: float | None) -> NoReturn:
        """Fail a figure, unless the harness was later than the test's margin allows."""
        __tracebackhide__ = True
        seen = figure(self._figure(), unit)
        case = current_case()
        lateness = case.lateness() if case and margin is not None else 0.0
        if margin is not None and lateness > margin:
            raise Inconclusive(
                f"the harness was {figure(lateness, 's')} late, {figure(margin, 's')} is the "
                f"margin; {self.subject} was {seen} where {due} is due.",
                late=True,
            )
        self._fail(f"was {seen}", f"be {due}", because, actual=seen)

    # what it reads

    def _answer(self) -> HasStatus:
        if not isinstance(self.value, HasStatus):
            raise TypeError(f"{self.subject} is {type(self.value).__name__}, not an answer")
        return self.value

    def _answer_line(self) -> str:
        answer = self._answer()
        text = answer.body.decode(errors="replace").strip()
        return f"{answer.status} {show(text)}" if text else f"{answer.status} without a body"

    def _collection(self) -> Collection[object]:
        if not isinstance(self.value, Collection):
            raise TypeError(f"{self.subject} is {type(self.value).__name__}, not a collection")
        return self.value

    def _figure(self) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            raise TypeError(f"{self.subject} is {show(self.value)}, not a figure")
        return self.value

    def _has(self, one: object) -> bool:
        return one in self._collection()

    def _is_present(self) -> bool:
        if isinstance(self.value, HasStatus):
            if self.value.status not in {200, 404}:
                self._fail(f"had status {self.value.status}", "have status 200 or 404", "")
            return self.value.status == 200  # noqa: PLR2004 - HTTP's own figure
        return self.value is not None and not (
            isinstance(self.value, Collection) and len(self.value) == 0
        )

    def _seen(self) -> str:
        return self._answer_line() if isinstance(self.value, HasStatus) else show(self.value)
