"""Opens an index: database server, schema, connection pool, and the app over them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta

from citemark.app.compose import App
from citemark.app.database_addresses import DatabaseAddresses, database_addresses
from citemark.app.embedding_models import configured_embedder
from citemark.app.tool_groups_file import ToolGroupsFile
from citemark.folders import data_dir
from citemark.logs import log_retries
from citemark.settings import Settings
from citemark.store.database import Database
from citemark.store.embedded import EmbeddedPostgres
from citemark.store.leases import Leases
from citemark.store.migrate import ensure_database, migrate
from citemark.store.stores import Stores


@asynccontextmanager
async def open_app(settings: Settings, database: str | None = None) -> AsyncGenerator[App, None]:
    """An index ready for use: server running, schema migrated, pool open.

    Args:
        settings: say where the index is.
        database: another database on the same server, created if it is missing; the index's own by default.

    Raises:
        ConfigurationError: a setting (such as database_url) or the data folder is wrong, or a newer version made the
            index.
        BackendUnavailable: the database cannot be started or reached.
    """
    log_retries()
    embedder = configured_embedder(settings)
    server: EmbeddedPostgres | None = None
    addresses = database_addresses(settings)
    if addresses is None:
        server = EmbeddedPostgres(data_dir(settings.data_dir))
        embedded = await asyncio.to_thread(server.acquire)
        addresses = DatabaseAddresses(embedded, embedded)
    try:
        if database is not None:
            await asyncio.to_thread(ensure_database, addresses.direct, database)
            addresses = addresses.at(database)
        await asyncio.to_thread(migrate, addresses.direct)
        connections = Database(
            addresses.main,
            pool_size=settings.pool_size,
            recover=None if server is None else server.ensure,
            pooler=None if server is None else False,
            replicas=[Database(each, pool_size=settings.pool_size, pooler=None) for each in addresses.reads],
        )
        await connections.open()
        try:
            await Leases(connections).release_dead()
            stores = Stores.over(connections, timedelta(seconds=settings.passage_ttl))
            app = App(settings, stores, embedder, listed=ToolGroupsFile(settings) if database is None else None)
            await app.note_holding(anew=False)
            try:
                yield app
            finally:
                app.close()
                await app.closing.aclose()
        finally:
            await connections.close()
    finally:
        if server is not None:
            await asyncio.to_thread(server.release)
