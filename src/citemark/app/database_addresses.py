"""Where the database of an index is, when it is one that the settings name."""

from dataclasses import dataclass

from pydantic import SecretStr

from citemark.model.errors import ConfigurationError
from citemark.settings import Settings
from citemark.store.conninfo import checked_conninfo, of_database, without_ambient_password


@dataclass(frozen=True, slots=True)
class DatabaseAddresses:
    """The connection strings of one database, each checked.

    Attributes:
        main: the primary, where a transaction pooler may stand between.
        direct: the primary without a pooler, for what takes a session of its own: migrations, dumps, restores.
        reads: its physical replicas.
    """

    main: str
    direct: str
    reads: tuple[str, ...] = ()

    def at(self, database: str) -> "DatabaseAddresses":
        """Another database on the same server."""
        main, direct, *reads = (of_database(each, database) for each in (self.main, self.direct, *self.reads))
        return DatabaseAddresses(main, direct, tuple(reads))


def database_addresses(settings: Settings) -> DatabaseAddresses | None:
    """The addresses that the settings name; None if the index has the embedded database.

    Raises:
        ConfigurationError: one of them is malformed, or another one is given without `database_url` or elsewhere.
    """
    further = {
        "database_direct_url": [settings.database_direct_url] if settings.database_direct_url else [],
        "database_read_urls": list(settings.database_read_urls),
    }
    given = [name for name, addresses in further.items() if addresses]
    if settings.database_url is None:
        if given:
            raise ConfigurationError(f"{given[0]} belongs to database_url, which is not set; set it too.")
        return None
    for name in given:
        if settings.is_foreign(name) != settings.is_foreign("database_url"):
            raise ConfigurationError(
                f"database_url and {name} come from different places: give both in the environment or in one file."
            )
    main = _checked(settings, "database_url", settings.database_url)
    direct, reads = ([_checked(settings, name, each) for each in addresses] for name, addresses in further.items())
    return DatabaseAddresses(main, direct[0] if direct else main, tuple(reads))


def _checked(settings: Settings, name: str, address: SecretStr) -> str:
    """The address; one of a trusted file gets no password of the user."""
    conninfo = checked_conninfo(address.get_secret_value(), name)
    return without_ambient_password(conninfo) if settings.is_foreign(name) else conninfo
