"""Data folders for the tests of the embedded server."""

from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from tests.integration.store.embedded_support import User, clean_up, copy_of
from tests.support.postgres import reachable_folder

from citemark.store.embedded import EmbeddedPostgres


@pytest.fixture(scope="session")
def made_data_dir() -> Generator[Path, None, None]:
    """A data folder whose cluster exists and is stopped; to be copied, never started."""
    folder = reachable_folder()
    server = EmbeddedPostgres(folder / "made")
    server.acquire()
    server.release()
    yield folder / "made"
    clean_up(folder)


@pytest.fixture
def empty_dir() -> Generator[Path, None, None]:
    """A folder of the test's own that the server's account can pass."""
    folder = reachable_folder()
    yield folder
    clean_up(folder)


@pytest.fixture
def data_dir(made_data_dir: Path, empty_dir: Path) -> Path:
    """A data folder with a cluster of its own, stopped."""
    return copy_of(made_data_dir, empty_dir / "data")


@pytest.fixture
def new_user() -> Generator[Callable[..., User], None, None]:
    """Starts other processes that use a server; they end with the test."""
    users: list[User] = []

    def start(*args: Path, **options: object) -> User:
        users.append(User(*args, **options))  # type: ignore[arg-type]
        return users[-1]

    yield start
    for user in users:
        if user.process.poll() is None:
            user.kill()
        else:
            user.close()
