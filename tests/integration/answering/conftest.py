"""The real model once per process, a world per test."""

import pytest
from tests.integration.retrieval.world import World

from citemark.embedding.minilm import MiniLM
from citemark.store.database import Database


@pytest.fixture(scope="session")
def model() -> MiniLM:
    """Loaded at first use."""
    return MiniLM()


@pytest.fixture
def world(database: Database, model: MiniLM) -> World:
    """An empty index under the real model."""
    return World(database, model)
