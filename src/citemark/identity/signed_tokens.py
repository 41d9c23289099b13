"""Access tokens that are JWTs (RFC 9068): which are accepted, and whom they name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import jwt

from citemark.identity.token_claims import MOST_TOKEN_CHARS, TokenRefused, principal_in
from citemark.model.scope import Principal

LEEWAY = 5
"""Seconds that the clocks of the two servers may differ."""

_REQUIRED = ("exp", "iat", "iss", "aud", "sub")
"""Claims without which nothing says who may use a token, where and until when."""


class Keys(Protocol):
    """Finds the key that a token says it was signed with."""

    async def key(self, kid: str | None) -> Mapping[str, Any] | None:
        """The key as a JWK; None when the issuer has no such key."""
        ...


@dataclass(frozen=True, slots=True)
class SignedTokenRules:
    """The rules for a token: from this issuer, for this resource, signed with one of these algorithms.

    `plain_type` accepts the type `JWT` besides `at+jwt`: some servers mark their access tokens so. Their ID tokens bear
    the same type and are distinguished by the audience alone.
    """

    issuer: str
    audience: str
    algorithms: tuple[str, ...]
    plain_type: bool = False
    groups_claim: str = "groups"


class SignedTokens:
    """Reads tokens that one issuer signed."""

    def __init__(self, rules: SignedTokenRules, keys: Keys) -> None:
        self._rules = rules
        self._keys = keys

    async def principal_of(self, token: str) -> Principal:
        """Who sends the token.

        Raises:
            TokenRefused: its type, algorithm, key, signature, issuer, audience or time is wrong, or a claim is missing.
            BackendUnavailable: the issuer's keys cannot be had.
        """
        if len(token) > MOST_TOKEN_CHARS:
            raise TokenRefused("the token is too long")
        try:
            header = jwt.get_unverified_header(token)
            self._check(header)
            kid = header.get("kid")
            found = await self._keys.key(None if kid is None else str(kid))
            if found is None:
                raise TokenRefused("the issuer has no such key")
            claims = self._verified(token, header["alg"], found)
        except (jwt.PyJWTError, ValueError, RecursionError) as error:
            raise TokenRefused(type(error).__name__) from None
        return principal_in(claims, self._rules.issuer, self._rules.groups_claim)

    def _check(self, header: Mapping[str, Any]) -> None:
        """Refuse by its header what no signature makes right."""
        kind = str(header.get("typ", "")).lower().removeprefix("application/")
        if kind != "at+jwt" and not (kind == "jwt" and self._rules.plain_type):
            raise TokenRefused("the type is not that of an access token")
        if header.get("alg") not in self._rules.algorithms:
            raise TokenRefused("the algorithm is not accepted")
        if "crit" in header:
            raise TokenRefused("the token asks for an extension")

    def _verified(self, token: str, algorithm: str, found: Mapping[str, Any]) -> Mapping[str, Any]:
        """The claims of a token whose signature and times are right; a key that names an algorithm is for it alone."""
        if found.get("alg", algorithm) != algorithm:
            raise TokenRefused("the key is for another algorithm")
        return jwt.decode(
            token,
            jwt.PyJWK(dict(found), algorithm),
            algorithms=[algorithm],
            issuer=self._rules.issuer,
            audience=self._rules.audience,
            leeway=LEEWAY,
            options={"require": list(_REQUIRED), "verify_iat": True, "verify_nbf": True},
        )
