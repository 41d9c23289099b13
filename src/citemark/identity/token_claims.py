"""The common interface of token readers, and the rules for claims that identify a principal."""

from collections.abc import Mapping
from typing import Any, Protocol

from citemark.model.scope import Principal, scopes_in

LEEWAY = 5
"""Seconds by which the clocks of the two servers may differ."""

MOST_TOKEN_CHARS = 16_384
"""More than any token that fits into the headers that most servers accept."""

_MOST_NAME_CHARS = 255
"""Most characters of a subject in OpenID Connect."""

_MOST_GROUPS = 200
"""The most groups of one person that are read; more do not fit into a token that a header can carry."""


class TokenRefused(Exception):
    """A token is not accepted; the reason is for the server's log, and the client only learns that it was refused."""


class TokenReader(Protocol):
    """Finds the principal that a token stands for."""

    async def principal_of(self, token: str) -> Principal:
        """Return the principal that sends the token.

        Raises:
            TokenRefused: the token is not valid here.
            BackendUnavailable: this cannot be determined now.
        """
        ...


class IssuedTokens(TokenReader, Protocol):
    """Reads tokens of an authorization server; `outside` tells whether it is asked about each of them."""

    @property
    def outside(self) -> bool:
        """Whether a token is looked up elsewhere, and not checked by what it says."""
        ...


def principal_in(claims: Mapping[str, Any], issuer: str, groups_claim: str) -> Principal:
    """Return the principal that verified claims name.

    Raises:
        TokenRefused: their subject is missing, too long or not printable.
    """
    subject = claims.get("sub")
    if not _is_name(subject):
        raise TokenRefused("the subject is missing, too long or not printable")
    scope = claims.get("scope", claims.get("scp", ""))
    words: list[Any] = scope.split() if isinstance(scope, str) else _listed(scope)
    groups = _listed(claims.get(groups_claim))[:_MOST_GROUPS]
    return Principal.issued(
        issuer, str(subject), scopes_in(word for word in words if isinstance(word, str)), filter(_is_name, groups)
    )


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []  # type: ignore[reportUnknownArgumentType]


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _MOST_NAME_CHARS and value.isprintable()
