"""
All chapters at once: drawn sequences of calls, predicted by a plain model of a registry.

The model (`eureka_tck.model.registry`) is written from the catalogue and names, with everything it
predicts, the rows by which. The test carries no row; where it fails, those rows are broken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eureka_tck.model.dialect import dialect_of
from eureka_tck.verdict import model_based

if TYPE_CHECKING:
    from eureka_tck.cluster import Cluster
    from eureka_tck.registry import Registry
    from eureka_tck.verdict import Case

NEEDS = {"settings"}


@model_based(profile="model", needs=NEEDS, seconds=100)
def test_drawn_programs_are_answered_as_the_model_predicts(
    cluster: Cluster, registry: Registry, case: Case, depth: str
) -> None:
    """Sequences of calls about up to three instances are answered as the catalogue says."""
    from eureka_tck.model.search import search  # noqa: PLC0415 - Hypothesis is dear to import

    examples = {"quick": 50, "full": 500}[depth]
    case.given(f"{examples} drawn programs, seed {cluster.run.seed}; a registry that holds nothing")

    calls = search(
        registry,
        seed_=cluster.run.seed,
        examples=examples,
        dialect=dialect_of(cluster["a"].target.family),
    )

    case.note(f"{calls} calls were answered as predicted")
