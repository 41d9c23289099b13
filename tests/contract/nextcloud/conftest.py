"""The recorded exchanges, read once; a missing record skips in a line, and fails in CI."""

import os
from pathlib import Path

import pytest
from tests.contract.nextcloud.recording import Exchange, sections

_RECORD = Path(__file__).resolve().parents[4] / "shared" / "nextcloud" / "recorded.md"


@pytest.fixture(scope="session")
def record_text() -> str:
    """The record as it was written."""
    if not _RECORD.is_file():
        message = "../shared/nextcloud is not mounted"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return _RECORD.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def recorded(record_text: str) -> dict[str, list[Exchange]]:
    """The exchanges by section."""
    return sections(record_text)
