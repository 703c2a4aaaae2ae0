"""What every fault does: refuses where it cannot bite, heals on leaving, tells its history."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, cast

import pytest

from eureka_tck.clock import Clock
from eureka_tck.faults import CannotBite, Fault
from eureka_tck.history import HistoryWriter, read_history
from eureka_tck.history.event import Header
from eureka_tck.history.spans import fault_spans
from eureka_tck.workloads.site import Site
from eureka_tck.workloads.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eureka_tck.cluster import Cluster


@dataclass
class Ground:
    """As much of a cluster as a fault that breaks nothing needs."""

    clock: Clock = field(default_factory=Clock)
    capabilities: frozenset[str] = frozenset({"links"})
    name: str = "ground"
    links_there: tuple[str, ...] = ("a>b",)

    @property
    def spec(self) -> Ground:
        """The spec has the name."""
        return self

    @property
    def links(self) -> Ground:
        """The links have names."""
        return self

    def names(self) -> tuple[str, ...]:
        """Return the names of the links."""
        return self.links_there


class Flood(Fault):
    """A fault that keeps a list of what was done to it."""

    kind: ClassVar[str] = "flood"
    needs: ClassVar[frozenset[str]] = frozenset({"links"})

    def __init__(self, site: Site, *, fails: str = "", proven: bool = True) -> None:
        super().__init__("wet", site)
        self.done: list[str] = []
        self._fails = fails
        self._proven = proven

    def prepare(self) -> None:
        """Look at the dry cellar."""
        self._do("prepare")

    def said(self) -> str:
        """Return what it does."""
        return "the cellar is flooded"

    def links(self) -> tuple[str, ...]:
        """Return the link it floods."""
        return ("a>b",)

    def strike(self) -> None:
        """Flood the cellar."""
        self._do("strike")

    def heal(self) -> None:
        """Pump it dry."""
        self._do("heal")

    def proof(self) -> tuple[str, ...]:
        """Return a wet foot."""
        return ("a wet foot",) if self._proven else ()

    def _do(self, what: str) -> None:
        self.done.append(what)
        if self._fails == what:
            raise OSError(f"no pump to {what}")


@pytest.fixture
def ground() -> Ground:
    """Give a cluster that has what a flood needs."""
    return Ground()


@pytest.fixture
def site(ground: Ground, tmp_path: Path) -> Iterator[Site]:
    """Give a site on that ground."""
    header = Header(
        run="r",
        scenario="s",
        target="t",
        backend="process",
        speed=1,
        seed=1,
        started="",
        command="",
        nodes=("a", "b"),
        settings={},
    )
    with HistoryWriter(tmp_path, header) as history:
        yield Site(cast("Cluster", ground), history, Watch("ab"))


def test_fault_is_on_inside_its_block_and_healed_after_it(site: Site, tmp_path: Path) -> None:
    """A fault strikes on entering and heals on leaving, and both are told with its proof."""
    with Flood(site) as flood:
        flood.prove()

    (span,) = fault_spans(read_history(tmp_path))
    assert flood.done == ["prepare", "strike", "heal"]
    assert (span.fault, span.said, span.proof) == ("wet", "the cellar is flooded", ("a wet foot",))
    assert span.began <= span.healing <= span.ended < float("inf")


def test_fault_that_is_ready_begins_at_once(site: Site) -> None:
    """Its control is seen once, before it is entered or on entering."""
    flood = Flood(site)
    flood.get_ready()
    with flood:
        pass

    assert flood.done == ["prepare", "strike", "heal"]


def test_fault_is_healed_when_its_block_fails(site: Site, tmp_path: Path) -> None:
    """An error inside the block, Ctrl-C too, leaves nothing broken."""
    flood = Flood(site)
    with pytest.raises(KeyboardInterrupt), flood:
        raise KeyboardInterrupt

    assert flood.done == ["prepare", "strike", "heal"]
    assert fault_spans(read_history(tmp_path))[0].ended < float("inf")


def test_fault_that_breaks_half_way_is_healed(site: Site) -> None:
    """A strike that fails may have broken something, so it is mended."""
    flood = Flood(site, fails="strike")
    with pytest.raises(OSError, match="no pump to strike"), flood:
        pass

    assert flood.done == ["prepare", "strike", "heal"]


def test_fault_that_cannot_be_healed_says_so(site: Site, tmp_path: Path) -> None:
    """A heal that fails is an error, and in the history the fault never ends."""
    with pytest.raises(OSError, match="no pump to heal"), Flood(site, fails="heal"):
        pass

    assert fault_spans(read_history(tmp_path))[0].ended == float("inf")


def test_fault_without_proof_did_not_bite(site: Site, tmp_path: Path) -> None:
    """Without proof there is no bite in the history."""
    with Flood(site, proven=False) as flood:
        assert flood.prove() == ()

    assert fault_spans(read_history(tmp_path))[0].bit is None


def test_fault_refuses_a_cluster_that_lacks_what_it_needs(site: Site, ground: Ground) -> None:
    """Where it cannot bite it does not begin, and says what is missing."""
    ground.capabilities = frozenset()
    flood = Flood(site)
    with pytest.raises(CannotBite) as caught, flood:
        pass

    assert flood.done == []
    assert str(caught.value) == (
        "the fault wet (flood) cannot bite here: it needs links, which ground does not have."
    )


def test_fault_refuses_a_link_that_is_not_there(site: Site, ground: Ground) -> None:
    """A fault of a link that does not exist is refused before it begins."""
    ground.links_there = ("b>a",)
    with pytest.raises(CannotBite, match="it needs the link a>b"), Flood(site):
        pass


def test_heal_that_is_interrupted_is_no_heal(site: Site, tmp_path: Path) -> None:
    """Ctrl-C in the midst of healing leaves a fault that never ended, as the history says."""

    class Stopped(Flood):
        def heal(self) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Stopped(site):
        pass

    assert fault_spans(read_history(tmp_path))[0].ended == float("inf")
