"""The common interface of token readers, and the rules for claims that identify a principal."""

from collections.abc import Mapping
from typing import Any, Protocol

from citemark.model.scope import Principal, scopes_in

MOST_TOKEN_CHARS = 16_384
"""Longer than any token that fits the headers most servers take."""

_MOST_NAME_CHARS = 255
"""Most characters of a subject in OpenID Connect."""

_MOST_GROUPS = 200
"""Groups of one person that are looked at; more do not fit a token that a header can carry."""


class TokenRefused(Exception):
    """A token names nobody. The reason is for the log of the server: the client learns only that it is refused."""


class TokenReader(Protocol):
    """Returns the person that a token identifies."""

    async def principal_of(self, token: str) -> Principal:
        """Who sends the token.

        Raises:
            TokenRefused: it is not valid here.
            BackendUnavailable: that cannot be found out now.
        """
        ...


def principal_in(claims: Mapping[str, Any], issuer: str, groups_claim: str) -> Principal:
    """The principal that verified claims name.

    Raises:
        TokenRefused: they have no subject that can be written down.
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
