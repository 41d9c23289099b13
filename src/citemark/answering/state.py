"""What a call must remember between its two rounds, sealed so that only the same call of the same caller can open it.

The codec (the MCP SDK's, AES-256-GCM) encrypts and authenticates it. The caller, the tool, the arguments and the expiry
are sealed with it: a state is refused if another caller presents it, or if it comes with another tool or other
arguments.
"""

import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, cast

from citemark.model.client_model import Binding, StateRefused
from citemark.model.clock import Clock

STATE_SECONDS = 600
"""How many seconds may pass before the second round: a person may have to approve the request first."""

PURPOSE = "answer-state"
"""The name of the key."""

_MOST_CHARS = 65536
"""The most characters of a token; a state has ids and numbers of at most 50 documents, a few thousand characters."""


class StateCodec(Protocol):
    """Encrypts and authenticates bytes with one key."""

    def seal(self, payload: bytes) -> str:
        """A token that nobody without the key can read or change."""
        ...

    def unseal(self, token: str) -> bytes | None:
        """The payload of a token; None if it was not sealed with this key, or was changed."""
        ...


class SealedState:
    """Seals and opens states with a key that all servers of the index share."""

    def __init__(self, key: Callable[[], Awaitable[bytes]], codec: Callable[[bytes], StateCodec], clock: Clock) -> None:
        self._key = key
        self._codec = codec
        self._clock = clock

    async def close(self, state: Mapping[str, Any], binding: Binding) -> str:
        """The state as a token that nobody else can read or change; valid for `STATE_SECONDS`."""
        until = self._clock().timestamp() + STATE_SECONDS
        content = {"until": until, "for": binding.fingerprint(), "state": dict(state)}
        return self._codec(await self._key()).seal(json.dumps(content, separators=(",", ":")).encode())

    async def open(self, token: str, binding: Binding) -> dict[str, Any]:
        """The state that was sealed for the same binding.

        Raises:
            StateRefused: the token is damaged, expired, or for another call.
        """
        plain = self._codec(await self._key()).unseal(token) if len(token) <= _MOST_CHARS else None
        if plain is None:
            raise StateRefused
        # An authentic token was written by `close`.
        content = cast("dict[str, Any]", json.loads(plain))
        ours = hmac.compare_digest(content["for"], binding.fingerprint())
        if not ours or self._clock().timestamp() >= content["until"]:
            raise StateRefused
        return content["state"]
