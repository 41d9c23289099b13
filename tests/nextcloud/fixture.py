"""The double as a fixture."""

from collections.abc import Generator

import pytest
from tests.nextcloud.server import Nextcloud


@pytest.fixture
def nextcloud() -> Generator[Nextcloud, None, None]:
    """A Nextcloud on loopback with the accounts alice, bob and carol, of this test alone."""
    with Nextcloud() as running:
        yield running
