"""Granting sources to people, groups and everybody."""

from dataclasses import dataclass

from citemark.model.accounts import NEXTCLOUD
from citemark.model.errors import InvalidArgument
from citemark.model.scope import Principal, of_issuer
from citemark.model.sources import Source
from citemark.model.static_token import OWN_ISSUER
from citemark.store.grants import Grant, GrantStore
from citemark.store.sources import EVERYONE, owner_grant

_REASON = "granted on this machine"


@dataclass(frozen=True, slots=True)
class Grantee:
    """Whom a person at the machine names: exactly one of a user, a group, a token's name, everyone.

    Users and groups are an issuer's.
    """

    user: str | None = None
    group: str | None = None
    token: str | None = None
    everyone: bool = False
    issuer: str | None = None

    def person(self) -> Principal | None:
        """The principal that is meant; None for a group or everyone.

        Raises:
            InvalidArgument: as `stored`.
        """
        kind, _, name = self.stored().partition(":")
        return Principal("local", name, frozenset()) if kind == "user" else None

    def stored(self) -> str:
        """As grants name them.

        Raises:
            InvalidArgument: none or several are named, or the issuer is missing.
        """
        named = [name for name in (self.user, self.group, self.token) if name]
        if len(named) + self.everyone != 1:
            raise InvalidArgument("Name one: --user, --group, --token or --everyone.")
        if self.everyone:
            return EVERYONE
        if self.token:
            return f"user:{of_issuer(OWN_ISSUER, self.token)}"
        if not self.issuer or " " in self.issuer:
            raise InvalidArgument(
                "--user and --group are names of an authorization server: set oauth_issuer, or give --issuer."
            )
        kind = "user" if self.user else "group"
        return f"{kind}:{of_issuer(self.issuer, named[0])}"


class SourceGrants:
    """Who besides the owner may read which source."""

    def __init__(self, store: GrantStore) -> None:
        self._store = store

    async def grant(self, source: Source, grantee: Grantee) -> None:
        """Let a person or group read a source from the next question on.

        Raises:
            InvalidArgument: it is an account, or nobody is named.
        """
        if source.kind == NEXTCLOUD:
            raise InvalidArgument(
                f"{source.name!r} is an account, which shows what one person may see there: others connect theirs.",
                name=source.name,
            )
        await self._store.add(source.source_id, Grant(grantee.stored(), _REASON))

    async def revoke(self, source: Source, grantee: Grantee) -> None:
        """Let them read it no longer, also by handles and cursors that they have.

        Raises:
            InvalidArgument: they had no grant of their own.
        """
        if not await self._store.remove(source.source_id, grantee.stored()):
            raise InvalidArgument(f"{source.name!r} was not granted so; `citemark source grants` lists its grants.")

    async def of(self, source: Source) -> list[Grant]:
        """The grants of a source besides its owner's."""
        return [grant for grant in await self._store.of(source.source_id) if grant.grantee != owner_grant()]
