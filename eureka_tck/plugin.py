"""
The pytest plugin: fixtures of the suites and of other people's tests, and results as data.

It does nothing in a session without our marker or fixtures.
A test marked by `eureka_tck.verdict.requirement` ends as a `TestResult` in its user properties,
so that it reaches the gate from an xdist worker too.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from eureka_tck.errors import CannotRun
from eureka_tck.verdict.order import Order
from eureka_tck.verdict.teller import CANNOT_RUN, RESULT, Teller

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling

    from eureka_tck.cluster import Cluster
    from eureka_tck.registry import Registry
    from eureka_tck.report.model import TestResult
    from eureka_tck.stage import Stage, StartCluster
    from eureka_tck.verdict.case import Case
    from eureka_tck.verdict.catalogue import Catalogue
    from eureka_tck.verdict.selection import Claim
    from eureka_tck.verdict.trial import Trial

_ORDER: pytest.StashKey[Order] = pytest.StashKey()
_STAGE: pytest.StashKey[Stage] = pytest.StashKey()
_CATALOGUE: pytest.StashKey[Catalogue] = pytest.StashKey()
_CLAIM: pytest.StashKey[Claim] = pytest.StashKey()
_TRIAL: pytest.StashKey[Trial] = pytest.StashKey()
_SECONDS: pytest.StashKey[float] = pytest.StashKey()
_RESULT: pytest.StashKey[TestResult] = pytest.StashKey()


# the session


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; the gate itself hands over an order instead."""
    group = parser.getgroup("eureka-tck", "Eureka registries under test")
    group.addoption("--eureka-target", default="python", help="which registry (default: python)")
    group.addoption("--eureka-backend", default="process", help="process or docker")
    group.addoption("--eureka-speed", type=float, help="how much faster its time passes")
    group.addoption("--eureka-seed", type=int, help="seed of all that is drawn")
    group.addoption("--eureka-order", type=Path, help="file with the order of eureka-tck gate")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known and read the order."""
    config.addinivalue_line(
        "markers",
        "requirement(*ids, profile, needs, seconds, depth): the rows of the catalogue it judges",
    )
    config.addinivalue_line("markers", "deep: a case that a quick gate leaves out")
    file = config.getoption("--eureka-order")
    seed = config.getoption("--eureka-seed")
    config.stash[_ORDER] = (
        Order.read(file)
        if file
        else Order(
            target=config.getoption("--eureka-target"),
            backend=config.getoption("--eureka-backend"),
            speed=config.getoption("--eureka-speed"),
            seed=secrets.randbelow(2**31) if seed is None else seed,
        )
    )


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave no cluster behind, whatever ended the session."""
    if stage := config.stash.get(_STAGE, None):
        stage.close_all()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, object, object]:
    """Keep the tests the order asks for, in our order: after all others, since those shuffle."""
    from eureka_tck.verdict.arrangement import arrange  # noqa: PLC0415 - for the suites alone

    try:
        claimed = arrange(items, config.stash[_ORDER])
    except CannotRun as error:
        raise pytest.UsageError(str(error)) from error
    if claimed is None:
        return (yield)
    config.stash[_CATALOGUE] = claimed.catalogue
    for item, claim in claimed.kept:
        item.stash[_CLAIM] = claim
    result = yield
    kept = [item for item, _ in claimed.kept]
    if not config.stash[_ORDER].run_id:  # a session of somebody's own: its other tests run too
        kept += [item for item in items if not item.get_closest_marker("requirement")]
    chosen = set(kept)
    if dropped := [item for item in items if item not in chosen]:
        config.hook.pytest_deselected(items=dropped)
    items[:] = kept
    return result


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    """Let one worker run all tests of a profile, which share a cluster."""
    profiles = config.stash[_ORDER].profiles
    if not profiles:
        return None
    from eureka_tck.verdict.scheduling import ProfileScheduling  # noqa: PLC0415 - needs xdist

    return ProfileScheduling(config, log, profiles)


# one test


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Give the test its case for as long as it lives."""
    claim = item.stash.get(_CLAIM, None)
    if claim is None:
        return (yield)
    from eureka_tck.verdict.case import Case  # noqa: PLC0415 - needed by the suites alone
    from eureka_tck.verdict.trial import Trial  # noqa: PLC0415 - the same

    order = item.config.stash[_ORDER]
    prefix = _stage(item.config).prefix
    case = Case(claim.test, claim.requirements, attempt=order.attempt, prefix=prefix)
    item.stash[_TRIAL] = Trial(claim, case, claim.docstring)
    item.stash[_SECONDS] = 0.0
    with case.running():
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse a test whose needs are not met, before anything is started for it."""
    if claim := item.stash.get(_CLAIM, None):
        from eureka_tck.profile import load_profile  # noqa: PLC0415 - for the suites alone

        _stage(item.config).demand(claim.needs, load_profile(claim.profile))


