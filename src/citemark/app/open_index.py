"""Opens an index: database server, schema, connection pool, and the app over them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta

from citemark.app.compose import App
from citemark.app.embedding_models import configured_embedder
from citemark.app.tool_groups_file import ToolGroupsFile
from citemark.folders import data_dir
from citemark.logs import log_retries
from citemark.settings import Settings
from citemark.store.conninfo import checked_conninfo, without_ambient_password
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
    if settings.database_url is not None:
        dsn = checked_conninfo(settings.database_url.get_secret_value())
        if settings.is_foreign("database_url"):
            dsn = without_ambient_password(dsn)
    else:
        server = EmbeddedPostgres(data_dir(settings.data_dir))
        dsn = await asyncio.to_thread(server.acquire)
    try:
        if database is not None:
            dsn = await asyncio.to_thread(ensure_database, dsn, database)
        await asyncio.to_thread(migrate, dsn)
        connections = Database(
            dsn,
            pool_size=settings.pool_size,
            recover=None if server is None else server.ensure,
            pooler=None if server is None else False,
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
