"""A token that this index gives out to a person or a program."""

from dataclasses import dataclass
from datetime import datetime

OWN_ISSUER = "token"
"""The issuer of principals whom a token of this index names. No URL, so no authorization server can be called so."""

TOKEN_PREFIX = "citemark_"  # noqa: S105 - how every token begins, so that scanners for secrets find one
"""How every token begins."""


@dataclass(frozen=True, slots=True)
class AccessToken:
    """What is known about a token besides its digest. Tokens of one name are one principal's."""

    token_id: str
    name: str
    scopes: frozenset[str]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def state(self, now: datetime) -> str:
        """Whether it can be used."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "valid"
