"""Tokens for people and programs without an identity provider: made once, shown once, stored as digests."""

import hashlib
import re
import secrets
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from cachetools import TTLCache

from citemark.model.clock import Clock
from citemark.model.errors import InvalidArgument
from citemark.model.scope import READ, SCOPES, Principal, scopes_in
from citemark.model.static_token import OWN_ISSUER, TOKEN_PREFIX, AccessToken
from citemark.store.token_digests import AccessTokenStore

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}", re.ASCII)
_SECRET_BYTES = 32
"""256 random bits: a plain digest of so much randomness cannot be reversed, and a slow one would only cost time."""


_MEMORY = 2.0
"""Seconds for which a checked token is trusted: the database need not be asked for each request of a busy client."""

_MOST_TOKENS = 10_000
"""The most tokens remembered, some 300 bytes each; unknown tokens are not remembered."""


class AccessTokens:
    """Issues tokens, and returns the principal that one identifies."""

    def __init__(self, store: AccessTokenStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._known = TTLCache[bytes, tuple[Principal, datetime | None]](_MOST_TOKENS, _MEMORY)

    async def create(
        self, name: str, scopes: Collection[str] = (READ,), days: int | None = None
    ) -> tuple[str, AccessToken]:
        """A new token of a principal, and the record that is kept of it; the token itself is not stored anywhere.

        Raises:
            InvalidArgument: the name is malformed, or a scope is unknown.
        """
        if not _NAME.fullmatch(name):
            raise InvalidArgument(
                "A token's name has 1 to 64 letters, digits, dots, hyphens, underscores or @, such as alice.", name=name
            )
        known = scopes_in(scopes)
        if not known or len(known) != len(set(scopes)):
            raise InvalidArgument(f"A scope is one of {', '.join(SCOPES)}.", scopes=sorted(scopes))
        token = TOKEN_PREFIX + secrets.token_urlsafe(_SECRET_BYTES)
        now = self._clock()
        expires = None if days is None else now + timedelta(days=days)
        made = AccessToken(secrets.token_hex(4), name, known, now, expires)
        await self._store.keep(made, _digest(token))
        return token, made

    async def principal_of(self, token: str) -> Principal | None:
        """The principal that a token identifies; None for one that is unknown, revoked or expired."""
        digest, now = _digest(token), self._clock()
        known = self._known.get(digest)
        if known is None:
            found = await self._store.living(digest, now)
            if found is None:
                return None
            name, scopes, end = found
            known = self._known[digest] = (Principal.issued(OWN_ISSUER, name, scopes), end)
        principal, end = known
        return principal if end is None or end > now else None

    async def all(self) -> list[AccessToken]:
        """Every token that was issued."""
        return await self._store.all()

    def now(self) -> datetime:
        """The time by which tokens expire."""
        return self._clock()

    async def revoke(self, which: str) -> Sequence[str]:
        """End the token of an id, or all tokens of a name: here immediately, in other processes within two seconds.

        Raises:
            InvalidArgument: no valid token has that id or name.
        """
        ended = await self._store.revoke(which, self._clock())
        self._known.clear()
        if not ended:
            raise InvalidArgument(f"No valid token has the id or name {which!r}; `citemark token list` shows them.")
        return ended


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()
