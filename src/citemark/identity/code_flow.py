"""Signing people in at an authorization server: OpenID Connect's code flow with PKCE, state and nonce.

The browser comes back with a code, which is worth nothing without the verifier that only we hold; the code is exchanged
for an access token, which is then read like any other, and an ID token, which proves that both were made for this very
sign-in. No refresh token is asked for: whoever signs in here stays no longer than the access token.
"""

import hmac
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

import jwt

from citemark.identity.begun_sign_in import FlowSecrets, IssuedAccess, SignInRefused
from citemark.identity.issuer_requests import IssuerClient, post_form
from citemark.identity.key_sets import KeySet, fetch_metadata
from citemark.identity.signed_tokens import verified_claims
from citemark.identity.token_claims import MOST_TOKEN_CHARS, TokenRefused
from citemark.model.errors import BackendUnavailable
from citemark.remote.connections import Connections

_FRESH = 600.0
"""Seconds after which the metadata of the issuer are fetched again, as its keys are."""

_MOST_CODE_CHARS = 4096
_REQUIRED = ("exp", "iat", "iss", "aud", "sub", "nonce")
"""The claims of an ID token, and the nonce that we asked for."""

_UNAVAILABLE = "The authorization server cannot be asked now; try again later."


@dataclass(frozen=True, slots=True)
class CodeFlowRules:
    """Where people sign in, as whose people, and what their tokens are for.

    Attributes:
        issuer: the authorization server.
        resource: this server as its authorization server knows it; access tokens are issued for it.
        returns_to: the address to which browsers come back, as it is registered at the issuer.
        client: as which client of the issuer people sign in here.
        algorithms: of the signatures that are accepted.
        scope: what is asked for.
    """

    issuer: str
    resource: str
    returns_to: str
    client: IssuerClient
    algorithms: Sequence[str]
    scope: str