def pytest_runtest_call(item: pytest.Item) -> None:
    """Let the case keep time by its profile's cluster, also where only a recording is read."""
    claim = item.stash.get(_CLAIM, None)
    if claim and (cluster := _stage(item.config).running(claim.profile)):
        item.stash[_TRIAL].case.keep_time_by(cluster.clock)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """Close a profile's cluster behind its last test."""
    try:
        return (yield)
    finally:
        if claim := item.stash.get(_CLAIM, None):
            following = nextitem.stash.get(_CLAIM, None) if nextitem else None
            if following is None or following.profile != claim.profile:
                _stage(item.config).close(claim.profile)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn the test's end into a result."""
    report = yield
    trial = item.stash.get(_TRIAL, None)
    if trial is None:
        return report
    item.stash[_SECONDS] += call.duration
    error = call.excinfo.value if call.excinfo else None
    if call.when == "call" or (call.when == "setup" and error):
        _conclude(item, trial, report, error)
    elif call.when == "teardown":
        result = item.stash[_RESULT]
        if error and result.outcome == "passed":
            sentence = f"the harness failed while it tidied up: {error}"
            result = trial.spoiled(result, sentence, report.longreprtext)
        report.user_properties.append((RESULT, msgspec.json.encode(result).decode()))
    return report


def _conclude(
    item: pytest.Item, trial: Trial, report: pytest.TestReport, error: BaseException | None
) -> None:
    from eureka_tck.verdict.message import failure_message  # noqa: PLC0415 - for the suites alone
    from eureka_tck.verdict.trial import Scene, facts_of  # noqa: PLC0415 - the same

    stage, profile, order = _stage(item.config), trial.claim.profile, item.config.stash[_ORDER]
    cluster = stage.running(profile)
    scene = Scene(
        speed=cluster.clock.speed if cluster else 1.0,
        dead=stage.deaths(profile),
        logs=stage.logs(profile) if error else None,
    )
    if isinstance(error, pytest.skip.Exception):
        from eureka_tck.verdict.outcome import NotApplicable  # noqa: PLC0415 - the same

        error = NotApplicable(str(error))
    result = item.stash[_RESULT] = trial.result(
        error,
        order=order,
        scene=scene,
        seconds=item.stash[_SECONDS],
        traceback=report.longreprtext,
    )
    if isinstance(error, CannotRun) and cluster is None:
        # No cluster, so no test of this profile can run: the pass is of no use.
        item.user_properties.append((CANNOT_RUN, str(error)))
    if result.outcome == "passed":
        return
    if result.outcome == "not applicable":
        path, line, _ = item.location
        report.outcome = "skipped"
        report.longrepr = (path, (line or 0) + 1, f"not applicable: {result.sentence}")
        return
    rows = [item.config.stash[_CATALOGUE][row] for row in result.requirements]
    report.outcome = "failed"
    report.longrepr = failure_message(result, rows, facts_of(order, scene.speed))


# what happens, told to the gate


def pytest_sessionstart(session: pytest.Session) -> None:
    """Tell the gate what happens, from the one process that sees all tests."""
    config = session.config
    events = config.stash[_ORDER].events
    if events is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Teller(events), "eureka-tck-teller")


# fixtures


@pytest.fixture
def case(request: pytest.FixtureRequest) -> Case:
    """Return what this test tells about itself: given, timeline, names of its own."""
    trial: Trial | None = request.node.stash.get(_TRIAL, None)
    if trial is None:
        raise pytest.UsageError("the fixture `case` is for tests marked by `requirement`")
    return trial.case


@pytest.fixture(scope="session")
def profile_cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Cluster]:
    """`profile_cluster(name)`: the running cluster of a profile, for recorded timelines."""
    stage = _stage(request.config)
    stage.out = tmp_path_factory.getbasetemp()
    return stage.cluster


@pytest.fixture
def cluster(
    request: pytest.FixtureRequest, case: Case, profile_cluster: Callable[[str], Cluster]
) -> Cluster:
    """Return the running cluster of the test's profile, shared with the profile's other tests."""
    shared = profile_cluster(request.node.stash[_CLAIM].profile)
    case.keep_time_by(shared.clock)
    return shared


@pytest.fixture
def registry(cluster: Cluster, case: Case) -> Iterator[Registry]:
    """Give a client of node a that keeps every exchange; `registry.of("b")` is node b's."""
    from eureka_tck.registry import Registry  # noqa: PLC0415 - for the suites alone

    client = Registry(cluster, case.recorder)
    yield client
    client.close()


@pytest.fixture(scope="session")
def depth(request: pytest.FixtureRequest) -> str:
    """Return how deep to look, "quick" or "full": how many examples are drawn."""
    return request.config.stash[_ORDER].depth


@pytest.fixture
def eureka_cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StartCluster]:
    """
    Give a function that starts real registries for this test, and end them behind it.

        def test_my_program_survives_a_cut(eureka_cluster):
            cluster = eureka_cluster(nodes=3, links=True)
            my_program.start(registry=cluster["a"].url)
            cluster.links.cut("a>b")

    What it takes is said at `StartCluster`.
    """
    from eureka_tck.stage import ClustersOfATest  # noqa: PLC0415 - dear, few tests need it

    stage = _stage(request.config)
    stage.out = tmp_path_factory.getbasetemp()
    with ClustersOfATest(stage) as clusters:
        yield clusters


def _stage(config: pytest.Config) -> Stage:
    if _STAGE not in config.stash:
        from eureka_tck.stage import Stage  # noqa: PLC0415 - dear, and for the suites alone

        config.stash[_STAGE] = Stage(config.stash[_ORDER])
    return config.stash[_STAGE]
