"""A token that this index issues to a person or a program."""

from dataclasses import dataclass
from datetime import datetime

OWN_ISSUER = "token"
"""The issuer of principals that a token of this index names; not a URL, so no authorization server has this name."""

TOKEN_PREFIX = "citemark_"  # noqa: S105 - how every token begins, so that scanners for secrets find one
"""How every token begins."""


@dataclass(frozen=True, slots=True)
class AccessToken:
    """What is known about a token besides its digest; tokens with the same name belong to one principal."""

    token_id: str
    name: str
    scopes: frozenset[str]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def state(self, now: datetime) -> str:
        """Whether the token can be used: "valid", "expired" or "revoked"."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "valid"
