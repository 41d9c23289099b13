"""What was found out about tokens: refused ones are not looked up again for seconds, and known ones need not queue."""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable

from cachetools import TTLCache

from citemark.identity.token_claims import TokenRefused
from citemark.model.errors import BackendUnavailable
from citemark.model.scope import Principal

_REFUSED_SECONDS = 5.0
"""A token that is refused may become valid, by a new key or a restored database: not before so many seconds."""

_KNOWN_SECONDS = 24 * 3600.0
"""Longer than access tokens are used; that a token was valid only decides where it waits, not whether it is valid."""

_MOST_TOKENS = 10_000
"""The most digests of each kind that are remembered, some 200 bytes each."""

_STRANGERS_AT_ONCE = 4
"""Half of the requests that an issuer is sent at the same time: the other half is left to tokens that are known."""

_STRANGERS_WAITING = 64
"""Unknown tokens that may wait for a look-up; at 50 ms each, the last of them waits for less than a second."""


class CheckedTokens:
    """Checks tokens of one kind, each at most once in seconds if it is refused.

    Looking a token up may mean asking the database or another server (`outside`). Tokens that were never valid here
    then share a few places, so that a flood of them cannot keep those waiting that were.
    """

    def __init__(
        self,
        check: Callable[[str], Awaitable[Principal]],
        *,
        outside: bool = True,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._check = check
        self._outside = outside
        self._refused = TTLCache[bytes, str](_MOST_TOKENS, _REFUSED_SECONDS, timer=seconds)
        self._known = TTLCache[bytes, None](_MOST_TOKENS, _KNOWN_SECONDS, timer=seconds)
        self._places = asyncio.Semaphore(_STRANGERS_AT_ONCE)
        self._waiting = 0

    def admits(self, token: str) -> bool:
        """Whether a token is checked however many others failed: it was valid before, or costs next to nothing."""
        return not self._outside or _digest(token) in self._known

    async def principal_of(self, token: str) -> Principal:
        """The person that a token identifies.

        Raises:
            TokenRefused: the token is not valid, or was not a few seconds ago.
            BackendUnavailable: it cannot be looked up, or too many unknown tokens wait for that.
        """
        digest = _digest(token)
        self._raise_if_refused(digest)
        if not self._outside or digest in self._known:
            return await self._found(token, digest)
        if self._waiting >= _STRANGERS_WAITING:
            raise BackendUnavailable("Too many unknown tokens are being looked up; try again in a moment.")
        self._waiting += 1
        try:
            async with self._places:
                self._raise_if_refused(digest)  # another request with the same token may have been answered meanwhile
                return await self._found(token, digest)
        finally:
            self._waiting -= 1

    async def _found(self, token: str, digest: bytes) -> Principal:
        try:
            principal = await self._check(token)
        except TokenRefused as refused:
            self._refused[digest] = str(refused)
            self._known.pop(digest, None)
            raise
        self._known[digest] = None
        return principal

    def _raise_if_refused(self, digest: bytes) -> None:
        reason = self._refused.get(digest)
        if reason is not None:
            raise TokenRefused(reason)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()
