"""
How a test of the suites ends when it does not pass: three exceptions, three verdicts.

    RequirementFailed   the registry broke the row; the sentence says how
    Inconclusive        the mechanism under test never fired, or the harness failed or was late
    NotApplicable       the target, the backend or the settings cannot show the row

Any other exception that leaves a test is a fault of the harness: inconclusive, never a pass.
"""

from __future__ import annotations


class RequirementFailed(AssertionError):  # noqa: N818 - it is a verdict, not an error
    """
    The registry broke a requirement: a whole sentence, what was due and what was seen.

    `wrong` is the text in an answer that is wrong, as a reader finds it in the exchange.
    `rows` are those broken where the test itself carries none, `script` the calls that show it,
    as shell lines.
    """

    def __init__(
        self,
        sentence: str,
        *,
        expected: str = "",
        actual: str = "",
        wrong: str = "",
        rows: tuple[str, ...] = (),
        script: str = "",
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.expected = expected
        self.actual = actual
        self.wrong = wrong
        self.rows = rows
        self.script = script


class Inconclusive(Exception):  # noqa: N818 - it is a verdict, not an error
    """
    Nothing was learned about the row: `sentence` says what did not happen.

    `late` marks a harness that was slower than the test's margin allows:
    such a test is judged once more at half the speed.
    """

    def __init__(self, sentence: str, *, late: bool = False) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.late = late


class NotApplicable(Exception):  # noqa: N818 - it is a verdict, not an error
    """The row cannot be shown here: `reason` names what is missing and what would decide it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
