"""Drawn instances: what people register, with values such as each encoding writes its own way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from eureka_tck.wire.sample import DIRTY_MS, amazon_data_center, my_own_data_center

if TYPE_CHECKING:
    from collections.abc import Callable

    from eureka_tck.wire.sample import Sample

# What XML 1.0 can hold: no control characters, no surrogates, no U+FFFE and U+FFFF.
TEXT: Final = st.text(
    st.characters(
        min_codepoint=0x20, exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff"
    ),
    max_size=20,
)
WORDS: Final = st.text("abcXYZ019_-. äß大", min_size=1, max_size=12).filter(
    lambda text: text.strip() == text
)
KEYS: Final = st.from_regex(r"[a-zA-Z][a-zA-Z0-9_.$ -]{0,10}", fullmatch=True).filter(
    lambda key: key.strip() == key and key != "@class"
)
FLAGS: Final = ("true", "false")


@st.composite
def instances(draw: st.DrawFn) -> Sample:
    """Draw the fields of an instance that differ from `sample`."""
    fields: Sample = {
        "hostName": draw(WORDS),
        "ipAddr": draw(WORDS),
        "status": draw(st.sampled_from(["UP", "DOWN", "STARTING"])),
        "port": {"$": draw(st.integers(0, 65535)), "@enabled": draw(st.sampled_from(FLAGS))},
        "securePort": {"$": draw(st.integers(0, 65535)), "@enabled": draw(st.sampled_from(FLAGS))},
        "countryId": draw(st.integers(0, 999)),
        "metadata": dict(draw(st.dictionaries(KEYS, TEXT, max_size=5))),
        "dataCenterInfo": draw(
            st.sampled_from([my_own_data_center(), amazon_data_center({"instance-id": "i-1"})])
        ),
        "lastDirtyTimestamp": str(DIRTY_MS + draw(st.integers(0, 10**9))),
    }
    for name in ("homePageUrl", "statusPageUrl", "healthCheckUrl", "appGroupName", "asgName"):
        if (value := draw(st.none() | WORDS)) is not None:
            fields[name] = value
    return fields


def with_drawn_instances(try_one: Callable[[Sample], None], *, seed_: int, examples: int) -> None:
    """Call `try_one` with so many drawn instances; the smallest that fails raises its error."""

    @seed(seed_)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
    )
    @given(instances())
    def run(fields: Sample) -> None:
        try_one(fields)

    run()
