"""What a sign-in at an authorization server begins with, and how it ends."""

import base64
import hashlib
import hmac
import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

_BYTES = 32
"""256 random bits; RFC 7636 recommends as many for a verifier."""


class SignInRefused(Exception):
    """Somebody is not signed in; the reason is for the server's log."""


@dataclass(frozen=True, slots=True)
class FlowSecrets:
    """What binds one sign-in to one browser (`state`), to its ID token (`nonce`) and to us (`verifier`)."""

    state: str
    nonce: str
    verifier: str

    @classmethod
    def new(cls) -> "FlowSecrets":
        """Secrets of a new sign-in."""
        return cls(*(secrets.token_urlsafe(_BYTES) for _ in range(3)))

    def began(self, returned: Mapping[str, str]) -> bool:
        """Whether a browser that came back with these parameters was sent away with these secrets."""
        return hmac.compare_digest(returned.get("state", "").encode(), self.state.encode())

    @property
    def challenge(self) -> str:
        """What the verifier is compared with (RFC 7636, S256)."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class IssuedAccess:
    """An access token, and the seconds for which its issuer says that it is valid; infinite if it does not say."""

    token: str
    seconds: float = math.inf
