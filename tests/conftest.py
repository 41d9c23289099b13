"""One PostgreSQL per run, a database of its own per test, and the corpora of others where they are mounted."""

import gc
import os
from collections.abc import AsyncGenerator, Generator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
import structlog
from hypothesis import HealthCheck, settings
from tests.acceptance.commands import Commands
from tests.nextcloud.fixture import nextcloud
from tests.support.nextcloud_account import accounts
from tests.support.parsers import parsing_processes
from tests.support.postgres import DatabaseCopies, reachable_folder, remove_server, shared_server, template_database
from tests.support.result_schemas import results_are_checked
from tests.support.slow_tests import quick_first

from citemark.extraction.sandbox.pool import ParserPool
from citemark.store.database import Database
from citemark.store.migrate import migrate

__all__ = ["accounts", "nextcloud"]
"""Fixtures for every folder."""

# As a server over gRPC does: its handlers in processes that are forked off now and then crash one.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

settings.register_profile(
    "citemark",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("citemark")

_DATA = Path(__file__).resolve().parent / "data"
_SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(autouse=True)
def log_as_before() -> Generator[None]:
    """The log is as before after a test: a command that runs within it writes to a stream that is closed then."""
    before = structlog.get_config()
    yield
    structlog.configure(**before)


@pytest.fixture(autouse=True, scope="session")
def every_result_fits_its_schema() -> Generator[None]:
    """Whatever a test asks a tool of ours over a client of the SDK, the result fits the full schema of the tool."""
    with results_are_checked():
        yield


@pytest.fixture(autouse=True)
def no_parser_is_left() -> Generator[None, None, None]:
    """A test ends the parsing processes that it has started: they would take memory and time of the tests after it."""
    before = parsing_processes()
    yield
    assert parsing_processes() <= before, "the test leaves parsing processes: close its ParserPool or its app"


@pytest.fixture
async def parsers() -> AsyncGenerator[ParserPool, None]:
    """A pool of parsing processes for this test alone."""
    made = ParserPool()
    yield made
    await made.close()


@pytest.fixture(scope="session")
def commands() -> Generator[Commands, None, None]:
    """Runs commands of which the start is not what is tested."""
    made = Commands()
    yield made
    made.close()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """`../shared/data`: corpora made by others. Missing, it skips the test in one line, and fails it in CI."""
    folder = _SHARED / "data"
    if not folder.is_dir():
        message = "../shared/data is not mounted"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.fixture(scope="session")
def golden_questions() -> Path:
    """The folder of the golden files, which are the project's own."""
    return _DATA / "golden"


@pytest.fixture(scope="session")
def server_root(request: pytest.FixtureRequest) -> Generator[Path, None, None]:
    """The data folder of this run's server; every xdist worker uses the same one."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    root = reachable_folder(f"citemark-run-{run}") if run else reachable_folder()
    yield root
    if run is None:
        remove_server(root)


@pytest.fixture(scope="session")
def server_dsn(request: pytest.FixtureRequest) -> Generator[str, None, None]:
    """This run's PostgreSQL, or the one that CITEMARK_TEST_DSN names: its role makes databases and extensions."""
    if given := os.environ.get("CITEMARK_TEST_DSN"):
        yield given
        return
    root: Path = request.getfixturevalue("server_root")
    with shared_server(root) as dsn:
        yield dsn


@pytest.fixture(scope="session")
def empty_indexes(server_dsn: str) -> Generator[DatabaseCopies, None, None]:
    """Gives migrated databases with nothing in them."""
    copies = DatabaseCopies(server_dsn, template_database(server_dsn, "citemark_template", migrate))
    yield copies
    copies.close()


@pytest.fixture(scope="session")
def divided_indexes(server_dsn: str) -> Generator[DatabaseCopies, None, None]:
    """The same in sixteen partitions."""
    template = template_database(server_dsn, "citemark_divided", partial(migrate, new_in=16))
    copies = DatabaseCopies(server_dsn, template)
    yield copies
    copies.close()


@pytest.fixture
def partitions(request: pytest.FixtureRequest) -> int:
    """Into how many the index of a test is divided: none, unless the test is marked `both_forms`."""
    return getattr(request, "param", 0)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is marked `both_forms` over an index that is whole and over one in partitions."""
    if metafunc.definition.get_closest_marker("both_forms") is not None and "partitions" in metafunc.fixturenames:
        metafunc.parametrize("partitions", quick_first(0, 16), ids=["whole", "in_partitions"], indirect=True)


@pytest.fixture
def dsn(
    request: pytest.FixtureRequest,
    partitions: int,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Generator[str]:
    """A migrated database that no other test sees; what lies beside an index goes to a folder of the test's own."""
    monkeypatch.setenv("CITEMARK_DATA_DIR", str(tmp_path_factory.mktemp("data")))
    copies: DatabaseCopies = request.getfixturevalue("divided_indexes" if partitions else "empty_indexes")
    made = copies.fresh()
    yield made
    copies.drop(made)


@pytest.fixture
async def database(dsn: str) -> AsyncGenerator[Database, None]:
    """An open pool over a database of this test."""
    opened = Database(dsn, pool_size=4)
    await opened.open()
    yield opened
    await opened.close()


def pytest_configure(config: pytest.Config) -> None:
    """Give a parallel run an id that its controller knows too."""
    if not hasattr(config, "workerinput") and hasattr(config.option, "testrunuid"):
        config.option.testrunuid = config.option.testrunuid or uuid4().hex


def pytest_collection_finish() -> None:
    """Have the garbage collector pass over all that is imported by now: a tenth of a run went into walking it."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """The controller of a parallel run clears the server's folder after the last worker."""
    run = getattr(session.config.option, "testrunuid", None)
    if run and not hasattr(session.config, "workerinput"):
        remove_server(reachable_folder(f"citemark-run-{run}"))
