"""Digests of the tokens that were issued, and what each token allows."""

from collections.abc import Sequence
from datetime import datetime

from citemark.model.static_token import AccessToken
from citemark.store.database import Database


class AccessTokenStore:
    """Tokens by their digests, from which no token can be derived."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, token: AccessToken, digest: bytes) -> None:
        """Record a token that is being issued."""
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
        """The name, scopes and expiry of a token, or None if it is unknown, revoked or expired."""
        row = await self._database.one("token_living", {"digest": digest, "now": now})
        return None if row is None else (row["name"], frozenset(row["scopes"]), row["expires_at"])

    async def all(self) -> list[AccessToken]:
        """Every token that was issued, by name, including those that are no longer valid."""
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
        """Revoke the token with an id, or all with a name; returns the ids of those that were still valid."""
        return [row["token_id"] for row in await self._database.fetch("token_revoke", {"which": which, "now": now})]
