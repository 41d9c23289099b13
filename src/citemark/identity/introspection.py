"""Opaque access tokens: the authorization server is asked about each one (RFC 7662)."""

import asyncio
import hashlib
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from cachetools import TTLCache

from citemark.identity.issuer_requests import IssuerClient, post_form
from citemark.identity.token_claims import LEEWAY, MOST_TOKEN_CHARS, TokenRefused, principal_in
from citemark.model.errors import BackendUnavailable
from citemark.model.scope import Principal
from citemark.remote.connections import Connections

_MEMORY = 10.0
"""Seconds for which an answer is reused: a revoked token works for no longer than that."""

_MOST_CACHED = 10_000
"""The most tokens that are cached, at 200 bytes each."""

_AT_ONCE = 8
"""Concurrent requests: a flood of invalid tokens must not become a flood for the authorization server."""


@dataclass(frozen=True, slots=True)
class IntrospectionRules:
    """The endpoint to ask, the client to ask as, and what the answer must say."""

    url: str
    client_id: str
    client_secret: str
    issuer: str
    audience: str
    groups_claim: str = "groups"


class IntrospectedTokens:
    """Reads opaque tokens, which carry no claims of their own."""

    def __init__(self, rules: IntrospectionRules, now: Callable[[], float] = time.time) -> None:
        """Prepare the reader without asking anything.

        Args:
            rules: whom to ask, and what the answer must say.
            now: the time in seconds since 1970, which `exp` and `nbf` are compared with.
        """
        self._rules = rules
        self._now = now
        self._connections = Connections(rules.url, most=_AT_ONCE)
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._principals = TTLCache[bytes, tuple[Principal, float]](_MOST_CACHED, _MEMORY)

    @property
    def outside(self) -> bool:
        """The server is asked about each token."""
        return True

    async def principal_of(self, token: str) -> Principal:
        """Return the principal that sends the token.

        Raises:
            TokenRefused: the server says that the token is not active, not valid at this time or not for this resource.
            BackendUnavailable: the server does not answer.
        """
        if len(token) > MOST_TOKEN_CHARS:
            raise TokenRefused("the token is too long")
        digest = hashlib.sha256(token.encode()).digest()
        known = self._principals.get(digest)
        if known is None:
            async with self._slots:
                claims = await self._introspect(token)
            known = self._principals[digest] = (self._principal(claims), self._end(claims))
        principal, end = known
        if end <= self._now():
            raise TokenRefused("the token has expired")
        return principal

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.close()

    def _principal(self, claims: Mapping[str, Any]) -> Principal:
        rules, audience = self._rules, claims.get("aud")
        if claims.get("active") is not True:
            raise TokenRefused("the token is not active")
        if rules.audience not in (cast("list[Any]", audience) if isinstance(audience, list) else [audience]):
            raise TokenRefused("the token is for another resource")
        if claims.get("iss", rules.issuer) != rules.issuer:
            raise TokenRefused("the token is of another issuer")
        return principal_in(claims, rules.issuer, rules.groups_claim)

    def _end(self, claims: Mapping[str, Any]) -> float:
        """When a token ends, in seconds since 1970, whatever the server says of it besides; infinite if it does not.

        Raises:
            TokenRefused: it is not valid yet, or a time is not a number.
        """
        if self._seconds(claims, "nbf", -math.inf) > self._now() + LEEWAY:
            raise TokenRefused("the token is not valid yet")
        return self._seconds(claims, "exp", math.inf) + LEEWAY

    @staticmethod
    def _seconds(claims: Mapping[str, Any], name: str, default: float) -> float:
        value = claims.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            raise TokenRefused(f"the claim {name} is not a number")
        return float(value)

    async def _introspect(self, token: str) -> Mapping[str, Any]:
        client = IssuerClient(self._rules.client_id, self._rules.client_secret)
        fields = {"token": token, "token_type_hint": "access_token"}
        answer = await post_form(self._connections, self._rules.url, fields, client)
        if answer is None or answer[0] != 200:  # noqa: PLR2004 - HTTP's OK
            raise BackendUnavailable("The authorization server does not answer about tokens; try again later.")
        return answer[1]
