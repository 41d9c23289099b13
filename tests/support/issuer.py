"""An authorization server's keys and signatures, for tests that need tokens and no login."""

import json
from collections.abc import Mapping
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm
from jwt.utils import base64url_decode, base64url_encode

from citemark.identity.signed_tokens import Keys, SignedTokenRules, SignedTokens

ISSUER = "https://issuer.example"
RESOURCE = "https://citemark.example/mcp"
LONG_AGO, FAR_OFF = 1_000_000_000, 32_503_680_000
"""2001 and 3000: no test depends on when it runs."""


class Issuer:
    """Signs what it is told to, with the key of one id; finds that key for whoever checks."""

    def __init__(self, kid: str = "k1", issuer: str = ISSUER) -> None:
        self.kid = kid
        self.issuer = issuer
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.asked: list[str | None] = []

    @property
    def jwk(self) -> dict[str, Any]:
        """The public key."""
        return {**json.loads(ECAlgorithm.to_jwk(self._key.public_key())), "kid": self.kid, "use": "sig", "alg": "ES256"}

    async def key(self, kid: str | None) -> Mapping[str, Any] | None:
        """The public key of an id, as a key set finds it."""
        self.asked.append(kid)
        return self.jwk if kid == self.kid else None

    def claims(self, subject: str = "alice", scope: str | None = "semantic:read", **changed: Any) -> dict[str, Any]:
        """What an access token of somebody says; a claim changed to None is left out."""
        said = {
            "iss": self.issuer,
            "aud": RESOURCE,
            "sub": subject,
            "client_id": "tests",
            "iat": LONG_AGO,
            "exp": FAR_OFF,
            "scope": scope,
            **changed,
        }
        return {name: value for name, value in said.items() if value is not None}

    def token(
        self, subject: str = "alice", scope: str | None = "semantic:read", *, typ: str = "at+jwt", **changed: Any
    ) -> str:
        """A signed access token."""
        return self.signed(self.claims(subject, scope, **changed), typ=typ)

    def signed(self, claims: Mapping[str, Any], **header: Any) -> str:
        """Any claims, signed; header fields as given."""
        return jwt.encode(dict(claims), self._key, algorithm="ES256", headers={"kid": self.kid, **header})

    def reader(self, keys: Keys | None = None, **rules: Any) -> SignedTokens:
        """What a server reads this issuer's tokens with; `keys` in the place of its own."""
        given: dict[str, Any] = {"issuer": self.issuer, "audience": RESOURCE, "algorithms": ("ES256", "RS256"), **rules}
        return SignedTokens(SignedTokenRules(**given), keys or self)


def tampered(token: str) -> str:
    """The token with another subject under the old signature."""
    head, body, signature = token.split(".")
    said = base64url_decode(body).replace(b'"alice"', b'"mallo"')
    return f"{head}.{base64url_encode(said).decode()}.{signature}"


def unsigned(claims: Mapping[str, Any]) -> str:
    """A token whose algorithm is none."""
    return jwt.encode(dict(claims), "", algorithm="none", headers={"typ": "at+jwt", "kid": "k1"})


def self_made(claims: Mapping[str, Any], secret: bytes) -> str:
    """A token signed with a shared secret, as if the public key were one."""
    return jwt.encode(dict(claims), secret, algorithm="HS256", headers={"typ": "at+jwt", "kid": "k1"})
