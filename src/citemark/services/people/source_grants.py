"""Granting sources to people, groups and everyone."""

from dataclasses import dataclass

from citemark.model.errors import InvalidArgument
from citemark.model.scope import Principal, of_issuer
from citemark.model.sources import Source
from citemark.model.static_token import OWN_ISSUER
from citemark.sources.kinds import SourceKinds
from citemark.store.grants import Grant, GrantStore
from citemark.store.sources import EVERYONE, owner_grant

_REASON = "granted on this machine"


@dataclass(frozen=True, slots=True)
class Grantee:
    """Who is granted a source, as the owner names them: exactly one of a user, a group, a token's name, or everyone.

    Users and groups belong to an issuer.
    """

    user: str | None = None
    group: str | None = None
    token: str | None = None
    everyone: bool = False
    issuer: str | None = None

    def person(self) -> Principal | None:
        """The principal of a user or token; None for a group or everyone.

        Raises:
            InvalidArgument: as for `stored`.
        """
        kind, _, name = self.stored().partition(":")
        return Principal("local", name, frozenset()) if kind == "user" else None

    def stored(self) -> str:
        """The form in which grants store a grantee.

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

    def __init__(self, store: GrantStore, kinds: SourceKinds) -> None:
        self._store = store
        self._kinds = kinds

    async def grant(self, source: Source, grantee: Grantee) -> None:
        """Let a grantee read a source from the next question on.

        Raises:
            InvalidArgument: the source is an account, or the grantee is not valid.
        """
        if self._kinds.of(source).personal:
            raise InvalidArgument(
                f"{source.name!r} is an account, which shows what one person may see there: others connect theirs.",
                name=source.name,
            )
        await self._store.add(source.source_id, Grant(grantee.stored(), _REASON))

    async def revoke(self, source: Source, grantee: Grantee) -> None:
        """Stop a grantee from reading a source, including by handles and cursors that they already have.

        Raises:
            InvalidArgument: they had no grant of their own.
        """
        if not await self._store.remove(source.source_id, grantee.stored()):
            raise InvalidArgument(f"{source.name!r} was not granted so; `citemark source grants` lists its grants.")

    async def of(self, source: Source) -> list[Grant]:
        """The grants of a source besides its owner's."""
        return [grant for grant in await self._store.of(source.source_id) if grant.grantee != owner_grant()]
