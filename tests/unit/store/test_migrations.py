"""Migrations that an index may have been through stay as they are."""

import hashlib
from importlib.resources import files
from pathlib import Path

import pytest

FROZEN = Path(__file__).resolve().parents[2] / "data" / "indexes" / "migrations.sha256"


@pytest.mark.requirement("old-indexes-open")
def test_no_migration_is_edited_once_an_index_has_been_through_it() -> None:
    folder = files("citemark.store").joinpath("migrations")
    for line in FROZEN.read_text("utf-8").splitlines():
        digest, name = line.split()
        assert hashlib.sha256(folder.joinpath(name).read_bytes()).hexdigest() == digest, (
            f"{name} was edited: indexes that have it keep the old form. Write a new migration instead."
        )
