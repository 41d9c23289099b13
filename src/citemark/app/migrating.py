"""Makes an index, brings its schema up to date, and says which roles of a shared database may use it."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from citemark.app.database_addresses import database_addresses
from citemark.folders import data_dir
from citemark.model.errors import ConfigurationError
from citemark.settings import Settings
from citemark.store.embedded import EmbeddedPostgres
from citemark.store.migrate import migrate, migrations
from citemark.store.roles import grant_roles


async def bring_up_to_date(settings: Settings, writers: Sequence[str], readers: Sequence[str]) -> int:
    """Make or change the schema of the index that the settings name, and return its number.

    Args:
        settings: say where the index is; of a shared database, the role there owns the index or is to own it.
        writers: roles that servers and workers may use.
        readers: roles that servers may use on replicas.

    Raises:
        ConfigurationError: a role is unknown or may do too much or too little, or a newer version made the index.
        BackendUnavailable: the database cannot be started or reached.
    """
    addresses = database_addresses(settings)
    if addresses is not None:
        if both := sorted(set(writers) & set(readers)):
            raise ConfigurationError(f"{both[0]!r} is named both as a writer and as a reader; a writer reads too.")
        await asyncio.to_thread(migrate, addresses.direct)
        if writers or readers:
            await asyncio.to_thread(grant_roles, addresses.direct, writers, readers)
    elif writers or readers:
        raise ConfigurationError(
            "The database that Citemark runs by itself has one role, of its own. --writer and --reader are for a "
            "database that CITEMARK_DATABASE_URL names."
        )
    else:
        async with _embedded(settings) as dsn:
            await asyncio.to_thread(migrate, dsn)
    return max(number for number, _, _ in migrations())


async def make_new(settings: Settings, partitions: int) -> None:
    """Make the index that the settings name, with nothing in it.

    Args:
        settings: say where the index is to be; of a shared database, the role there is to own it.
        partitions: how many parts its tables are divided into, by source; 0 leaves them whole.

    Raises:
        ConfigurationError: there is an index already.
        BackendUnavailable: the database cannot be started or reached.
    """
    addresses = database_addresses(settings)
    if addresses is not None:
        await asyncio.to_thread(migrate, addresses.direct, new_in=partitions)
        return
    async with _embedded(settings) as dsn:
        await asyncio.to_thread(migrate, dsn, new_in=partitions)


@asynccontextmanager
async def _embedded(settings: Settings) -> AsyncGenerator[str]:
    """The address of the database that Citemark runs by itself, while it is needed."""
    server = EmbeddedPostgres(data_dir(settings.data_dir))
    dsn = await asyncio.to_thread(server.acquire)
    try:
        yield dsn
    finally:
        await asyncio.to_thread(server.release)
