"""Digests of the tokens that were given out, and what each allows."""

from collections.abc import Sequence
from datetime import datetime

from citemark.model.static_token import AccessToken
from citemark.store.database import Database


class AccessTokenStore:
    """Tokens by their digests, from which no token can be derived."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, token: AccessToken, digest: bytes) -> None:
        """Record a token that is given out now."""
        await self._database.fetch(
            "token_keep",
            {
                "token_id": token.token_id,
                "name": token.name,
                "digest": digest,
                "scopes": sorted(token.scopes),
                "now": token.created_at,
                "expires_at": token.expires_at,
            },
        )

    async def living(self, digest: bytes, now: datetime) -> tuple[str, frozenset[str], datetime | None] | None:
        """The name, the scopes and the end of a token that is neither revoked nor expired."""
        row = await self._database.one("token_living", {"digest": digest, "now": now})
        return None if row is None else (row["name"], frozenset(row["scopes"]), row["expires_at"])

    async def all(self) -> list[AccessToken]:
        """Every token that was given out, by name, those that ended included."""
        return [
            AccessToken(
                token_id=row["token_id"],
                name=row["name"],
                scopes=frozenset(row["scopes"]),
                created_at=row["created_at"],
                expires_at=row["expires_at"],
                revoked_at=row["revoked_at"],
            )
            for row in await self._database.fetch("tokens", {})
        ]

    async def revoke(self, which: str, now: datetime) -> Sequence[str]:
        """End the token of an id, or all of a name; the ids of those that lived."""
        return [row["token_id"] for row in await self._database.fetch("token_revoke", {"which": which, "now": now})]
