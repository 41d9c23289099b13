"""Servers that log people in."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.integration.features.nextcloud.services.login_servers import LoginServers, servers_over
from tests.nextcloud.server import Nextcloud

from citemark.store.database import Database


@pytest.fixture
async def servers(database: Database, nextcloud: Nextcloud, tmp_path: Path) -> AsyncGenerator[LoginServers]:
    async with asynccontextmanager(servers_over)(database, nextcloud, tmp_path) as made:
        yield made
