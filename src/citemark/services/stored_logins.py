"""Logins that the index keeps for sources with a password of their own: a port; the feature of such a kind fills it."""

from typing import TYPE_CHECKING, Protocol

from citemark.services.bundle import ServiceKey

if TYPE_CHECKING:  # declarations of features name the key before anything of this is loaded
    from citemark.extraction.sandbox.source_parsers import SourceParsers
    from citemark.model.sources import Source
    from citemark.sources.contract import Connector


class StoredLogins(Protocol):
    """Speaks to the servers of such sources."""

    def connector(
        self, source: "Source", parsers: "SourceParsers", *, trial: bool = False, login: object = None
    ) -> "Connector":
        """The connector of a source; with `trial`, its scans leave no state behind.

        `login`: how to log in, in the form that its kind takes, instead of what is stored.

        Raises:
            ConfigurationError: its configuration is not acceptable.
        """
        ...

    def renews(self, server: str) -> bool:
        """Whether people get links here to log in to a server again."""
        ...

    async def try_again(self, source: "Source") -> None:
        """Ask a server once whether it accepts a password again that it refused; the index then knows."""
        ...

    async def revoke_app_password(self, source: "Source") -> None:
        """Have the server revoke the password that a source logs in with.

        Raises:
            CitemarkError: the password is not known here, or the server did not do so; the message says why.
        """
        ...

    async def rotate_key(self) -> int:
        """Re-encrypt the passwords with a new key; return their number.

        Raises:
            ConfigurationError: there is no usable key, or it cannot be replaced.
        """
        ...


STORED_LOGINS: ServiceKey[StoredLogins] = ServiceKey("stored logins")
