"""Authentication over HTTP: combines the token readers that the settings ask for."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from citemark.identity.checked_tokens import CheckedTokens
from citemark.identity.token_claims import IssuedTokens, TokenRefused
from citemark.model.errors import BackendUnavailable, CitemarkError, ConfigurationError
from citemark.model.scope import Principal
from citemark.model.static_token import TOKEN_PREFIX
from citemark.remote.addresses import checked_url, origin_of
from citemark.settings import Settings
from citemark.tools.http_access import ProtectedResource

if TYPE_CHECKING:
    from citemark.identity.code_flow import CodeFlow
    from citemark.services.people.access_tokens import AccessTokens

_SECONDS = 30.0
"""Seconds that looking up a token may take, opening the index or queueing for its issuer included: as for a call."""


class Authentication:
    """Reads tokens of this index, and those of an authorization server if one is configured."""

    def __init__(
        self,
        own: "Callable[[], Awaitable[AccessTokens]]",
        issued: IssuedTokens | None,
        seconds: float = _SECONDS,
    ) -> None:
        self._tokens = own
        self._issuer = issued
        self._own = CheckedTokens(self._own_person)
        self._issued = CheckedTokens(self._issued_person, outside=issued is not None and issued.outside)
        self._seconds = seconds

    def admits(self, token: str) -> bool:
        """Whether a token is checked however many others were refused."""
        return self._checked(token).admits(token)

    async def principal_of(self, token: str) -> Principal:
        """The person that a token identifies.

        Raises:
            TokenRefused: the token does not identify a person at the moment.
            BackendUnavailable: the index or the authorization server cannot be asked.
        """
        try:
            async with asyncio.timeout(self._seconds):
                return await self._checked(token).principal_of(token)
        except TimeoutError:
            raise BackendUnavailable("The token could not be looked up in time; try again later.") from None

    def _checked(self, token: str) -> CheckedTokens:
        return self._own if token.startswith(TOKEN_PREFIX) else self._issued

    async def _own_person(self, token: str) -> Principal:
        try:
            principal = await (await self._tokens()).principal_of(token)
        except CitemarkError as error:
            raise BackendUnavailable("The index is not open; try again later.") from error
        if principal is None:
            raise TokenRefused("the token is unknown, revoked or expired")
        return principal

    async def _issued_person(self, token: str) -> Principal:
        if self._issuer is None:
            raise TokenRefused("there is no authorization server")
        return await self._issuer.principal_of(token)


def resource_of(settings: Settings, scopes: frozenset[str]) -> ProtectedResource | None:
    """This server as its authorization server knows it; None without an authorization server.

    Raises:
        ConfigurationError: an address is missing or malformed.
    """
    if settings.oauth_issuer is None:
        return None
    if settings.http_resource is None:
        raise ConfigurationError(
            "oauth_issuer needs http_resource, the address of this server as clients know it: tokens are issued for it."
        )
    issuer = checked_url(settings.oauth_issuer, "oauth_issuer", "oauth_client_secret")
    url = checked_url(settings.http_resource, "http_resource", "oauth_client_secret")
    return ProtectedResource(url, issuer, tuple(sorted(scopes)))


def issued_tokens(settings: Settings) -> IssuedTokens | None:
    """The reader of the authorization server's tokens, or None if the settings name no such server.

    Raises:
        ConfigurationError: a setting that introspection needs is missing.
    """
    if settings.oauth_issuer is None or settings.http_resource is None:
        return None
    if settings.oauth_introspection_url is not None:
        from citemark.identity.introspection import IntrospectedTokens, IntrospectionRules  # noqa: PLC0415 - seldom

        if settings.oauth_client_id is None or settings.oauth_client_secret is None:
            raise ConfigurationError("oauth_introspection_url needs oauth_client_id and oauth_client_secret.")
        return IntrospectedTokens(
            IntrospectionRules(
                url=checked_url(settings.oauth_introspection_url, "oauth_introspection_url", "oauth_client_secret"),
                client_id=settings.oauth_client_id,
                client_secret=settings.oauth_client_secret.get_secret_value(),
                issuer=settings.oauth_issuer,
                audience=settings.http_resource,
                groups_claim=settings.oauth_groups_claim,
            )
        )
    from citemark.identity.key_sets import KeySet  # noqa: PLC0415 - only servers with an issuer need PyJWT
    from citemark.identity.signed_tokens import SignedTokenRules, SignedTokens  # noqa: PLC0415 - likewise

    rules = SignedTokenRules(
        issuer=settings.oauth_issuer,
        audience=settings.http_resource,
        algorithms=tuple(settings.oauth_algorithms),
        plain_type=settings.oauth_plain_type,
        groups_claim=settings.oauth_groups_claim,
    )
    return SignedTokens(rules, KeySet(settings.oauth_issuer, settings.oauth_jwks_url))


def code_flow(settings: Settings, return_path: str) -> "CodeFlow | None":
    """What signs people in at the authorization server for the pages; None if they cannot sign in there.

    Args:
        settings: name the authorization server, and the client that is registered there for the pages.
        return_path: where browsers come back, below the host of `http_resource`.

    Raises:
        ConfigurationError: a setting is missing or malformed.
    """
    if settings.oauth_pages_client_id is None:
        return None
    if settings.oauth_issuer is None or settings.http_resource is None:
        raise ConfigurationError("oauth_pages_client_id needs oauth_issuer and http_resource: people sign in there.")
    from citemark.identity.code_flow import CodeFlow, CodeFlowRules  # noqa: PLC0415 - only servers with an issuer
    from citemark.identity.issuer_requests import IssuerClient  # noqa: PLC0415 - likewise
    from citemark.identity.key_sets import KeySet  # noqa: PLC0415 - likewise

    secret = settings.oauth_pages_client_secret
    rules = CodeFlowRules(
        issuer=settings.oauth_issuer,
        resource=settings.http_resource,
        returns_to=origin_of(settings.http_resource) + return_path,
        client=IssuerClient(settings.oauth_pages_client_id, None if secret is None else secret.get_secret_value()),
        algorithms=settings.oauth_algorithms,
        scope=settings.oauth_pages_scope,
    )
    return CodeFlow(rules, KeySet(settings.oauth_issuer, settings.oauth_jwks_url))
