"""Where the database of an index is, when it is one that the settings name."""

from dataclasses import dataclass

from citemark.model.errors import ConfigurationError
from citemark.settings import Settings
from citemark.store.conninfo import checked_conninfo, of_database, without_ambient_password


@dataclass(frozen=True, slots=True)
class DatabaseAddresses:
    """The connection strings of one database, each checked.

    Attributes:
        main: the primary, where a transaction pooler may stand between.
        direct: the primary without a pooler, for what takes a session of its own: migrations, dumps, restores.
    """

    main: str
    direct: str

    def at(self, database: str) -> "DatabaseAddresses":
        """Another database on the same server."""
        return DatabaseAddresses(of_database(self.main, database), of_database(self.direct, database))


def database_addresses(settings: Settings) -> DatabaseAddresses | None:
    """The addresses that the settings name; None if the index has the embedded database.

    Raises:
        ConfigurationError: one of them is malformed, or one is given without `database_url` or elsewhere.
    """
    if settings.database_url is None:
        if settings.database_direct_url is not None:
            raise ConfigurationError(
                "database_direct_url is the way around the pooler of database_url, which is not set; set it too."
            )
        return None
    main = _checked(settings, "database_url", settings.database_url.get_secret_value())
    if settings.database_direct_url is None:
        return DatabaseAddresses(main, main)
    if settings.is_foreign("database_url") != settings.is_foreign("database_direct_url"):
        raise ConfigurationError(
            "database_url and database_direct_url come from different places: give both in "
            "the environment or in one file."
        )
    return DatabaseAddresses(
        main, _checked(settings, "database_direct_url", settings.database_direct_url.get_secret_value())
    )


def _checked(settings: Settings, name: str, address: str) -> str:
    """The address; one of a trusted file gets no password of the user."""
    conninfo = checked_conninfo(address, name)
    return without_ambient_password(conninfo) if settings.is_foreign(name) else conninfo
