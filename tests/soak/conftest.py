"""A place for an index and what it reads, with no server left in it."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.integration.store.embedded_support import clean_up
from tests.support.postgres import reachable_folder


@pytest.fixture
def folder() -> Generator[Path]:
    """A folder that the server's account can reach, with an empty `docs` in it."""
    place = reachable_folder()
    (place / "docs").mkdir()
    yield place
    clean_up(place)
