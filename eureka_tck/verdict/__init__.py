"""
What a test of the suites imports, and nothing more.

    from eureka_tck.verdict import Case, Inconclusive, NotApplicable, expect, requirement

    @requirement("RENEW-02")
    def test_renewing_an_unknown_instance_is_404(registry, case):
        '''A renewal of an instance that was never registered answers 404.'''
        case.given("an application that nobody registered")

        answer = registry.renew(case.app("CART"), case.id(1))

        expect("the answer to a renewal of an unknown instance", answer).has_status(404)

Modules: `requirement` the marker, `case` a test in the making, `expect` its assertions,
`due` a wait that must not be in vain, `outcome` how a test ends, `catalogue` the rows,
`expectations` the known deviations, `judgement` results to verdicts,
`message` the text of a failure.
"""

from eureka_tck.verdict.case import Case
from eureka_tck.verdict.due import due
from eureka_tck.verdict.expect import expect
from eureka_tck.verdict.outcome import Inconclusive, NotApplicable, RequirementFailed
from eureka_tck.verdict.requirement import deep, model_based, requirement

__all__ = [
    "Case",
    "Inconclusive",
    "NotApplicable",
    "RequirementFailed",
    "deep",
    "due",
    "expect",
    "model_based",
    "requirement",
]
