"""Access tokens that are JWTs (RFC 9068): which ones are accepted, and which principals they name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import jwt

from citemark.identity.token_claims import LEEWAY, MOST_TOKEN_CHARS, TokenRefused, principal_in
from citemark.model.scope import Principal

_REQUIRED = ("exp", "iat", "iss", "aud", "sub")
"""Claims without which a token does not say who may use it, where and until when."""


class Keys(Protocol):
    """Finds the key that a token says it was signed with."""

    async def key(self, kid: str | None) -> Mapping[str, Any] | None:
        """The key as a JWK, or None if the issuer has no such key."""
        ...


@dataclass(frozen=True, slots=True)
class SignedTokenRules:
    """The rules for a token: from this issuer, for this resource, signed with one of these algorithms.

    `plain_type` accepts the type `JWT` in addition to `at+jwt`, because some servers give it to their access tokens.
    Their ID tokens have the same type, and are distinguished by the audience alone.
    """

    issuer: str
    audience: str
    algorithms: tuple[str, ...]
    plain_type: bool = False
    groups_claim: str = "groups"


class SignedTokens:
    """Reads tokens that one issuer has signed."""

    def __init__(self, rules: SignedTokenRules, keys: Keys) -> None:
        self._rules = rules
        self._keys = keys

    @property
    def outside(self) -> bool:
        """Nothing is looked up: a token is checked by its signature, and the keys are fetched at most every 5 s."""
        return False

    async def principal_of(self, token: str) -> Principal:
        """Return the principal that sends the token.

        Raises:
            TokenRefused: its type, algorithm, key, signature, issuer, audience or time is wrong, or a claim is missing.
            BackendUnavailable: the issuer's keys are not available.
        """
        if len(token) > MOST_TOKEN_CHARS:
            raise TokenRefused("the token is too long")
        try:
            header = jwt.get_unverified_header(token)
            self._check_header(header)
            kid = header.get("kid")
            key = await self._keys.key(None if kid is None else str(kid))
            if key is None:
                raise TokenRefused("the issuer has no such key")
            claims = verified_claims(
                token, header["alg"], key, issuer=self._rules.issuer, audience=self._rules.audience
            )
        except (jwt.PyJWTError, ValueError, RecursionError) as error:
            raise TokenRefused(type(error).__name__) from None
        return principal_in(claims, self._rules.issuer, self._rules.groups_claim)

    def _check_header(self, header: Mapping[str, Any]) -> None:
        """Refuse a token whose header makes it unacceptable, whatever its signature."""
        kind = str(header.get("typ", "")).lower().removeprefix("application/")
        if kind != "at+jwt" and not (kind == "jwt" and self._rules.plain_type):
            raise TokenRefused("the type is not that of an access token")
        if header.get("alg") not in self._rules.algorithms:
            raise TokenRefused("the algorithm is not accepted")
        if "crit" in header:
            raise TokenRefused("the token asks for an extension")


def verified_claims(
    token: str,
    algorithm: str,
    key: Mapping[str, Any],
    *,
    issuer: str,
    audience: str,
    required: Sequence[str] = _REQUIRED,
) -> Mapping[str, Any]:
    """Return the claims of a token once it is verified; a key that names an algorithm is for that one only.

    Raises:
        TokenRefused: the key is for another algorithm.
        jwt.PyJWTError: the signature, the issuer, the audience or a time is wrong, or a required claim is missing.
    """
    if key.get("alg", algorithm) != algorithm:
        raise TokenRefused("the key is for another algorithm")
    return jwt.decode(
        token,
        jwt.PyJWK(dict(key), algorithm),
        algorithms=[algorithm],
        issuer=issuer,
        audience=audience,
        leeway=LEEWAY,
        options={"require": list(required), "verify_iat": True, "verify_nbf": True},
    )
