"""What a call must remember between its two rounds, sealed so that only the same call of the same caller opens it.

AES-256-GCM (NIST SP 800-38D). Whom and what a state is for is authenticated beside it and not stored in it: a state
that is presented by somebody else, for another tool or with other arguments does not open.
"""

import hashlib
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from citemark.model.clock import Clock
from citemark.model.errors import InvalidArgument

STATE_SECONDS = 600
"""How long the second round may take to come: a person may have to approve the request first."""

PURPOSE = "answer-state"
"""The name of the key."""

_VERSION = "s1."
_NONCE_BYTES = 12
_TAG_BYTES = 16
_MOST_CHARS = 65536


class StateRefused(InvalidArgument):
    """A state that was changed, has expired or is not this caller's for this call: the three look the same."""

    def __init__(self) -> None:
        super().__init__("Invalid or expired requestState: call the tool again without it.")


@dataclass(frozen=True, slots=True)
class Binding:
    """Whom and what a state is for. `digest` is of the arguments of the call."""

    principal: str
    tool: str
    digest: str

    @classmethod
    def of(cls, principal: str, tool: str, arguments: Mapping[str, Any] | None) -> "Binding":
        """The binding of a call with these arguments, in whatever order they come."""
        canonical = json.dumps(dict(arguments or {}), sort_keys=True, separators=(",", ":"))
        return cls(principal, tool, hashlib.sha256(canonical.encode()).hexdigest())

    def authenticated(self) -> bytes:
        """The bytes that are authenticated beside the state; unambiguous, being JSON."""
        return json.dumps([_VERSION, self.principal, self.tool, self.digest]).encode()


class Seal:
    """Seals and opens states with a key that every server of the index has."""

    def __init__(self, key: Callable[[], Awaitable[bytes]], clock: Clock) -> None:
        self._key = key
        self._clock = clock

    async def close(self, state: Mapping[str, Any], binding: Binding) -> str:
        """The state as a token that nobody else can read or change; good for `STATE_SECONDS`."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - loaded by the first answer

        until = self._clock().timestamp() + STATE_SECONDS
        nonce = secrets.token_bytes(_NONCE_BYTES)
        plain = json.dumps({"until": until, "state": dict(state)}, separators=(",", ":")).encode()
        sealed = AESGCM(await self._key()).encrypt(nonce, plain, binding.authenticated())
        return _VERSION + urlsafe_b64encode(nonce + sealed).decode()

    async def open(self, token: str, binding: Binding) -> dict[str, Any]:
        """What was sealed for the same binding.

        Raises:
            StateRefused: for whatever reason it does not open.
        """
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - as above
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

        raw = _raw(token)
        nonce, sealed = raw[:_NONCE_BYTES], raw[_NONCE_BYTES:]
        try:
            plain = AESGCM(await self._key()).decrypt(nonce, sealed, binding.authenticated())
        except InvalidTag:
            raise StateRefused from None
        # What is authentic was written by `close`, of this version.
        content = cast("dict[str, Any]", json.loads(plain))
        if self._clock().timestamp() >= content["until"]:
            raise StateRefused
        return content["state"]


def _raw(token: str) -> bytes:
    if not token.startswith(_VERSION) or len(token) > _MOST_CHARS:
        raise StateRefused
    try:
        raw = urlsafe_b64decode(token.removeprefix(_VERSION))
    except ValueError:
        raise StateRefused from None
    if len(raw) <= _NONCE_BYTES + _TAG_BYTES:
        raise StateRefused
    return raw
