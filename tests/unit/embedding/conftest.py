"""One loaded model for the folder: loading costs more than any test."""

import pytest

from citemark.embedding.minilm import MiniLM


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    return MiniLM(threads=1)