class CodeFlow:
    """Signs people in at one issuer."""

    def __init__(self, rules: CodeFlowRules, keys: KeySet, seconds: Callable[[], float] = time.monotonic) -> None:
        """Prepare without asking anything.

        Args:
            rules: where people sign in.
            keys: of the issuer, for its ID tokens.
            seconds: a monotonic clock, in seconds.
        """
        self._rules = rules
        self._keys = keys
        self._seconds = seconds
        self._connections = Connections(rules.issuer, most=4)
        self._metadata: Mapping[str, Any] = {}
        self._fetched = -math.inf

    @property
    def host(self) -> str:
        """The name of the issuer's server, as people know it."""
        return urlsplit(self._rules.issuer).netloc

    async def address(self, made: FlowSecrets) -> str:
        """Where a browser is sent to sign in.

        Raises:
            BackendUnavailable: the issuer does not say where that is, or does not know PKCE.
        """
        endpoint = self._endpoint(await self._known_metadata(), "authorization_endpoint")
        asked = {
            "response_type": "code",
            "client_id": self._rules.client.client_id,
            "redirect_uri": self._rules.returns_to,
            "scope": self._rules.scope,
            "resource": self._rules.resource,
            "state": made.state,
            "nonce": made.nonce,
            "code_challenge": made.challenge,
            "code_challenge_method": "S256",
        }
        return f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(asked)}"

    async def access(self, returned: Mapping[str, str], made: FlowSecrets) -> IssuedAccess:
        """The access token of whoever came back from the issuer.

        Args:
            returned: the parameters that the browser brought.
            made: the secrets with which this browser was sent there.

        Raises:
            SignInRefused: it was another browser, another issuer, or the issuer does not vouch for them.
            BackendUnavailable: the issuer does not answer.
        """
        if not made.began(returned):
            raise SignInRefused("the state is not that of this browser")
        metadata = await self._known_metadata()
        self._check_issuer(returned.get("iss"), metadata)
        if "error" in returned:
            raise SignInRefused(f"the issuer refuses: {returned['error'][:100]!r}")
        code = returned.get("code", "")
        if not 0 < len(code) <= _MOST_CODE_CHARS:
            raise SignInRefused("there is no code")
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._rules.returns_to,
            "code_verifier": made.verifier,
            "resource": self._rules.resource,
        }
        answer = await post_form(
            self._connections, self._endpoint(metadata, "token_endpoint"), fields, self._rules.client
        )
        if answer is None or answer[0] >= 500:  # noqa: PLR2004 - HTTP's errors of a server
            raise BackendUnavailable(_UNAVAILABLE)
        status, said = answer
        if status != 200:  # noqa: PLR2004 - HTTP's OK
            raise SignInRefused(f"the issuer refuses the code: {str(said.get('error'))[:100]!r}")
        await self._check_id_token(said.get("id_token"), made.nonce)
        return _issued(said)

    async def close(self) -> None:
        """Close the connections, those for the keys included."""
        await self._connections.close()
        await self._keys.close()

    async def _known_metadata(self) -> Mapping[str, Any]:
        now = self._seconds()
        if now - self._fetched > _FRESH:
            names = ("authorization_endpoint", "token_endpoint")
            found = await fetch_metadata(self._connections, self._rules.issuer, *names)
            if found is None:
                raise BackendUnavailable(_UNAVAILABLE)
            self._metadata, self._fetched = found, now
        methods = self._metadata.get("code_challenge_methods_supported")
        # Some issuers know S256 without saying so; one that names others only would accept a stolen code.
        if isinstance(methods, list) and "S256" not in methods:
            raise BackendUnavailable("The authorization server lacks PKCE with S256, without which no one signs in.")
        return self._metadata

    def _endpoint(self, metadata: Mapping[str, Any], name: str) -> str:
        url = str(metadata[name])
        parts = urlsplit(url)
        if not parts.netloc or parts.scheme not in {"https", urlsplit(self._rules.issuer).scheme}:
            raise BackendUnavailable(f"The authorization server names no usable {name}.")
        return url

    def _check_issuer(self, named: str | None, metadata: Mapping[str, Any]) -> None:
        """Refuse an answer of another issuer (RFC 9207), to which a code of ours would be taken."""
        must_name = metadata.get("authorization_response_iss_parameter_supported") is True
        if named != self._rules.issuer and (must_name or named is not None):
            raise SignInRefused("another issuer answers")

    async def _check_id_token(self, token: object, nonce: str) -> None:
        """Refuse an ID token that was not made for us in this sign-in: whoever stole a code would bring one such."""
        if not isinstance(token, str) or len(token) > MOST_TOKEN_CHARS:
            raise SignInRefused("there is no ID token")
        client_id = self._rules.client.client_id
        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") not in self._rules.algorithms or "crit" in header:
                raise SignInRefused("the ID token is signed in a way that is not accepted")
            kid = header.get("kid")
            key = await self._keys.key(None if kid is None else str(kid))
            if key is None:
                raise SignInRefused("the issuer has no such key")
            claims = verified_claims(
                token, header["alg"], key, issuer=self._rules.issuer, audience=client_id, required=_REQUIRED
            )
        except (jwt.PyJWTError, TokenRefused, ValueError, RecursionError) as error:
            raise SignInRefused(f"the ID token is not valid: {type(error).__name__}") from None
        if not hmac.compare_digest(str(claims["nonce"]).encode(), nonce.encode()):
            raise SignInRefused("the ID token is of another sign-in")
        others = isinstance(claims["aud"], list) and len(cast("list[Any]", claims["aud"])) > 1
        if claims.get("azp", None if others else client_id) != client_id:
            raise SignInRefused("the ID token was made for another client")


def _issued(said: Mapping[str, Any]) -> IssuedAccess:
    token, kind, seconds = said.get("access_token"), str(said.get("token_type", "")), said.get("expires_in")
    if not isinstance(token, str) or kind.lower() != "bearer":
        raise SignInRefused("there is no access token")
    try:
        valid = math.inf if seconds is None else float(seconds)
    except (TypeError, ValueError):
        raise SignInRefused("the time of the access token is not a number") from None
    if math.isnan(valid):
        raise SignInRefused("the time of the access token is not a number")
    return IssuedAccess(token, valid)
