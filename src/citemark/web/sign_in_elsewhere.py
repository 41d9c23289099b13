"""Signing in at an authorization server: what a browser keeps until it comes back.

It is kept in the browser, sealed, and not here: strangers who begin many sign-ins fill nobody's memory with them.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

from cachetools import TTLCache
from cryptography.fernet import Fernet, InvalidToken

from citemark.identity.begun_sign_in import FlowSecrets, IssuedAccess, SignInRefused
from citemark.identity.code_flow import CodeFlow

WAIT_SECONDS = 600
"""How long signing in elsewhere may take: a person looks for a password and the second factor."""

_MOST_USED = 10_000
"""The sign-ins that are remembered as used, until their time would be over."""


@dataclass(frozen=True, slots=True)
class BegunSignIn:
    """A browser that is sent elsewhere: to which address, and what it keeps meanwhile."""

    address: str
    kept: str


class SignInElsewhere:
    """Sends browsers to the authorization server, and takes them back once."""

    def __init__(self, flow: CodeFlow, now: Callable[[], float] = time.time) -> None:
        """Prepare with a key of this process, as sessions are those of a process.

        Args:
            flow: asks the authorization server.
            now: the time in seconds since 1970.
        """
        self._flow = flow
        self._now = now
        self._cipher = Fernet(Fernet.generate_key())
        self._used = TTLCache[bytes, None](_MOST_USED, WAIT_SECONDS, timer=now)

    @property
    def host(self) -> str:
        """Where people sign in, as they know it."""
        return self._flow.host

    async def close(self) -> None:
        """Close the connections to the authorization server."""
        await self._flow.close()

    async def begin(self, back: str) -> BegunSignIn:
        """Send a browser there, which goes on at the address `back` when it is signed in.

        Raises:
            BackendUnavailable: the authorization server does not say where people sign in.
        """
        made = FlowSecrets.new()
        kept = json.dumps({"secrets": asdict(made), "back": back}).encode()
        return BegunSignIn(
            await self._flow.address(made), self._cipher.encrypt_at_time(kept, int(self._now())).decode()
        )

    async def end(self, kept: str, returned: Mapping[str, str]) -> tuple[IssuedAccess, str]:
        """The token of whoever comes back, and the address where their browser goes on.

        Raises:
            SignInRefused: this browser was not sent there, is back already, or waited too long; or see `CodeFlow`.
            BackendUnavailable: the authorization server does not answer.
        """
        try:
            opened = self._cipher.decrypt_at_time(kept.encode(), WAIT_SECONDS, int(self._now()))
        except InvalidToken:
            raise SignInRefused("this browser was not sent to the issuer, or waited too long") from None
        digest = hashlib.sha256(opened).digest()
        if digest in self._used:
            raise SignInRefused("this browser came back before")
        begun = json.loads(opened)
        made = FlowSecrets(**begun["secrets"])
        if made.began(returned):  # what another site sends a browser to uses nothing up
            self._used[digest] = None
        return await self._flow.access(returned, made), str(begun["back"])
