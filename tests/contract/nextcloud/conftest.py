"""The recorded exchanges with a real Nextcloud, read once."""

from pathlib import Path

import pytest
from tests.contract.nextcloud.recording import Exchange, sections

_RECORD = Path(__file__).resolve().parents[2] / "data" / "nextcloud" / "recorded.md"


@pytest.fixture(scope="session")
def record_text() -> str:
    """The record as it was written."""
    return _RECORD.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def recorded(record_text: str) -> dict[str, list[Exchange]]:
    """The exchanges by section."""
    return sections(record_text)
